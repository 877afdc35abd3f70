import { HubError, invalidField } from '../../common/hub-error.js';
import { keyConflict } from '../task-errors.js';
import type { Claimer, Created } from '../task-log.js';
import type { Alongside, AppendOutcome } from '../task-store.js';
import type { Delegation, NewTask } from '../task.js';
import type { LiveTask, Taken } from './live-task.js';
import { newLiveTask } from './new-live-task.js';
import { TaskTooLargeError, TOO_LARGE_MESSAGE } from './room.js';

/** A new task on its way to its first commit. */
export class TaskCreation {
  readonly live: LiveTask;
  private readonly task: NewTask;
  /** Who gets its delegations with the commit. */
  private claimer: Claimer | null = null;
  private reserved: readonly Delegation[] = [];

  /** `bodies`: what its first events are logged as, where that is written already. */
  constructor(
    task: NewTask,
    alongside: readonly Alongside[],
    now: Date,
    maxSize: number,
    bodies: readonly string[] | undefined,
    private readonly resolve: (created: Created) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.task = task;
    try {
      this.live = newLiveTask(this.task, now, maxSize, bodies);
    } catch (error) {
      if (error instanceof TaskTooLargeError) throw invalidField('message', TOO_LARGE_MESSAGE);
      throw error;
    }
    this.live.accompany(alongside, this.task.idempotency);
  }

  prepare(claimer: Claimer | null, now: Date): Taken {
    const queued = this.live.aggregate.delegations.filter(({ state }) => state === 'queued');
    if (claimer !== null && queued.length > 0 && claimer.reserve(queued)) {
      this.claimer = claimer;
      this.reserved = queued;
      this.live.claimQueued(claimer.owner, new Date(now.getTime() + claimer.leaseMs));
    }
    return this.live.take(this.task, []);
  }

  /** Tells the caller how it ended; true when the task exists now. */
  settle(outcome: AppendOutcome): boolean {
    if (outcome.kind === 'committed') {
      this.live.committed();
      this.resolve({ kind: 'created', aggregate: this.live.snapshot() });
      return true;
    }
    this.claimer?.release(this.reserved);
    if (outcome.kind === 'duplicate' && outcome.sameRequest) {
      this.resolve({ kind: 'existing', taskId: outcome.taskId });
    } else {
      this.reject(this.refusal(outcome));
    }
    return false;
  }

  /** Hands the delegations to who claimed them, after the commit was made known. */
  handOver(): void {
    const { delegations } = this.live.aggregate;
    const claimed = delegations.filter((each) => each.owner !== null);
    this.claimer?.claimed(claimed.map((each) => ({ ...each, adopted: false })));
  }

  fail(error: unknown): void {
    this.claimer?.release(this.reserved);
    this.reject(error);
  }

  private refusal(outcome: Exclude<AppendOutcome, { kind: 'committed' }>): HubError {
    switch (outcome.kind) {
      case 'duplicate':
        return keyConflict();
      case 'poisoned':
        // What belongs to the commit (a webhook's configuration, say) may refuse it with a reason.
        if (outcome.cause instanceof HubError) return outcome.cause;
        return new HubError('INTERNAL', 'The task cannot be stored.', { cause: outcome.cause });
      default:
        return new HubError('CONFLICT', `a task ${this.task.id} exists already`);
    }
  }
}
