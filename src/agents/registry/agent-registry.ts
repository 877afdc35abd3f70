import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { ByOrganization, isOpenTo } from '../../common/by-organization.js';
import { Clock } from '../../common/clock.js';
import type { Refusal } from '../../common/hub-error.js';
import { RevisionedCache } from '../../common/revisioned-cache.js';
import { Log } from '../../common/logger.js';
import {
  PermittedLists,
  PolicyDecisionPoint,
  refusalBy,
  refusalSentence,
} from '../../policies/index.js';
import type { Agent } from '../agent.js';
import { AgentStore } from './agent-store.js';
import {
  type Requested,
  keptFrom,
  mayAskFor,
  PERMITTED_AGENTS,
  type UsableAgent,
} from './permitted-agents.js';

/** How often agents are forgotten that were deleted long enough ago; one small statement. */
const PURGE_EVERY_MS = 60 * 60 * 1000;
const DELETED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

interface Snapshot {
  readonly byId: ReadonlyMap<string, Agent>;
  /** Those that had an id, the one that was registered last first. */
  readonly deleted: ReadonlyMap<string, readonly Agent[]>;
  /** Every agent, in the order of their ids; the list of the enabled ones where all are. */
  readonly all: readonly Agent[];
  /** The enabled agents that can be used, in the order of their ids. */
  readonly enabled: readonly Agent[];
  readonly byOrganization: ByOrganization<Agent>;
  /** The others, in the order of their ids. */
  readonly closedByOrganization: ByOrganization<Agent>;
}

/** Callers who may use the same: those with the same rules of policies, or of one organization. */
export type Audience = object | string;

/** All agents in memory, for the path of every message. */
@Injectable()
export class AgentRegistry extends RevisionedCache<Agent> {
  private snapshot = snapshotOf([]);
  private purgedAt = 0;
  private looking: Promise<void> = Promise.resolve();
  private nextLook: Promise<void> | undefined;
  private readonly permitted: PermittedLists<UsableAgent>;
  /** What was last logged of agents that cannot be used, by their ids. */
  private unusable: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly store: AgentStore,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly policies: PolicyDecisionPoint,
  ) {
    super(store, 'agents', clock, log);
    this.permitted = new PermittedLists(policies, PERMITTED_AGENTS);
  }

  /** The agent with this id, enabled or not. */
  get(id: string): Agent | undefined {
    return this.snapshot.byId.get(id);
  }

  /** The agent with this id as the database has it now. However many want to know, it is looked once at a time. */
  async newest(id: string): Promise<Agent | undefined> {
    // A look that has begun may have read already: those who come meanwhile share the next.
    this.nextLook ??= this.looking.then(() => {
      this.nextLook = undefined;
      const look = this.renew();
      this.looking = look.catch(() => undefined);
      return look;
    });
    await this.nextLook;
    return this.get(id);
  }

  /** The agent with this id: the registered one, else the last that was deleted within 30 days. */
  known(id: string): Agent | undefined {
    return this.snapshot.byId.get(id) ?? this.snapshot.deleted.get(id)?.[0];
  }

  /**
   * The agent that was registered under this id then, also one that was deleted within the last 30 days and whose id another
   * one has by now; or the same as it was registered again. For polls and cancels; new messages ask {@link get}.
   */
  registeredAt(id: string, since: Date): Agent | undefined {
    const registered = this.snapshot.byId.get(id);
    if (registered?.createdAt.getTime() === since.getTime()) return registered;
    return this.continued(id, ({ createdAt }) => createdAt.getTime() === since.getTime());
  }

  /** The same of the agent that had the id at that time, where it is not known which it was. */
  knownAt(id: string, at: Date): Agent | undefined {
    return this.continued(id, ({ createdAt }) => createdAt <= at);
  }

  /** When an agent was registered, each time, as long as it is known: the last time first. */
  registrationsOf({ id, createdAt }: Agent): readonly Date[] {
    const all = this.allOf(id).map((each) => each.createdAt);
    const same = all.filter(
      (at) => this.registeredAt(id, at)?.createdAt.getTime() === createdAt.getTime(),
    );
    return same.length === 0 ? [createdAt] : same;
  }

  private continued(id: string, isMeant: (agent: Agent) => boolean): Agent | undefined {
    const all = this.allOf(id);
    const index = all.findIndex(isMeant);
    return index < 0 ? undefined : continuationOf(all, index);
  }

  /** Those that have had an id, the one that was registered last first. */
  private allOf(id: string): readonly Agent[] {
    const { byId, deleted } = this.snapshot;
    const registered = byId.get(id);
    const former = deleted.get(id) ?? [];
    return registered === undefined ? former : [registered, ...former];
  }

  /**
   * The enabled agents by id, whoever may use them. The list is the same object until something
   * changes, so that what is made of it can be kept.
   */
  enabled(): readonly Agent[] {
    return this.snapshot.enabled;
  }

  /** Every agent by id, ascending, enabled or not. The list is the same object until something changes. */
  all(): readonly Agent[] {
    return this.snapshot.all;
  }

  /**
   * The agents this principal may send new work to, by id: the enabled ones that are not limited to
   * other organizations, with the skills that the policies leave. The list is the same object for all callers that are alike until something
   * changes, so that what is made of it can be kept.
   */
  usable(principal: Principal): readonly UsableAgent[] {
    return this.permitted.of(principal, this.openTo(principal));
  }

  /** Has the policies decide for a caller about all agents; undefined when they have. To be called by `prepareAll`. */
  prepare(principal: Principal): Promise<void> | undefined {
    return this.permitted.prepare(principal, this.openTo(principal));
  }

  /** What callers have in common who may use the same, as long as the policies stay. */
  audienceOf(principal: Principal): Audience {
    return this.policies.rulesFor(principal) ?? principal.organization;
  }

  /**
   * Whether the principal may send more work to this agent for what it does already, enabled or not: the policies permit
   * the skill it was asked for, else the agent and one of its skills.
   */
  mayGoOn(principal: Principal, agent: Agent, skillId: string | null): boolean {
    if (!isOpenTo(agent.organizations, principal.organization)) return false;
    const rules = this.policies.rulesFor(principal);
    return rules === null || mayAskFor(agent, skillId, (resource) => rules.decideOn(resource));
  }

  /**
   * Which policies keep an agent from the caller, or the skills of it that are meant, for the audit log; undefined where it is
   * not a policy that does. To be asked after {@link prepare}.
   */
  refusalOf(principal: Principal, agentId: string, requested: Requested): Refusal | undefined {
    const agent = this.get(agentId);
    const rules = this.policies.rulesFor(principal);
    if (agent === undefined || rules === null) return undefined;
    if (!isOpenTo(agent.organizations, principal.organization)) return undefined;
    const kept = keptFrom(agent, requested, (resource) => rules.decideOn(resource));
    return kept.length === 0
      ? undefined
      : { ...refusalBy(rules.refusedBy(...kept)), agent: agentId };
  }

  /** Whether callers of this organization are among those who may use the agent, enabled or not. */
  isOpenTo(organization: string, agent: Agent): boolean {
    return isOpenTo(agent.organizations, organization);
  }

  /**
   * Why callers of this organization may send no new work to the agent, as a sentence without an end; undefined where policies
   * alone decide.
   */
  closedTo(organization: string, agent: Agent): string | undefined {
    const what = `The agent ${agent.id}`;
    if (!agent.enabled) return `${what} is disabled`;
    if (!isUsable(agent)) return `${what} cannot be used: its stored record is not usable`;
    if (this.isOpenTo(organization, agent)) return undefined;
    return `${what} is not for the organization ${organization}`;
  }

  /** Whether there is such an agent, and callers of this organization may not use it whatever policies say, enabled or not. */
  isElsewhere(organization: string, agentId: string): boolean {
    const agent = this.get(agentId);
    return agent !== undefined && !this.isOpenTo(organization, agent);
  }

  /**
   * Why the caller may send no new work to an agent, or for one skill of it, as a sentence; undefined where it may. For operators:
   * it tells of agents that the caller may not know of. To be asked after {@link prepare}.
   */
  exclusionOf(
    principal: Principal,
    agentId: string,
    skillId: string | undefined,
  ): string | undefined {
    const agent = this.get(agentId);
    if (agent === undefined) {
      return this.known(agentId) === undefined ? 'It is not registered.' : 'It was deleted.';
    }
    if (!this.isOpenTo(principal.organization, agent)) {
      return 'It is restricted to other organizations.';
    }
    if (!agent.enabled) return 'It was disabled by an operator.';
    if (!isUsable(agent)) return 'It cannot be used: its stored record is not usable.';
    const requested = { skillId: skillId ?? null, tags: [], match: 'all' } as const;
    const refusal = this.refusalOf(principal, agentId, requested);
    return refusal && refusalSentence(refusal.policy);
  }

  /** The enabled agents that callers of the principal's organization may use if policies permit it, like {@link usable}. */
  openTo({ organization }: Principal): readonly Agent[] {
    return this.snapshot.byOrganization.usable(organization);
  }

  /** The agents that callers of this organization might use if they were enabled and their records usable. */
  closedOf(organization: string): readonly Agent[] {
    return this.snapshot.closedByOrganization.usable(organization);
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
    if (Math.abs(now - this.purgedAt) < PURGE_EVERY_MS) return;
    await this.store.purge(new Date(now - DELETED_KEPT_MS));
    this.purgedAt = now;
  }
}

