import { Inject, Injectable } from '@nestjs/common';
import { AgentRegistry, budgetsOf } from '../../agents/index.js';
import type { Visibility } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { isEnded } from '../domain/delegation-state.js';
import type { Canceler } from '../domain/operator-actions.js';
import { decideCancelRequest } from '../domain/task-decisions.js';
import { endedBy } from '../domain/ended-by.js';
import { AppConfig } from '../../config/index.js';
import { Signals } from '../signals/signals.js';
import { belongsTo } from '../store/visibility.js';
import { taskNotFound } from '../domain/task-errors.js';
import { TaskLog } from '../log/task-log.js';
import { TaskWaits } from '../reading/task-waits.js';
import type { Delegation } from '../task.js';

/** Beyond the agents' own time: for the runner to be notified and to commit the outcome. */
const MARGIN_MS = 1500;

/** CancelTask: commits the intent, which the runners act on, and waits for the outcome. */
@Injectable()
export class TaskCanceler {
  constructor(
    private readonly log: TaskLog,
    private readonly waits: TaskWaits,
    private readonly signals: Signals,
    @Inject(AgentRegistry) private readonly agents: Pick<AgentRegistry, 'known'>,
    private readonly clock: Clock,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'agents'>,
  ) {}

  /**
   * Resolves when the task has ended, or when the agents' time is over. Safe to repeat: it waits again; the
   * `metadata` of the first call goes to the agents, and who asked instead of the client (`by`) is kept. Throws TASK_NOT_FOUND,
   * TASK_NOT_CANCELABLE and, for more than 64 KiB of metadata, INVALID_PARAMS.
   */
  async cancel(
    taskId: string,
    visibility: Visibility,
    agentId: string | undefined,
    metadata?: Readonly<Record<string, unknown>>,
    by?: Canceler,
  ): Promise<void> {
    const { signals, waits } = this;
    const running = await this.record(taskId, visibility, agentId, metadata, by);
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
    by: Canceler | undefined,
  ): Promise<readonly Delegation[]> {
    try {
      return await this.log.update(taskId, (aggregate) => {
        if (!belongsTo(aggregate, visibility, agentId)) throw taskNotFound(taskId);
        const change = decideCancelRequest(aggregate, this.clock.now(), metadata, by);
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
    return budgetsOf(this.agents.known(agentId), this.config.agents).cancelWaitMs;
  }
}
