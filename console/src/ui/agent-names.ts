import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, queries } from '../api/client';
import { useMay } from '../api/me';
import { readPages } from '../api/read-pages';
import { useTargets } from '../api/targets';
import { idOfName, type Named } from './id-of-name';

/** Agents that are looked at. */
const MOST = 400;

const AGENTS = queryOptions({
  queryKey: ['agents', 'names'],
  queryFn: ({ signal }) =>
    readPages(MOST, (query) => client.GET('/api/v1/agents', { params: { query }, signal })),
  staleTime: 15_000,
});

/** What the agents that one may see are called. */
export interface AgentNames {
  readonly known: readonly Named[];
  /** The id of the one agent that is called so; else what was typed. */
  readonly meantBy: (typed: string) => string;
  /** Whether there is surely no agent of this id that one may see. */
  readonly isMissing: (id: string) => boolean;
}

/** The first agents that one may see, of whoever may see those of its organization. */
export function useAgents() {
  return useQuery({ ...AGENTS, enabled: useMay('agents:organization') });
}

/** Of whoever may see the agents of its organization, with their names; else the ids that the hub's card has. */
export function useAgentNames(): AgentNames {
  const { agents: ofCard } = useTargets();
  const listed = useAgents();
  const rows = listed.data?.rows ?? [];
  const ids = new Set(rows.map(({ id }) => id));
  const isWhole = listed.data?.hasMore === false;
  const known = [
    ...rows,
    ...ofCard.filter((id) => !ids.has(id)).map((id): Named => ({ id, name: null })),
  ];
  return {
    known,
    meantBy: (typed) => idOfName(typed, known),
    isMissing: (id) => isWhole && id !== '' && !known.some((each) => each.id === id),
  };
}

/** Reads the agents anew: those of a name may have come since. */
export async function readAgents(): Promise<readonly Named[]> {
  return (await queries.fetchQuery({ ...AGENTS, staleTime: 0, retry: false })).rows;
}

/** Reads the names anew: an answer may speak of agents that came since. */
export function refreshAgentNames(): Promise<void> {
  return queries.invalidateQueries({ queryKey: AGENTS.queryKey });
}
