import { Inject, Injectable } from '@nestjs/common';
import { type Agent, AgentRegistry, needsCallersToken } from '../../agents/index.js';
import {
  EVERYTHING,
  PresentCallers,
  type Principal,
  refuseEnded,
  type SubjectToken,
} from '../../auth/index.js';
import { Clock, DAY_MS } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { isLong, longTurn } from '../../common/long-work.js';
import { sliceFor } from '../../common/slices.js';
import { Tracing } from '../../common/tracing/tracing.js';
import { AppConfig } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { NO_WORKERS, WorkerWatch } from '../../database/worker-watch.js';
import { passHops } from '../../protocol/hops.js';
import {
  type HubRequest,
  planOf,
  type Route,
  RoutingService,
  type UsedUp,
} from '../../routing/index.js';
import { decideNoWorkerNotice } from '../domain/unsent.js';
import { keyConflict, taskNotFound } from '../domain/task-errors.js';
import type { TaskAggregate } from '../task.js';
import { ContextStore } from '../store/context-store.js';
import { type Created, TaskLog } from '../log/task-log.js';
import type { EnlistedWork } from '../store/prepared-append.js';
import { TaskTokens } from '../store/task-tokens.js';
import type { UsageOwner } from '../store/usage.js';
import { delegatesOf, newTask, type ChosenAgent, type TaskLimits } from './new-task.js';
import { ownerOf, Quotas } from '../quotas/quotas.js';
import { givenKey, idempotencyOf } from './fingerprint.js';
import { namedAgent } from './named-agent.js';
import { tracedRoute } from './route-span.js';
import { checkRelated } from './related-tasks.js';

/** How often a route is chosen again because an agent was deleted meanwhile. */
const MAX_ROUTE_TRIES = 3;
/** Agents that are passed over at most because their limits are used up. */
const MAX_USED_UP = 8;
const USED_UP: ReadonlySet<HubError['reason']> = new Set(['QUOTA_EXCEEDED', 'RATE_LIMITED']);

/** Makes a task of a message: context, route, delegations; all in one commit. */
@Injectable()
export class TaskStarter {
  private readonly limits: TaskLimits;

  constructor(
    private readonly log: TaskLog,
    private readonly contexts: ContextStore,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    @Inject(AgentRegistry) private readonly agents: Pick<
      AgentRegistry,
      'get' | 'refusalOf' | 'registrationsOf'
    >,
    @Inject(RoutingService) private readonly routing: Pick<RoutingService, 'route'>,
    @Inject(HubSettings) private readonly settings: Pick<HubSettings, 'instanceId'>,
    private readonly quotas: Quotas,
    private readonly tokens: TaskTokens,
    @Inject(WorkerWatch) private readonly workers: Pick<WorkerWatch, 'hasNoWorkers'>,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'agents' | 'tasks'>,
    @Inject(Tracing) private readonly tracing: Pick<Tracing, 'isOn' | 'begin'>,
    private readonly present: PresentCallers,
  ) {
    const { maxDurationMs, maxCalls } = config.tasks;
    this.limits = { totalMs: config.agents.totalMs, maxDurationMs, maxCalls };
  }

  /**
   * Creates the task, under `taskId` when the client may choose it. Throws what routing throws,
   * CONFLICT for an idempotency key used otherwise or a chosen id that is taken, and TASK_NOT_FOUND
   * for a related task that the caller does not have; UNAUTHENTICATED when the caller is not valid any more by then; QUOTA_EXCEEDED, RATE_LIMITED, and UNAVAILABLE while the disk is
   * almost full.
   */
  async start(
    request: HubRequest,
    enlisted: readonly EnlistedWork[],
    taskId?: string,
  ): Promise<Created> {
    const check = this.present.checkOf(request);
    await this.refuseLoops(request.hops);
    const key = givenKey(request);
    const first = key === undefined ? undefined : await this.firstCopy(request, key);
    if (first !== undefined) return first;
    try {
      return await this.createAdmitted(request, [check, ...enlisted], taskId);
    } catch (refusal) {
      if (!(refusal instanceof HubError)) throw refusal;
      // The first copy may have come just before, or be known by its message id.
      const joined = await this.firstCopy(request, key);
      if (joined === undefined) throw refusal;
      return joined;
    }
  }

