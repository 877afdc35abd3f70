import type { Agent } from '../../agents/index.js';
import type { Operator, Visibility } from '../../auth/index.js';
import type { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { isEnded } from '../domain/delegation-state.js';
import { decideCancelRequest } from '../domain/task-decisions.js';
import { endedBy } from '../domain/ended-by.js';
import type { Signals } from '../signals.js';
import { belongsTo } from '../task-access.js';
import { taskNotFound } from '../task-errors.js';
import type { TaskLog } from '../task-log.js';
import type { TaskWaits } from '../task-waits.js';
import type { Delegation } from '../task.js';

/** Beyond the agents' own time: for the runner to hear of it and to commit the outcome. */
const MARGIN_MS = 1500;

export interface TaskCancelerDeps {
  readonly log: TaskLog;
  readonly waits: TaskWaits;
  readonly signals: Signals;
  readonly agent: (id: string) => Agent | undefined;
  readonly clock: Clock;
  /** For agents without a budget of their own. */
  readonly cancelWaitMs: number;
}

/** CancelTask: the intent is committed, the runners act on it, and this waits for what comes of it. */
export class TaskCanceler {
  constructor(private readonly deps: TaskCancelerDeps) {}

  /**
   * Resolves when the task has ended, or after the agents' time is over. Asking again is safe: it
   * waits again; the first one's `metadata` goes to the agents, and its `operator` is kept. Throws TASK_NOT_FOUND and
   * TASK_NOT_CANCELABLE.
   */
  async cancel(
    taskId: string,
    visibility: Visibility,
    agentId: string | undefined,
    metadata?: Readonly<Record<string, unknown>>,
    operator?: Operator,
  ): Promise<void> {
    const { signals, waits } = this.deps;
    const running = await this.record(taskId, visibility, agentId, metadata, operator);
    for (const each of running) signals.delegationChanged(each.id);
    if (running.length === 0) return;
    const waitsMs = running.map((each) => this.waitMs(each));
    await waits.ended(taskId, Math.max(...waitsMs) + MARGIN_MS);
  }

  /** Commits the intent; the delegations whose runners cancel them with their agents. */
  private async record(
    taskId: string,
    visibility: Visibility,
    agentId: string | undefined,
    metadata: Readonly<Record<string, unknown>> | undefined,
    operator: Operator | undefined,
  ): Promise<readonly Delegation[]> {
    try {
      return await this.deps.log.update(taskId, (aggregate) => {
        if (!belongsTo(aggregate, visibility, agentId)) throw taskNotFound(taskId);
        const change = decideCancelRequest(aggregate, this.deps.clock.now(), metadata, operator);
        const ended = endedBy(aggregate, change);
        const running = aggregate.delegations.filter(
          (each) => !isEnded(each.state) && !ended.includes(each),
        );
        return { change, result: running };
      });
    } catch (error) {
      const unknown = error instanceof HubError && error.reason === 'TASK_NOT_FOUND';
      throw unknown ? taskNotFound(taskId) : error;
    }
  }

  private waitMs({ agentId }: Delegation): number {
    return this.deps.agent(agentId)?.budgets.cancelWaitMs ?? this.deps.cancelWaitMs;
  }
}
