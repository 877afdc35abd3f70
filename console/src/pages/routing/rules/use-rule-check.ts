import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMay } from '../../../api/me';
import { asProblem, type FieldViolation } from '../../../api/problem';
import { useDebounced } from '../../../ui/use-debounced';
import { dryRun, type DryRunAnswer, type RuleReport } from '../dry-run/dry-run';
import type { RuleDraft } from './rule-draft';

/** The message that a rule is tried with. */
export interface Trial {
  readonly text: string;
  readonly organization: string;
}

export interface RuleCheck {
  /** What is wrong with the rule, by its members. */
  readonly problems: readonly FieldViolation[];
  /** What would become of the message; null while the rule is wrong. */
  readonly answer: DryRunAnswer | null;
  /** What becomes of this rule for the message. */
  readonly report: RuleReport | null;
  readonly isPending: boolean;
  /** Why it could not be checked. */
  readonly error: unknown;
}

/** Checks an unsaved rule while it is typed, by a dry run of a message with it among the others; not before one has begun. */
export function useRuleCheck(draft: RuleDraft, trial: Trial, hasBegun: boolean): RuleCheck {
  const mayTry = useMay('a2a');
  const enabled = mayTry && hasBegun;
  const wanted = JSON.stringify({ draft, trial });
  const settled = useDebounced(wanted);
  const check = useQuery({
    queryKey: ['rule-check', settled],
    queryFn: ({ signal }) => checked(JSON.parse(settled) as Checked, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    enabled,
  });
  const answer = check.data?.answer ?? null;
  return {
    problems: check.data?.problems ?? [],
    answer,
    report: reportOf(draft, answer?.rules),
    isPending: enabled && (settled !== wanted || check.isFetching),
    error: check.error,
  };
}

interface Checked {
  readonly draft: RuleDraft;
  readonly trial: Trial;
}

async function checked({ draft, trial }: Checked, signal: AbortSignal) {
  try {
    const answer = await dryRun(
      {
        message: { parts: [{ text: trial.text }] },
        rule: draft as never,
        ...(trial.organization && { caller: { organization: trial.organization } }),
      },
      signal,
    );
    return { answer, problems: [] };
  } catch (thrown) {
    const { violations, status } = asProblem(thrown);
    if (status !== 400) throw thrown;
    const problems = violations.map(({ field, description }) => ({
      field: field.replace(/^rule\.?/, ''),
      description,
    }));
    return { answer: null, problems };
  }
}

function reportOf({ id, name }: RuleDraft, reports: readonly RuleReport[] = []): RuleReport | null {
  return (
    reports.find((report) => report.id === id) ??
    reports.findLast((report) => report.name === name) ??
    null
  );
}