  /**
   * The task of the same request, if that has begun one: whatever has become of its agents and limits since, a copy
   * begins nothing. Without a `key` it is one that is known by its message id.
   */
  private async firstCopy(request: HubRequest, key?: string): Promise<Created | undefined> {
    const { log, clock } = this;
    const { principal, message } = request;
    const known = key === undefined ? undefined : await log.keyHolder(principal.id, key);
    if (key !== undefined && known === undefined) return undefined;
    await (isLong(message) ? longTurn() : sliceFor(message));
    const idempotency = idempotencyOf(request, clock.now());
    if (idempotency === null) return undefined;
    const holder = known ?? (await log.keyHolder(principal.id, idempotency.key));
    if (holder === undefined) return undefined;
    if (holder.fingerprint !== idempotency.fingerprint) throw keyConflict();
    return { kind: 'existing', taskId: holder.taskId };
  }

  private async createAdmitted(
    request: HubRequest,
    enlisted: readonly EnlistedWork[],
    taskId: string | undefined,
  ): Promise<Created> {
    const release = this.quotas.reserveTask(ownerOf(request.principal));
    try {
      return await this.createWithin(request, enlisted, taskId);
    } finally {
      release();
    }
  }

  /** An agent whose limit turns out to be used up is passed over where there is another. */
  private async createWithin(
    request: HubRequest,
    enlisted: readonly EnlistedWork[],
    taskId: string | undefined,
  ): Promise<Created> {
    const usedUp: UsedUp[] = [];
    for (;;) {
      try {
        return await this.create(request, enlisted, taskId, usedUp);
      } catch (error) {
        const found = usedUpOf(error, usedUp);
        if (found === undefined || usedUp.length === MAX_USED_UP) throw error;
        usedUp.push(found);
      }
    }
  }

  private async create(
    request: HubRequest,
    enlisted: readonly EnlistedWork[],
    taskId: string | undefined,
    usedUp: readonly UsedUp[],
  ): Promise<Created> {
    await checkRelated(this.log, request);
    const { log, clock, ids, limits } = this;
    const owner = ownerOf(request.principal);
    const given = request.message.contextId;
    const affinity = given === '' ? [] : await this.affinityOf(given, request.principal);
    const { route, agents } = await this.choose(request, affinity, usedUp);
    const chosen = await Promise.all(
      agents.map(async (each) => ({
        downstreamContextId:
          given === '' ? undefined : await this.downstreamContext(given, owner, each.agent),
        ...each,
      })),
    );
    const now = clock.now();
    const id = taskId ?? ids.next();
    const contextId = given === '' ? ids.next() : given;
    const token = this.neededToken(request.principal, route);
    const keepsToken = token !== undefined;
    const choice = { id, contextId, route, agents: chosen, keepsToken };
    // Its fingerprint and its log are made of its whole text, each in a turn of its own.
    const isLarge = isLong(request.message);
    await (isLarge ? longTurn() : sliceFor(request.message));
    const task = newTask(request, choice, limits, now, ids);
    if (isLarge) await longTurn();
    const begun = task.firstUpdate.begins?.filter(({ state }) => state === 'queued') ?? [];
    // What the commit looks at once more: nothing of an ended call is counted.
    if (request.signal) refuseEnded(request.signal);
    const uncount = this.quotas.hasRates ? await this.quotas.countMessage(owner, begun) : undefined;
    const exact = this.quotas.exactly(owner, begun);
    const all = keepsToken ? [...enlisted, this.tokens.keeping(token)] : enlisted;
    const created = await log.create({ limits: exact, ...task }, all).catch((error: unknown) => {
      if (isUsedUp(error)) uncount?.();
      throw error;
    });
    if (created.kind === 'existing') uncount?.();
    return created.kind === 'created' && this.workers.hasNoWorkers
      ? this.reportNoWorker(created.aggregate)
      : created;
  }

