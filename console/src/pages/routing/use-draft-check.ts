import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { asProblem, type FieldViolation } from '../../api/problem';
import { useDebounced } from '../../ui/use-debounced';

export interface DraftCheck<A> {
  /** The last answer; undefined before the first one. */
  readonly answer: A | undefined;
  readonly isPending: boolean;
  /** Why it could not be checked. */
  readonly error: unknown;
}

/** Asks the hub about what is being written once it has stayed the same for a moment; `name` tells one question from others. */
export function useDraftCheck<W extends object, A>(
  name: string,
  wanted: W,
  ask: (wanted: W, signal: AbortSignal) => Promise<A>,
  enabled: boolean,
): DraftCheck<A> {
  const text = JSON.stringify(wanted);
  const settled = useDebounced(text);
  const check = useQuery({
    queryKey: [name, settled],
    queryFn: ({ signal }) => ask(JSON.parse(settled) as W, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    enabled,
  });
  return {
    answer: check.data,
    isPending: enabled && (settled !== text || check.isFetching),
    error: check.error,
  };
}

/** What is wrong by a refusal of the hub (400) with the form of a draft. Throws all other errors again. */
export function faultsOfForm(thrown: unknown): FieldViolation[] {
  const { violations, status } = asProblem(thrown);
  if (status !== 400 || violations.length === 0) throw thrown;
  return [...violations];
}
