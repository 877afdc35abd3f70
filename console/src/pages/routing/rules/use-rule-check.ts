import { client, type Schema } from '../../../api/client';
import type { FieldViolation } from '../../../api/problem';
import { faultsOfForm, useDraftCheck } from '../use-draft-check';
import type { RuleDraft } from './rule-draft';

export interface RuleCheck {
  /** What keeps it from being saved, by its members. */
  readonly problems: readonly FieldViolation[];
  /** Why messages would pass it over. */
  readonly problem: string | null;
  readonly isPending: boolean;
  /** Why it could not be checked. */
  readonly error: unknown;
}

/** Checks an unsaved rule while it is typed, a new one or a change of the one with the id `replaces`; not before one has begun. */
export function useRuleCheck(
  draft: RuleDraft,
  replaces: string | undefined,
  hasBegun: boolean,
): RuleCheck {
  const wanted = { draft, ...(replaces !== undefined && { replaces }) };
  const { answer, isPending, error } = useDraftCheck('rule-check', wanted, checked, hasBegun);
  return {
    problems: answer?.problems ?? [],
    problem: answer?.problem ?? null,
    isPending,
    error,
  };
}

interface Checked {
  readonly draft: RuleDraft;
  readonly replaces?: string;
}

async function checked(
  { draft, replaces }: Checked,
  signal: AbortSignal,
): Promise<Omit<Schema<'RuleValidationDto'>, 'valid'>> {
  try {
    const { data } = await client.POST('/api/v1/routes/rules:validate', {
      params: { query: replaces === undefined ? {} : { replaces } },
      body: draft as never,
      signal,
    });
    return data!;
  } catch (thrown) {
    return { problems: faultsOfForm(thrown), problem: null };
  }
}
