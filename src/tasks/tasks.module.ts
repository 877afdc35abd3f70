import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuditModule } from '../audit/index.js';
import { AuthModule, Belongings } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { runLimits } from '../common/capacity.js';
import { Log } from '../common/logger.js';
import { Tracing } from '../common/tracing/tracing.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { LimitsModule } from '../limits/index.js';
import { RoutingModule } from '../routing/index.js';
import { AgentDelegations } from './store/agent-delegations.js';
import { AgentKillController } from './cancel/agent-kill.controller.js';
import { AgentCallbacks } from './callbacks/agent-callbacks.js';
import { CallbackStore } from './callbacks/callback-store.js';
import { ChunkTurns } from './runner/chunk-turns.js';
import { DownstreamCancel } from './runner/downstream-cancel.js';
import { AgentStopper } from './cancel/agent-stopper.js';
import { TaskCanceler } from './cancel/task-canceler.js';
import { ContextStore } from './store/context-store.js';
import { TaskData } from './operations/task-data.js';
import { TaskRecords } from './operations/task-records.js';
import { OwnedTaskRows, OwnedTasks } from './store/owned-tasks.js';
import { TaskDeleter } from './operations/task-deleter.js';
import { GroupCommitTaskLog } from './log/group-commit-task-log.js';
import { InProcessSignals } from './signals/in-process-signals.js';
import { OperateController } from './api/operate.controller.js';
import { EndedTaskNotes } from './persistence/ended-tasks.js';
import { EndedTaskLog } from './audit/ended-task-log.js';
import { TaskMetrics } from './metrics/task-metrics.js';
import { SqlTaskRetries } from './persistence/sql-task-retries.js';
import { TaskRetries } from './store/task-retries.js';
import { SqlStuckTasks } from './persistence/sql-stuck-tasks.js';
import { StuckTasks } from './store/stuck-tasks.js';
import { SqlTaskBacklog } from './persistence/sql-task-backlog.js';
import { TaskBacklog } from './store/task-backlog.js';
import { TaskAudit } from './audit/task-audit.js';
import { TaskOperator } from './operations/task-operator.js';
import { SqlAgentDelegations } from './persistence/sql-agent-delegations.js';
import { SqlCallbackStore } from './persistence/sql-callback.store.js';
import { SqlOwnedTasks } from './persistence/sql-owned-tasks.js';
import { SqlOwnedTaskRows } from './persistence/sql-owned-task-rows.js';
import { ExactLimits } from './persistence/exact-limits.js';
import { SqlTaskTokens } from './persistence/sql-task-tokens.js';
import { SqlConsentRequests } from './persistence/sql-consent-requests.js';
import { ConsentRequests } from './store/consent-requests.js';
import { TaskConsents } from './consents/task-consents.js';
import { SqlUsageStore } from './persistence/sql-usage.store.js';
import { SqlContextStore } from './persistence/sql-context.store.js';
import { SqlTaskStore } from './persistence/sql-task.store.js';
import { CancelPermits } from './capacity/cancel-permits.js';
import { WaitingStreams } from './capacity/waiting-streams.js';
import { RunDeps } from './runner/run-deps.js';
import { TaskCleanup } from './cleanup/task-cleanup.js';
import { TaskRunner } from './runner/task-runner.js';
import { QueueDepth } from './capacity/queue-depth.js';
import { FollowUps } from './send/follow-up.js';
import { TaskStarter } from './send/task-starter.js';
import { Signals } from './signals/signals.js';
import { UpdateWaiters } from './signals/update-waiter.js';
import { TaskLists } from './reading/task-lists.js';
import { TaskLog } from './log/task-log.js';
import { TaskStore } from './store/task-store.js';
import { TaskTokens } from './store/task-tokens.js';
import { TaskStreams } from './reading/task-streams.js';
import { TaskWaits } from './reading/task-waits.js';
import { TaskWorkers } from './task-workers.js';
import { TaskService } from './operations/task.service.js';
import { TaskEventsController } from './api/task-events.controller.js';
import { TaskFollower } from './api/task-follower.js';
import { NotedReads } from './api/noted-reads.js';
import { TaskReaders } from './api/task-readers.js';
import { TasksController } from './api/tasks.controller.js';
import { QuotaLimits } from './quotas/quota-limits.js';
import { Quotas } from './quotas/quotas.js';
import { UsageController } from './quotas/usage.controller.js';
import { UsageLedger } from './quotas/usage-ledger.js';
import { UsageMetrics } from './quotas/usage-metrics.js';
import { LimitLevels } from './store/limit-levels.js';
import { LimitUsage } from './quotas/limit-usage.js';
import { OwnUsage } from './quotas/own-usage.js';
import { LimitMetrics } from './quotas/limit-metrics.js';
import { LimitWarnings } from './quotas/limit-warnings.js';
import { NearLimits } from './quotas/near-limits.js';
import { TaskActivity } from './quotas/task-activity.js';
import { OpenWork } from './store/open-work.js';
import { SqlOpenWork } from './persistence/sql-open-work.js';
import { WorkLoad } from './reading/work-load.js';
import { UsageStore } from './store/usage-store.js';
import { logOf, ModuleLogs } from '../common/module-logs.js';

