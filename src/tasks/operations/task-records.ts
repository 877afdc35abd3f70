import { Injectable } from '@nestjs/common';
import { EVERYTHING } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { countWork, longTurn } from '../../common/long-work.js';
import {
  type DataOwner,
  type DataRecord,
  type DataRemoval,
  OwnedData,
} from '../../common/owned-data.js';
import { Task, TaskState } from '../../protocol/a2a.js';
import { TaskCanceler } from '../cancel/task-canceler.js';
import { decideEndAtOnce } from '../domain/end-at-once.js';
import { OWNER_DELETED } from '../domain/operator-actions.js';
import { TaskLog } from '../log/task-log.js';
import { type OwnedTask, OwnedTasks } from '../store/owned-tasks.js';
import { TaskStore } from '../store/task-store.js';
import type { TaskAggregate } from '../task.js';
import { TaskDeleter } from './task-deleter.js';

/** Ids read at once. */
const WALKED = 500;
/** Tasks that are canceled at once. */
const CANCELED = 64;
/** Tasks deleted in one piece, and read between two turns of other work. */
const PIECE = 16;

/** The tasks themselves, with all that follows them: log, artifacts, delegations and the webhooks set on them. */
@Injectable()
export class TaskRecords extends OwnedData {
  readonly kind = 'tasks';
  readonly tables = [
    'tasks',
    'task_events',
    'task_checkpoints',
    'task_texts',
    'delegations',
    'ended_tasks',
    'task_tokens',
    'consent_requests',
  ];

  constructor(
    private readonly owned: OwnedTasks,
    private readonly store: TaskStore,
    private readonly log: TaskLog,
    private readonly canceler: TaskCanceler,
    private readonly deleter: TaskDeleter,
    private readonly clock: Clock,
  ) {
    super();
  }

  async count(owner: DataOwner): Promise<number> {
    let count = 0;
    for (const which of ['open', 'ended'] as const) {
      for await (const tasks of this.walk(owner, which)) count += tasks.length;
    }
    return count;
  }

  /** The open ones first: a task that changes meanwhile is neither missed nor in it twice. */
  async *records(owner: DataOwner): AsyncGenerator<readonly DataRecord[]> {
    const open = new Set<string>();
    for await (const tasks of this.walk(owner, 'open')) for (const { id } of tasks) open.add(id);
    yield* this.loaded([...open]);
    for await (const tasks of this.walk(owner, 'ended')) {
      yield* this.loaded(tasks.map(({ id }) => id).filter((id) => !open.has(id)));
    }
  }

  /** Cancels those that are open, and ends those that have not ended when the time of their agents is over. */
  override async end(owner: DataOwner, _: DataRemoval, signal: AbortSignal): Promise<void> {
    for (let after: OwnedTask | undefined; !signal.aborted;) {
      const tasks: readonly OwnedTask[] = await this.owned.some(owner, 'open', CANCELED, after);
      await Promise.all(tasks.map(({ id }) => this.endOne(id)));
      after = tasks.at(-1);
      if (after === undefined) return;
    }
  }

  async delete(owner: DataOwner): Promise<number> {
    const tasks = await this.owned.some(owner, 'ended', PIECE);
    await Promise.all(tasks.map(({ id }) => this.deleteOne(id)));
    return tasks.length;
  }

  private async endOne(id: string): Promise<void> {
    try {
      await this.canceler.cancel(id, EVERYTHING, undefined, undefined, 'owner-deleted');
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      // It has ended, or is gone.
      if (error.reason === 'TASK_NOT_FOUND' || error.reason === 'TASK_NOT_CANCELABLE') return;
      throw error;
    }
    await this.log.update(id, (aggregate) => ({
      change: decideEndAtOnce(aggregate, this.clock.now(), OWNER_DELETED),
      result: undefined,
    }));
  }

  private async deleteOne(id: string): Promise<void> {
    try {
      await this.deleter.delete(id, EVERYTHING, true);
    } catch (error) {
      if (!(error instanceof HubError) || error.reason !== 'TASK_NOT_FOUND') throw error;
    }
  }

  private async *loaded(ids: readonly string[]): AsyncGenerator<readonly DataRecord[]> {
    for (const [index, id] of ids.entries()) {
      if (index % PIECE === 0) await longTurn();
      const record = await countWork(async () => {
        const aggregate = await this.store.load(id, EVERYTHING);
        return aggregate && recordOf(aggregate);
      });
      if (record !== undefined) yield [record];
    }
  }

  private async *walk(
    owner: DataOwner,
    which: 'open' | 'ended',
  ): AsyncGenerator<readonly OwnedTask[]> {
    for (let after: OwnedTask | undefined; ;) {
      await longTurn();
      const tasks: readonly OwnedTask[] = await this.owned.some(owner, which, WALKED, after);
      if (tasks.length > 0) yield tasks;
      after = tasks.at(-1);
      if (after === undefined || tasks.length < WALKED) return;
    }
  }
}

/** What agents call the task themselves is not in it. */
function recordOf({ record, task, delegations }: TaskAggregate): DataRecord {
  const { id, organization, principalId, contextId, state, createdAt, updatedAt } = record;
  const { requestMetadata, cancelMetadata } = record;
  return {
    ...{ id, organization, principalId, contextId, state: TaskState[state], createdAt, updatedAt },
    ...{ requestMetadata, cancelMetadata },
    delegations: delegations.map((each) => ({
      ...{ id: each.id, agentId: each.agentId, skillId: each.skillId, state: each.state },
      ...{ reason: each.reason, calls: each.calls, createdAt: each.createdAt },
    })),
    task: Task.toJSON(task),
  };
}
