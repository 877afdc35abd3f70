export const HEALTH_FILTERS = ['troubled', 'healthy', 'degraded', 'down', 'unknown'] as const;
export type HealthFilter = (typeof HEALTH_FILTERS)[number];

/** What the list of agents is narrowed to. */
export interface AgentsSearch {
  readonly text?: string;
  readonly tag?: string;
  readonly health?: HealthFilter;
  readonly state?: 'enabled' | 'disabled';
}

export function agentsSearchOf(search: Record<string, unknown>): AgentsSearch {
  const { text, tag, health, state } = search;
  return {
    ...(isText(text) && { text: String(text) }),
    ...(isText(tag) && { tag: String(tag) }),
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

export function agentSearchOf({ tab, range }: Record<string, unknown>): AgentSearch {
  return {
    ...(isText(tab) && { tab: String(tab) }),
    ...(RANGES.includes(range as Range) && { range: range as Range }),
  };
}

/** A number in an address is read as one; an id or a text may look like that. */
function isText(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
