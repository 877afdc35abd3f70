import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { runLimits } from '../../common/capacity.js';
import { Clock } from '../../common/clock.js';
import { KeptValue } from '../../common/kept-value.js';
import { AppConfig } from '../../config/index.js';
import { Metrics } from '../../observability/metrics.js';
import { nameOfState } from '../../protocol/task-state.js';
import { TaskAudit } from '../audit/task-audit.js';
import { TaskRunner } from '../runner/task-runner.js';
import type { EndedTask } from '../store/ended-task.js';
import { type StuckCount, StuckTasks } from '../store/stuck-tasks.js';
import { type OpenTasks, TaskBacklog } from '../store/task-backlog.js';
import { TaskStore } from '../store/task-store.js';

/** The database is asked no more often than this, however often metrics are read. */
const FRESH_MS = 15_000;
/** What was found is shown no longer. */
const KEPT_MS = 60_000;
const DURATIONS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 21600, 86400];
const WAITS = [0.001, 0.01, 0.1, 0.5, 1, 5, 30, 120, 600, 3600];

/** Tasks as numbers: how many begin and end, how long they take and wait, and which are stuck. */
@Injectable()
export class TaskMetrics implements OnModuleInit {
  private readonly backlog: KeptValue<readonly OpenTasks[]>;
  private readonly stuck: KeptValue<StuckCount>;

  constructor(
    private readonly metrics: Metrics,
    @Inject(TaskStore) private readonly store: Pick<TaskStore, 'onUsed'>,
    @Inject(TaskAudit) private readonly ends: Pick<TaskAudit, 'onEnded'>,
    @Inject(TaskRunner) private readonly runner: Pick<TaskRunner, 'onBegun'>,
    backlog: TaskBacklog,
    stuck: StuckTasks,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {
    const rules = { freshMs: FRESH_MS, keptMs: KEPT_MS, failureMs: 0 };
    this.backlog = new KeptValue({ read: () => backlog.read(), ...rules }, clock);
    this.stuck = new KeptValue({ read: () => stuck.count(null), ...rules }, clock);
  }

  onModuleInit(): void {
    this.countTasks();
    this.readBacklog();
    this.timeTasks();
    this.metrics.gauge(
      'delegations_max',
      'The most delegations this process runs at once; the sum of agent_outstanding against it shows how full it is.',
      [],
      (give) => give({}, runLimits(this.config.tasks).runs),
    );
  }

  private countTasks(): void {
    const { metrics } = this;
    const begun = metrics.counter('tasks_begun_total', 'Tasks that this process has begun.', []);
    const ended = metrics.counter(
      'tasks_ended_total',
      'Tasks that have ended in this process, by state.',
      ['state'],
    );
    this.store.onUsed((changes) => {
      for (const change of changes) {
        if (change.begun > 0) begun.inc(change.begun);
        for (const [state, count] of change.ended ?? []) {
          // What is deleted is taken away from what has ended.
          if (count > 0) ended.inc({ state: nameOfState(state) }, count);
        }
      }
    });
  }

  private readBacklog(): void {
    const { metrics } = this;
    metrics.gauge(
      'tasks_in_state',
      'Open tasks of the whole hub by state, up to 10000 of each.',
      ['state'],
      (give) => this.each(({ state, count }) => give({ state: nameOfState(state) }, count)),
    );
    metrics.gauge(
      'tasks_oldest_status_seconds',
      'Seconds since the newest status of that open task of the whole hub whose status is oldest, by state; 0 for none.',
      ['state'],
      (give) =>
        this.each(({ state, oldestAt }) => {
          const now = this.clock.now().getTime();
          const ms = oldestAt === null ? 0 : Math.max(0, now - oldestAt.getTime());
          give({ state: nameOfState(state) }, ms / 1000);
        }),
    );
    metrics.gauge(
      'tasks_stuck',
      'Tasks of the whole hub, up to 1000 of each state, that no agent has begun within tasks.stuckQueued (submitted), or of which nothing was received for tasks.stuckSilent (working).',
      ['state'],
      async (give) => {
        const { submitted, working } = await this.stuck.get();
        give({ state: 'submitted' }, submitted);
        give({ state: 'working' }, working);
      },
    );
  }

  private timeTasks(): void {
    const { metrics } = this;
    const durations = metrics.histogram(
      'task_duration_seconds',
      'Seconds from the beginning of a task to its end, by state.',
      ['state'],
      DURATIONS,
    );
    this.ends.onEnded((task: EndedTask) => {
      const ms = task.statusAt.getTime() - task.createdAt.getTime();
      durations.observe({ state: nameOfState(task.state) }, Math.max(0, ms) / 1000);
    });
    const waits = metrics.histogram(
      'delegation_queue_seconds',
      'Seconds a delegation was queued until this process took it on.',
      [],
      WAITS,
    );
    this.runner.onBegun((queuedMs) => waits.observe(queuedMs / 1000));
  }

  private async each(use: (tasks: OpenTasks) => void): Promise<void> {
    (await this.backlog.get()).forEach(use);
  }
}
