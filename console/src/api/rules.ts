import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from './client';
import { every } from './pace';
import { readPages } from './read-pages';

export type Rule = Schema<'RuleDto'>;

/** What the query of all rules is known by. */
export const RULES = ['routing-rules'];
const READ_AGAIN_MS = 5_000;

/** All routing rules in their order. */
export function useRules(enabled = true) {
  return useQuery({
    queryKey: RULES,
    queryFn: readAll,
    refetchInterval: every(READ_AGAIN_MS),
    enabled,
  });
}

async function readAll(): Promise<readonly Rule[]> {
  const { rows } = await readPages(Infinity, (query) =>
    client.GET('/api/v1/routes/rules', { params: { query } }),
  );
  return rows;
}
