import type { Page } from '../common/page.js';
import type { Agent } from './agent.js';

export interface AgentFilter {
  /** An operator tag or a skill tag, exactly (case-insensitive). */
  readonly tag?: string;
  /** A skill id. */
  readonly skill?: string;
  /** Part of name, description or a skill's name (case-insensitive). */
  readonly text?: string;
  readonly enabled?: boolean;
}

/** The registry's storage. Agents are few (dozens to thousands) and read on every request. */
export abstract class AgentStore {
  /** Adds an agent; throws HubError CONFLICT when the id is taken. */
  abstract add(agent: Agent): Promise<void>;

  /** Replaces the agent with this id; false when there is none. */
  abstract replace(agent: Agent): Promise<boolean>;

  /** False when there was none. */
  abstract remove(id: string): Promise<boolean>;

  abstract get(id: string): Promise<Agent | undefined>;

  /** By id, ascending, after `cursor`. */
  abstract list(filter: AgentFilter, limit: number, cursor?: string): Promise<Page<Agent>>;

  /** All agents by id. */
  abstract all(): Promise<Agent[]>;
}
