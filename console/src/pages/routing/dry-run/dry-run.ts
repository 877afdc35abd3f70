import { client, type Schema } from '../../../api/client';
import { ApiProblem } from '../../../api/problem';
import type { Exclusions } from '../../../ui/exclusions';

export type DryRunRequest = Partial<Schema<'DryRunDto'>>;
export type DryRunRoute = Schema<'DryRunRouteDto'>;
export type RuleReport = Schema<'RuleReportDto'>;

/** What would become of a message: its route, or why it is refused. */
export interface DryRunAnswer {
  readonly route: DryRunRoute | null;
  readonly refusal: ApiProblem | null;
  /** What became of each rule; absent when none was asked, or for those who may not see them. */
  readonly rules: readonly RuleReport[] | undefined;
  /** Agents that fit but which the caller may not use; none for those who may not see them. */
  readonly exclusions: Exclusions;
}

/** Routes a message without sending it. Throws for a request that is wrong in itself. */
export async function dryRun(request: DryRunRequest, signal?: AbortSignal): Promise<DryRunAnswer> {
  try {
    const body = request as Schema<'DryRunDto'>;
    const { data } = await client.POST('/api/v1/routes:dry-run', { body, signal: signal ?? null });
    return { route: data ?? null, refusal: null, rules: data?.rules, exclusions: data ?? {} };
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    const { rules, excluded } = thrown.metadata;
    return {
      route: null,
      refusal: thrown,
      rules: reportsIn(rules),
      exclusions: exclusionsIn(excluded),
    };
  }
}

/** Whether a send would have been refused in the same way: what is wrong then is not the request. */
function isRefusal(thrown: unknown): thrown is ApiProblem {
  return (
    thrown instanceof ApiProblem &&
    thrown.violations.length === 0 &&
    ![0, 401, 403, 429].includes(thrown.status)
  );
}

const REPORT = /^(\d+)\. (.*?): (decides|passed-over|does-not-apply|not-evaluated)\. (.*)$/;

/** The reports of a refusal, which has them as text. */
function reportsIn(text: string | undefined): readonly RuleReport[] | undefined {
  return text?.split('\n').flatMap((line) => {
    const [, position, name = '', outcome, why = ''] = REPORT.exec(line) ?? [];
    if (outcome === undefined) return [];
    const known = outcome as RuleReport['outcome'];
    return [{ id: `${position}`, name, position: Number(position), outcome: known, why }];
  });
}

/** The excluded agents of a refusal, which has these members of a route as JSON. */
function exclusionsIn(json: string | undefined): Exclusions {
  try {
    return (JSON.parse(json ?? '{}') ?? {}) as Exclusions;
  } catch {
    // Of a hub of another version.
    return {};
  }
}
