import { useQuery } from '@tanstack/react-query';
import { client, queries } from '../api/client';
import { useMay } from '../api/me';
import { readPages } from '../api/read-pages';
import { useTargets } from '../api/targets';
import { idOfName } from './id-of-name';
import type { Suggestion } from './suggest';

/** Agents that are looked at. */
const MOST = 400;
const FRESH_MS = 15_000;
const KEY = ['agents', 'names'];

/** What the agents that one may see are called. */
export interface AgentNames {
  readonly suggestions: readonly Suggestion[];
  /** The id of the one agent that is called so; else what was typed. */
  readonly meantBy: (typed: string) => string;
  /** Whether there is surely no agent of this id that one may see. */
  readonly isMissing: (id: string) => boolean;
}

/** Of whoever may see the agents of its organization, with their names; else the ids that the hub's card has. */
export function useAgentNames(): AgentNames {
  const { agents: ofCard } = useTargets();
  const listed = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) =>
      readPages(MOST, (query) => client.GET('/api/v1/agents', { params: { query }, signal })),
    staleTime: FRESH_MS,
    enabled: useMay('agents:organization'),
  });
  const rows = listed.data?.rows ?? [];
  const ids = new Set([...rows.map(({ id }) => id), ...ofCard]);
  const isWhole = listed.data?.hasMore === false;
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const suggestions = [...ids].map((value): Suggestion => {
    const label = names.get(value);
    return label === undefined ? { value } : { value, label };
  });
  return {
    suggestions,
    meantBy: (typed) => (ids.has(typed) ? typed : idOfName(typed, rows)),
    isMissing: (id) => isWhole && id !== '' && !ids.has(id),
  };
}

/** Reads the names anew: an answer may speak of agents that came since. */
export function refreshAgentNames(): Promise<void> {
  return queries.invalidateQueries({ queryKey: KEY });
}