function snapshotOf(all: readonly Agent[]): Snapshot {
  const agents = all.filter(({ deletedAt }) => deletedAt === null);
  const deleted = all.filter(({ deletedAt }) => deletedAt !== null);
  const enabled = agents.filter((agent) => agent.enabled && isUsable(agent));
  const closed = agents.filter((agent) => !agent.enabled || !isUsable(agent));
  return {
    all: enabled.length === agents.length ? enabled : agents,
    byId: new Map(agents.map((agent) => [agent.id, agent])),
    deleted: deletedById(deleted),
    enabled,
    byOrganization: new ByOrganization(enabled, ({ organizations }) => organizations),
    closedByOrganization: new ByOrganization(closed, ({ organizations }) => organizations),
  };
}

function deletedById(deleted: readonly Agent[]): ReadonlyMap<string, readonly Agent[]> {
  const byId = new Map<string, Agent[]>();
  for (const agent of deleted) byId.set(agent.id, [...(byId.get(agent.id) ?? []), agent]);
  for (const agents of byId.values()) {
    agents.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  }
  return byId;
}

/** The agent at `index`, or the newer one that is the same registered again: for the same organizations, at the same address. */
function continuationOf(newestFirst: readonly Agent[], index: number): Agent | undefined {
  let found = newestFirst[index];
  for (const next of newestFirst.slice(0, index).reverse()) {
    if (found === undefined || !isContinuedBy(found, next)) break;
    found = next;
  }
  return found;
}

/** Whether the next agent with the id of one is the same, registered again: for the same organizations, at the same address. */
export function isContinuedBy(one: Agent, next: Agent): boolean {
  return (
    one.endpoint.url === next.endpoint.url &&
    isDeepStrictEqual(one.organizations, next.organizations)
  );
}

function isUsable({ cardTrouble }: Agent): boolean {
  return cardTrouble?.kind !== 'unusable';
}
