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
  /** What is most likely meant otherwise. */
  readonly warnings: readonly string[];
}

/** Routes a message without sending it. Throws for a request that is wrong in itself. */
export async function dryRun(request: DryRunRequest, signal?: AbortSignal): Promise<DryRunAnswer> {
  try {
    const body = request as Schema<'DryRunDto'>;
    const { data } = await client.POST('/api/v1/routes:dry-run', { body, signal: signal ?? null });
    return {
      route: data ?? null,
      refusal: null,
      rules: data?.rules,
      exclusions: data ?? {},
      warnings: data?.warnings ?? [],
    };
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    const { ruleReports, excluded, warnings } = thrown.metadata;
    return {
      route: null,
      refusal: thrown,
      rules: memberIn<readonly RuleReport[]>(ruleReports),
      exclusions: memberIn<Exclusions>(excluded) ?? {},
      warnings: warnings?.split('\n') ?? [],
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

/** A member of a route that a refusal has as JSON, since its metadata are texts. */
function memberIn<T>(json: string | undefined): T | undefined {
  try {
    return json === undefined ? undefined : (JSON.parse(json) as T);
  } catch {
    // Of a hub of another version.
    return undefined;
  }
}
