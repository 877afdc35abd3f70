import type { Agent } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import type { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import type { IdSource } from '../../common/ids.js';
import { isLong, longTurn } from '../../common/long-work.js';
import { NO_WORKERS, type WorkerWatch } from '../../database/worker-watch.js';
import { passHops } from '../../protocol/hops.js';
import type { HubRequest, Route } from '../../routing/index.js';
import { decideUnworkedTold } from '../domain/unsent.js';
import { taskNotFound } from '../task-errors.js';
import type { TaskAggregate } from '../task.js';
import type { ContextStore } from '../context-store.js';
import type { Created, TaskLog } from '../task-log.js';
import type { Alongside } from '../task-store.js';
import { delegatesOf, newTask, type ChosenAgent, type TaskLimits } from './new-task.js';
import { ownerOf, type Quotas } from '../usage/quotas.js';
import { idempotencyOf } from './fingerprint.js';
import { checkRelated } from './related-tasks.js';

/** How often a route is chosen again because an agent was deleted meanwhile. */
const MAX_ROUTE_TRIES = 3;

/** What starting a task needs of the other modules. */
export interface TaskStarterDeps {
  readonly log: TaskLog;
  readonly contexts: ContextStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly agent: (id: string) => Agent | undefined;
  readonly route: (request: HubRequest, affinity: readonly string[]) => Promise<Route>;
  /** This hub's own id. */
  readonly instanceId: () => Promise<string>;
  readonly limits: TaskLimits;
  /** A message that has passed so many hubs goes no further. */
  readonly maxHops: number;
  readonly quotas: Quotas;
  readonly workers: Pick<WorkerWatch, 'hasNoWorkers'>;
}

/** Makes a task of a message: context, route, delegations; all in one commit. */
export class TaskStarter {
  constructor(private readonly deps: TaskStarterDeps) {}

  /**
   * Creates the task, under `taskId` when the client may choose it. Throws what routing throws,
   * CONFLICT for an idempotency key used otherwise or a chosen id that is taken, and TASK_NOT_FOUND
   * for a related task that the caller does not have; QUOTA_EXCEEDED, and UNAVAILABLE while the disk is
   * almost full.
   */
  async start(
    request: HubRequest,
    alongside: readonly Alongside[],
    taskId?: string,
  ): Promise<Created> {
    await this.refuseLoops(request.hops);
    const release = await this.admit(request);
    try {
      return await this.create(request, alongside, taskId);
    } finally {
      release();
    }
  }

  /** A request whose first copy has begun a task is let through: it begins nothing. */
  private async admit(request: HubRequest): Promise<() => void> {
    const { log, clock, quotas } = this.deps;
    try {
      return quotas.reserveTask(ownerOf(request.principal));
    } catch (refusal) {
      const idempotency = idempotencyOf(request, clock.now());
      const key = idempotency?.key;
      if (key === undefined || !(await log.keyHolder(request.principal.id, key))) throw refusal;
      return () => undefined;
    }
  }

  private async create(
    request: HubRequest,
    alongside: readonly Alongside[],
    taskId?: string,
  ): Promise<Created> {
    await checkRelated(this.deps.log, request);
    const { log, contexts, clock, ids, limits } = this.deps;
    const { id: principalId } = request.principal;
    const given = request.message.contextId;
    const context = given === '' ? undefined : await contexts.get(given, principalId);
    const { route, agents } = await this.choose(request, context?.affinity ?? []);
    const chosen = await Promise.all(
      agents.map(async (each) => ({
        ...each,
        downstreamContextId:
          given === '' ? undefined : await contexts.downstream(given, principalId, each.agent.id),
      })),
    );
    const now = clock.now();
    const id = taskId ?? ids.next();
    const contextId = given === '' ? ids.next() : given;
    const input = { id, contextId, request, route, agents: chosen, limits };
    // Its fingerprint and its log are made of its whole text, each in a turn of its own.
    const isLarge = isLong(request.message);
    if (isLarge) await longTurn();
    const task = newTask(input, now, ids);
    if (isLarge) await longTurn();
    const created = await log.create(task, alongside);
    return created.kind === 'created' && this.deps.workers.hasNoWorkers
      ? this.sayThatNobodyWorks(created.aggregate)
      : created;
  }

  /** Who looks at the task is not to wait without a word; it is in the log before the task's id is told. */
  private async sayThatNobodyWorks({ record: { id } }: TaskAggregate): Promise<Created> {
    const { log, clock } = this.deps;
    await log.update(id, (task) => ({
      change: decideUnworkedTold(task, NO_WORKERS, clock.now()),
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
  ): Promise<{ route: Route; agents: Omit<ChosenAgent, 'downstreamContextId'>[] }> {
    for (let tries = 1; ; tries++) {
      const route = await this.deps.route(request, affinity);
      const delegates = delegatesOf(route);
      const agents = delegates.flatMap((delegate) => {
        const agent = this.deps.agent(delegate.candidate.agentId);
        return agent ? [{ ...delegate, agent }] : [];
      });
      if (agents.length === delegates.length) return { route, agents };
      if (tries === MAX_ROUTE_TRIES) {
        throw new HubError('UNAVAILABLE', 'The registry is changing; send the message again.');
      }
    }
  }

  private async refuseLoops(hops: readonly string[]): Promise<void> {
    if (hops.length === 0) return;
    passHops(hops, await this.deps.instanceId(), this.deps.maxHops);
  }
}