/** All that tasks are made of, but for what runs with the application. */
export const TASK_PROVIDERS = [
  { provide: TaskStore, useClass: SqlTaskStore },
  { provide: ContextStore, useClass: SqlContextStore },
  { provide: CallbackStore, useClass: SqlCallbackStore },
  { provide: AgentDelegations, useClass: SqlAgentDelegations },
  { provide: TaskTokens, useClass: SqlTaskTokens },
  { provide: ConsentRequests, useClass: SqlConsentRequests },
  TaskConsents,
  { provide: UsageStore, useClass: SqlUsageStore },
  { provide: Signals, useClass: InProcessSignals },
  {
    provide: TaskLog,
    inject: [TaskStore, Signals, Clock, Log, Database, AppConfig, Tracing],
    useFactory: (
      store: TaskStore,
      signals: Signals,
      clock: Clock,
      log: Log,
      { soleProcess }: Database,
      { tasks }: AppConfig,
      tracing: Tracing,
    ) =>
      new GroupCommitTaskLog(
        store,
        signals,
        clock,
        log,
        soleProcess,
        tasks.maxSizeBytes,
        undefined,
        tracing,
      ),
  },
  {
    provide: EndedTaskNotes,
    inject: [AppConfig],
    useFactory: ({ audit, log }: AppConfig) => new EndedTaskNotes(audit.tasks || log.tasks),
  },
  {
    provide: EndedTaskLog,
    inject: [ModuleLogs],
    useFactory: (logs: ModuleLogs) => new EndedTaskLog(logs.plain('tasks')),
  },
  ExactLimits,
  { provide: LimitLevels, useExisting: ExactLimits },
  AgentCallbacks,
  { provide: ChunkTurns, inject: [Clock], useFactory: (clock: Clock) => new ChunkTurns(clock) },
  DownstreamCancel,
  AgentStopper,
  { provide: CancelPermits, useFactory: () => new CancelPermits() },
  {
    provide: WaitingStreams,
    inject: [AppConfig],
    useFactory: ({ tasks }: AppConfig) => new WaitingStreams(runLimits(tasks).runs),
  },
  FollowUps,
  QuotaLimits,
  Quotas,
  RunDeps,
  TaskCleanup,
  TaskCanceler,
  TaskDeleter,
  TaskLists,
  TaskOperator,
  TaskRunner,
  TaskService,
  TaskStarter,
  TaskStreams,
  TaskWaits,
  UpdateWaiters,
  UsageLedger,
  QueueDepth,
  TaskAudit,
  { provide: OwnedTasks, useClass: SqlOwnedTasks },
  TaskRecords,
  { provide: OwnedTaskRows, useClass: SqlOwnedTaskRows },
  TaskData,
];

const OPEN_WORK = { provide: OpenWork, useClass: SqlOpenWork };

/**
 * Tasks. The `AppendParticipant` comes from the root module, under its global token: without it
 * the store cannot be made, so nothing can be appended before it is there.
 */
@Module({
  imports: [AuditModule, AuthModule, LimitsModule, AgentsModule, RoutingModule],
  controllers: [
    TasksController,
    TaskEventsController,
    OperateController,
    UsageController,
    AgentKillController,
  ],
  providers: [
    logOf('tasks'),
    ...TASK_PROVIDERS,
    { provide: TaskBacklog, useClass: SqlTaskBacklog },
    { provide: StuckTasks, useClass: SqlStuckTasks },
    { provide: TaskRetries, useClass: SqlTaskRetries },
    TaskMetrics,
    UsageMetrics,
    LimitUsage,
    LimitMetrics,
    LimitWarnings,
    OwnUsage,
    NearLimits,
    OPEN_WORK,
    WorkLoad,
    TaskActivity,
    TaskFollower,
    NotedReads,
    TaskReaders,
    TaskWorkers,
  ],
  exports: [
    AgentCallbacks,
    TaskConsents,
    TaskService,
    TaskStore,
    TaskLog,
    ContextStore,
    Signals,
    TaskData,
    NearLimits,
    WorkLoad,
    StuckTasks,
    TaskRetries,
  ],
})
export class TasksModule {
  constructor(belongings: Belongings) {
    belongings.add('principal', 'tasks', 'SELECT id FROM tasks WHERE principal_id = ?');
    belongings.add('organization', 'tasks', 'SELECT id FROM tasks WHERE organization = ?');
    // What a principal has begun today counts for its organization as well, and stays.
    belongings.addRecords('organization', 'DELETE FROM task_usage WHERE organization = ?');
    belongings.addRecords('principal', 'DELETE FROM idempotency_keys WHERE principal_id = ?');
  }
}
