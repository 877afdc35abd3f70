import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/index.js';
import { TaskState } from '../../protocol/a2a.js';
import { MOST_LOOKED_AT, type StuckTask, StuckTasks } from '../../tasks/index.js';
import { countOf, durationOf } from '../domain/words.js';
import { fine, type HealthFinding, MOST_TROUBLES, wrong } from './health-check.js';

const NONE_LOOKED_AT = `Of the tasks that were looked at, ${MOST_LOOKED_AT.toLocaleString('en')} of each state at most, none is stuck.`;

/** How the work that the hub has taken on stands. */
@Injectable()
export class WorkHealth {
  constructor(
    private readonly stuck: StuckTasks,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  async tasks(): Promise<HealthFinding> {
    const { submitted, working, isLeast } = await this.stuck.count(null);
    const { stuckQueuedMs, stuckSilentMs } = this.config.tasks;
    const rule = `A task is stuck when no agent has begun it for ${durationOf(stuckQueuedMs)} (tasks.stuckQueued), or nothing was received of it for ${durationOf(stuckSilentMs)} (tasks.stuckSilent).`;
    const total = submitted + working;
    if (total === 0) return fine(`${isLeast ? NONE_LOOKED_AT : 'No task is stuck.'} ${rule}`);
    const least = isLeast ? 'At least ' : '';
    const are = total === 1 ? 'is' : 'are';
    const found = await this.stuck.longest(null, MOST_TROUBLES);
    return wrong(
      'warning',
      `${least}${countOf(total, 'task')} ${are} stuck, ${submitted} submitted and ${working} working. ${rule}`,
      'GET /api/v1/tasks?stuck=true lists them, GET /api/v1/tasks/{id}/explain says what one waits for. POST /api/v1/tasks/{id}:cancel ends one; :retry sends it again after that.',
      found.map((task) => ({ id: task.id, why: this.why(task) })),
    );
  }

  private why({ state, changedAt }: StuckTask): string {
    const time = durationOf(this.clock.now().getTime() - changedAt.getTime());
    return state === TaskState.TASK_STATE_SUBMITTED
      ? `Submitted: no agent has begun it for ${time}.`
      : `Working: nothing was received of it for ${time}.`;
  }
}