  /** The access token of the caller, when an agent of the route is called with it. */
  private neededToken({ token, organization }: Principal, route: Route): SubjectToken | undefined {
    if (token === undefined) return undefined;
    const isNeeded = planOf(route).some(({ chosen }) =>
      chosen.some(({ agentId }) => {
        const agent = this.agents.get(agentId);
        return agent !== undefined && needsCallersToken(agent, organization);
      }),
    );
    return isNeeded ? token : undefined;
  }

  private downstreamContext(
    contextId: string,
    owner: UsageOwner,
    agent: Agent,
  ): Promise<string | undefined> {
    const registrations = this.agents.registrationsOf(agent);
    return this.contexts.downstream(contextId, owner, agent.id, registrations);
  }

  private affinityOf(contextId: string, principal: Principal): Promise<readonly string[]> {
    const ttlMs = this.config.tasks.contextTtlDays * DAY_MS;
    const since = new Date(this.clock.now().getTime() - ttlMs);
    return this.contexts.affinity(contextId, ownerOf(principal), since);
  }

  /** The client should know that the task waits: it is logged before the task's id is returned. */
  private async reportNoWorker({ record: { id } }: TaskAggregate): Promise<Created> {
    const { log, clock } = this;
    await log.update(id, (task) => ({
      change: decideNoWorkerNotice(task, NO_WORKERS, clock.now()),
      result: undefined,
    }));
    const aggregate = await log.read(id, EVERYTHING);
    if (!aggregate) throw taskNotFound(id);
    return { kind: 'created', aggregate };
  }

  /** The route and its agents; a route is chosen again when one of them was deleted meanwhile. */
  private async choose(
    request: HubRequest,
    affinity: readonly string[],
    usedUp: readonly UsedUp[],
  ): Promise<{ route: Route; agents: Omit<ChosenAgent, 'downstreamContextId'>[] }> {
    for (let tries = 1; ; tries++) {
      const route = await this.route(request, affinity, usedUp);
      const delegates = delegatesOf(route);
      const agents = delegates.flatMap((delegate) => {
        const agent = this.agents.get(delegate.candidate.agentId);
        return agent ? [{ agent, ...delegate }] : [];
      });
      if (agents.length === delegates.length) return { route, agents };
      if (tries === MAX_ROUTE_TRIES) {
        throw new HubError('UNAVAILABLE', 'The registry is changing; send the message again.');
      }
    }
  }

  /** Where a policy keeps the agent that the message names, or the skills of it that are meant, from the caller, the audit log is told; the answer is as for an unknown one. */
  private async route(
    request: HubRequest,
    affinity: readonly string[],
    usedUp: readonly UsedUp[],
  ): Promise<Route> {
    try {
      return await tracedRoute(this.tracing, request, () =>
        this.routing.route(request, affinity, undefined, usedUp),
      );
    } catch (error) {
      const named = namedAgent(request);
      if (!(error instanceof HubError) || error.reason !== 'NO_ROUTE' || named === undefined) {
        throw error;
      }
      const refusal = this.agents.refusalOf(request.principal, named.agentId, named.requested);
      throw refusal === undefined ? error : error.refusedFor(refusal);
    }
  }

  private async refuseLoops(hops: readonly string[]): Promise<void> {
    if (hops.length === 0) return;
    passHops(hops, await this.settings.instanceId(), this.config.tasks.maxHops);
  }
}

/** The agent whose limit refuses the task, unless it is known already. */
function usedUpOf(error: unknown, known: readonly UsedUp[]): UsedUp | undefined {
  if (!isUsedUp(error)) return undefined;
  const { agentId, skillId } = error.metadata;
  if (agentId === undefined) return undefined;
  if (known.some((each) => each.agentId === agentId && each.skillId === skillId)) return undefined;
  return { agentId, ...(skillId !== undefined && { skillId }), refusal: error };
}

function isUsedUp(error: unknown): error is HubError {
  return error instanceof HubError && USED_UP.has(error.reason);
}
