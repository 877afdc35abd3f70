import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { asProblem, type FieldViolation } from '../../../api/problem';
import { useDebounced } from '../../../ui/use-debounced';
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
  const wanted = JSON.stringify({ draft, organization });
  const settled = useDebounced(wanted);
  const check = useQuery({
    queryKey: ['composite-check', settled],
    queryFn: ({ signal }) => checked(JSON.parse(settled) as Checked, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    enabled: hasBegun,
  });
  return {
    problems: check.data?.problems ?? [],
    refusal: check.data?.refusal ?? null,
    plan: check.data?.steps ?? [],
    isPending: hasBegun && (settled !== wanted || check.isFetching),
    error: check.error,
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
    const { violations, status } = asProblem(thrown);
    if (status !== 400 || violations.length === 0) throw thrown;
    return { problems: [...violations], refusal: null, steps: [] };
  }
}
