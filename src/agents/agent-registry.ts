import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import type { Agent } from './agent.js';
import { AgentStore } from './agent-store.js';

/** How often other processes' changes are looked for; one small query. */
const LOOK_EVERY_MS = 1000;
/** How often agents are forgotten that were deleted long enough ago; one small statement. */
const PURGE_EVERY_MS = 60 * 60 * 1000;
const DELETED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

interface Snapshot {
  readonly revision: number;
  readonly byId: ReadonlyMap<string, Agent>;
  readonly deleted: ReadonlyMap<string, Agent>;
  /** The enabled agents, in the order of their ids. */
  readonly enabled: readonly Agent[];
  /** Of them, those that every organization may use. */
  readonly open: readonly Agent[];
  /** The organizations that some agent is limited to. */
  readonly named: ReadonlySet<string>;
  /** What such an organization may use, made when it is first asked for. */
  readonly byOrganization: Map<string, readonly Agent[]>;
}

const EMPTY: Snapshot = {
  revision: -1,
  byId: new Map(),
  deleted: new Map(),
  enabled: [],
  open: [],
  named: new Set(),
  byOrganization: new Map(),
};

/**
 * All agents in memory, for the path of every message. It is renewed with each change made in this
 * process before that change is answered, and at most a second after one made in another.
 */
@Injectable()
export class AgentRegistry implements OnModuleInit, OnModuleDestroy {
  private snapshot = EMPTY;
  private readonly stopping = new AbortController();
  /** Renewals run one after another, so that an older read never replaces a newer one. */
  private renewing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: AgentStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.renew();
    void this.lookForChanges();
  }

  onModuleDestroy(): void {
    this.stopping.abort();
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
    const { named, open, enabled, byOrganization } = this.snapshot;
    if (!named.has(organization)) return open;
    let usable = byOrganization.get(organization);
    if (usable === undefined) {
      usable = enabled.filter((agent) => isOpenTo(agent, organization));
      byOrganization.set(organization, usable);
    }
    return usable;
  }

  /** Whether the principal is among those who may use this agent, enabled or not. */
  mayUse({ organization }: Pick<Principal, 'organization'>, agent: Agent): boolean {
    return isOpenTo(agent, organization);
  }

  /** Reads all agents again if any changed; resolves when the memory holds what the database does. */
  renew(): Promise<void> {
    const renewed = this.renewing.then(() => this.read());
    this.renewing = renewed.catch(() => undefined);
    return renewed;
  }

  private async read(): Promise<void> {
    // Asked first: a change between the two reads is then seen again by the next look.
    const revision = await this.store.revision();
    if (revision === this.snapshot.revision) return;
    const all = await this.store.all();
    const agents = all.filter(({ deletedAt }) => deletedAt === null);
    const deleted = all.filter(({ deletedAt }) => deletedAt !== null);
    const enabled = agents.filter((agent) => agent.enabled);
    this.snapshot = {
      revision,
      byId: new Map(agents.map((agent) => [agent.id, agent])),
      deleted: new Map(deleted.map((agent) => [agent.id, agent])),
      enabled,
      open: enabled.filter(({ organizations }) => organizations === null),
      named: new Set(enabled.flatMap(({ organizations }) => organizations ?? [])),
      byOrganization: new Map(),
    };
  }

  private async lookForChanges(): Promise<void> {
    const { signal } = this.stopping;
    let purgedAt = 0;
    for (;;) {
      await this.clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      try {
        const now = this.clock.now().getTime();
        if (now - purgedAt >= PURGE_EVERY_MS) {
          await this.store.purge(new Date(now - DELETED_KEPT_MS));
          purgedAt = now;
        }
        await this.renew();
      } catch (error) {
        this.log.warn({ err: error }, 'agents could not be read; the known ones stay');
      }
    }
  }
}

function isOpenTo({ organizations }: Agent, organization: string): boolean {
  return organizations === null || organizations.includes(organization);
}
