import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { ByOrganization, isOpenTo } from '../../common/by-organization.js';
import { Clock } from '../../common/clock.js';
import { RevisionedCache } from '../../common/revisioned-cache.js';
import { Log } from '../../common/logger.js';
import type { Agent } from '../agent.js';
import { AgentStore } from './agent-store.js';

/** How often agents are forgotten that were deleted long enough ago; one small statement. */
const PURGE_EVERY_MS = 60 * 60 * 1000;
const DELETED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

interface Snapshot {
  readonly byId: ReadonlyMap<string, Agent>;
  readonly deleted: ReadonlyMap<string, Agent>;
  /** The enabled agents that can be used, in the order of their ids. */
  readonly enabled: readonly Agent[];
  readonly byOrganization: ByOrganization<Agent>;
}

/** All agents in memory, for the path of every message. */
@Injectable()
export class AgentRegistry extends RevisionedCache<Agent> {
  private snapshot = snapshotOf([]);
  private purgedAt = 0;
  /** What was last logged of agents that cannot be used, by their ids. */
  private unusable: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly store: AgentStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super(store, 'agents', clock, log);
  }

  /** The agent with this id, enabled or not. */
  get(id: string): Agent | undefined {
    return this.snapshot.byId.get(id);
  }

  /**
   * The agent that open work of this id is with: the registered one, else the one that was deleted
   * within the last 30 days. For polls and cancels; new messages ask {@link get}.
   */
  known(id: string): Agent | undefined {
    return this.snapshot.byId.get(id) ?? this.snapshot.deleted.get(id);
  }

  /**
   * The enabled agents by id, whoever may use them. The list is the same object until something
   * changes, so that what is made of it can be kept.
   */
  enabled(): readonly Agent[] {
    return this.snapshot.enabled;
  }

  /** Every agent by id, ascending, enabled or not. */
  all(): readonly Agent[] {
    return [...this.snapshot.byId.values()];
  }

  /**
   * The agents this principal may send new work to, by id: the enabled ones that are not limited to
   * other organizations. The list is the same object for all of an organization until something
   * changes, so that what is made of it can be kept.
   */
  usable({ organization }: Principal): readonly Agent[] {
    return this.snapshot.byOrganization.usable(organization);
  }

  /** Whether the principal is among those who may use this agent, enabled or not. */
  mayUse({ organization }: Pick<Principal, 'organization'>, agent: Agent): boolean {
    return isOpenTo(agent.organizations, organization);
  }

  protected override onReload(all: readonly Agent[]): void {
    this.snapshot = snapshotOf(all);
    this.reportUnusable(all);
  }

  /** Once for each fault. */
  private reportUnusable(all: readonly Agent[]): void {
    const faults = new Map<string, string>();
    for (const { id, cardTrouble, deletedAt } of all) {
      if (cardTrouble?.kind !== 'unusable' || deletedAt !== null) continue;
      faults.set(id, cardTrouble.reason);
      if (this.unusable.get(id) === cardTrouble.reason) continue;
      this.log.error(
        { agent: id, reason: cardTrouble.reason },
        'an agent is ignored: its stored record is not usable',
      );
    }
    this.unusable = faults;
  }

  protected override async beforeLook(): Promise<void> {
    const now = this.clock.now().getTime();
    if (now - this.purgedAt < PURGE_EVERY_MS) return;
    await this.store.purge(new Date(now - DELETED_KEPT_MS));
    this.purgedAt = now;
  }
}

function snapshotOf(all: readonly Agent[]): Snapshot {
  const agents = all.filter(({ deletedAt }) => deletedAt === null);
  const deleted = all.filter(({ deletedAt }) => deletedAt !== null);
  const enabled = agents.filter((agent) => agent.enabled && agent.cardTrouble?.kind !== 'unusable');
  return {
    byId: new Map(agents.map((agent) => [agent.id, agent])),
    deleted: new Map(deleted.map((agent) => [agent.id, agent])),
    enabled,
    byOrganization: new ByOrganization(enabled, ({ organizations }) => organizations),
  };
}
