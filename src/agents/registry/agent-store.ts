import type { WriteCheck } from '../../auth/index.js';
import type { Page } from '../../common/page.js';
import type { Agent, OrganizationCredentials, PreviousCard } from '../agent.js';

export interface AgentFilter {
  /** An operator tag or a skill tag, exactly (case-insensitive). */
  readonly tag?: string | undefined;
  /** A skill id. */
  readonly skill?: string | undefined;
  /** Part of name, description or a skill's name (case-insensitive). */
  readonly text?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** Only these. */
  readonly ids?: ReadonlySet<string> | undefined;
  /** Only those that this organization alone may use. */
  readonly soleOrganization?: string | undefined;
}

/**
 * The registry's storage. Agents are few (dozens to thousands) and read on every request. A deleted
 * agent is kept with its endpoint and credentials, so that its open tasks can be canceled; only
 * {@link all} shows it.
 */
export abstract class AgentStore {
  /**
   * Adds an agent; throws HubError CONFLICT when the id is taken. The id of a deleted agent is free:
   * the new one takes its place. Throws what `admit` throws in the same transaction.
   */
  abstract add(agent: Agent, admit?: WriteCheck): Promise<void>;

  /**
   * Changes an agent as it is stored at that moment, so that two changes at once both count.
   * `change` is pure, may run again, and may throw to leave the agent as it is. Resolves to the
   * changed agent; undefined when there is none with this id. A card that says something else than the one
   * before is what {@link withPreviousCard} gives that one for, replaced at the agent's new `updatedAt`. Throws what
   * `admit` throws in the same transaction.
   */
  abstract update(
    id: string,
    change: (agent: Agent) => Agent,
    admit?: WriteCheck,
  ): Promise<Agent | undefined>;

  /** Deletes an agent as of `now`, unless `check` throws; false when there was none. */
  abstract remove(id: string, now: Date, check?: (agent: Agent) => void): Promise<boolean>;

  /** Forgets the agents deleted before `before`, credentials and all; the number of them. */
  abstract purge(before: Date): Promise<number>;

  abstract get(id: string): Promise<Agent | undefined>;

  /**
   * An agent and the card it had before the one in use, both of the same moment; null: it has changed in nothing. The card
   * before goes with the agent: when that is deleted, or its id taken anew.
   */
  abstract withPreviousCard(
    id: string,
  ): Promise<{ readonly agent: Agent; readonly previous: PreviousCard | null } | undefined>;

  /** By id, ascending, after `cursor` (the `nextCursor` of the page before: its last id). */
  abstract list(filter: AgentFilter, limit: number, cursor?: string): Promise<Page<Agent>>;

  /**
   * Keeps what an agent is called with for an organization, made of the agent as it is stored at that moment, in place of what was
   * kept before. `make` is pure, may run again, and may throw. Undefined when there is no such agent; `isNew`: there was nothing
   * before. It goes with the agent: when that is forgotten, or its id taken anew. Throws what `admit` throws in the same
   * transaction.
   */
  abstract putCredentials(
    id: string,
    organization: string,
    make: (agent: Agent) => OrganizationCredentials,
    admit?: WriteCheck,
  ): Promise<{ readonly kept: OrganizationCredentials; readonly isNew: boolean } | undefined>;

  /** False when there was nothing. */
  abstract removeCredentials(id: string, organization: string): Promise<boolean>;

  /** What there is for an agent that is registered. */
  abstract credentialsOf(
    id: string,
    organization: string,
  ): Promise<OrganizationCredentials | undefined>;

  /** All agents by id, the deleted ones as well, with what organizations have of their own: only here. */
  abstract all(): Promise<Agent[]>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
