import { textsOf } from '../../ui/search';

export const HEALTH_FILTERS = [
  'troubled',
  'failing',
  'healthy',
  'degraded',
  'down',
  'unknown',
] as const;
export type HealthFilter = (typeof HEALTH_FILTERS)[number];

/** What the list of agents is narrowed to. */
export interface AgentsSearch {
  readonly text?: string;
  readonly tag?: string;
  readonly health?: HealthFilter;
  readonly state?: 'enabled' | 'disabled';
}

export function agentsSearchOf(search: Record<string, unknown>): AgentsSearch {
  const { health, state } = search;
  return {
    ...textsOf(search, ['text', 'tag']),
    ...(HEALTH_FILTERS.includes(health as HealthFilter) && { health: health as HealthFilter }),
    ...((state === 'enabled' || state === 'disabled') && { state }),
  };
}

export const RANGES = ['1h', '3h', '24h', '7d'] as const;
export type Range = (typeof RANGES)[number];

/** Which part of an agent's page is shown, and over which time. */
export interface AgentSearch {
  readonly tab?: string;
  readonly range?: Range;
}

export function agentSearchOf(search: Record<string, unknown>): AgentSearch {
  const range = search['range'] as Range;
  return { ...textsOf(search, ['tab']), ...(RANGES.includes(range) && { range }) };
}
