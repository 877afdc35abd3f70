import { client, type Schema } from '../../../api/client';
import type { FieldViolation } from '../../../api/problem';
import { faultsOfForm, useDraftCheck } from '../use-draft-check';
import type { CompositeDraft } from './composite-draft';

export interface CompositeCheck {
  /** What keeps it from being saved, by its members. */
  readonly problems: readonly FieldViolation[];
  /** Why a task of it would be refused now. */
  readonly refusal: string | null;
  /** Who would do each step. */
  readonly plan: readonly Schema<'RouteStepDto'>[];
  readonly isPending: boolean;
  readonly error: unknown;
}

/** Checks an unsaved composite skill while it is typed, for a caller of an organization; not before one has begun. */
export function useCompositeCheck(
  draft: CompositeDraft,
  organization: string,
  hasBegun: boolean,
): CompositeCheck {
  const wanted = { draft, organization };
  const { answer, isPending, error } = useDraftCheck('composite-check', wanted, checked, hasBegun);
  return {
    problems: answer?.problems ?? [],
    refusal: answer?.refusal ?? null,
    plan: answer?.steps ?? [],
    isPending,
    error,
  };
}

interface Checked {
  readonly draft: CompositeDraft;
  readonly organization: string;
}

async function checked(
  { draft, organization }: Checked,
  signal: AbortSignal,
): Promise<Omit<Schema<'CompositeValidationDto'>, 'valid'>> {
  try {
    const { data } = await client.POST('/api/v1/composite-skills:validate', {
      params: { query: organization === '' ? {} : { organization } },
      body: draft as never,
      signal,
    });
    return data!;
  } catch (thrown) {
    return { problems: faultsOfForm(thrown), refusal: null, steps: [] };
  }
}
