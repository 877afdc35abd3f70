import { Module } from '@nestjs/common';
import { AgentLoad, AgentsModule, AgentsService } from '../agents/index.js';
import { AuthModule, PrincipalStore } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { DiskWatch } from '../database/disk-watch.js';
import { HubSettings } from '../database/hub-settings.js';
import { RoutingModule } from '../routing/index.js';
import { AppendParticipant } from './append-participant.js';
import { AgentDelegations } from './agent-delegations.js';
import { AgentKillController } from './agent-kill.controller.js';
import { AgentCallbacks } from './callbacks/agent-callbacks.js';
import { CallbackStore } from './callbacks/callback-store.js';
import { AgentStopper } from './cancel/agent-stopper.js';
import { ContextStore } from './context-store.js';
import { TaskDeleter } from './delete/task-deleter.js';
import { GroupCommitTaskLog } from './group-commit-task-log.js';
import { InProcessSignals } from './in-process-signals.js';
import { OperateController } from './operate/operate.controller.js';
import { TaskOperator } from './operate/task-operator.js';
import { SqlAgentDelegations } from './persistence/sql-agent-delegations.js';
import { SqlCallbackStore } from './persistence/sql-callback.store.js';
import { SqlContextStore } from './persistence/sql-context.store.js';
import { SqlTaskStore } from './persistence/sql-task.store.js';
import { Sweeper } from './runner/sweeper.js';
import { TaskRunner } from './runner/task-runner.js';
import { WaitingLine } from './runner/waiting-line.js';
import { Signals } from './signals.js';
import { TaskLists } from './task-lists.js';
import { TaskLog } from './task-log.js';
import { TaskStore } from './task-store.js';
import {
  agentCallbacks,
  agentStopper,
  partsOf,
  sweeper,
  TASK_PARTS,
  taskLists,
  taskOperator,
  taskRunner,
  taskService,
  usageLedger,
  waitingLine,
} from './task-wiring.js';
import { TaskWorkers } from './task-workers.js';
import { TaskService } from './task.service.js';
import { QuotaLimits } from './usage/quota-limits.js';
import { Quotas, roomOf } from './usage/quotas.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageLedger } from './usage/usage-ledger.js';
import { UsageMetrics } from './usage/usage-metrics.js';
import { UsageStore } from './usage/usage-store.js';
import { UsageModule } from './usage.module.js';
import { TasksController } from './tasks.controller.js';

const PARTS = Symbol('the parts of tasks');

/**
 * Tasks. The {@link AppendParticipant} comes from the root module, under its global token: without it
 * the store cannot be made, so nothing can be appended before it is there.
 */
@Module({
  imports: [AuthModule, AgentsModule, RoutingModule, UsageModule],
  controllers: [TasksController, OperateController, UsageController, AgentKillController],
  providers: [
    {
      provide: TaskStore,
      inject: [Database, AppendParticipant, UsageStore],
      useFactory: (database: Database, participant: AppendParticipant, usage: UsageStore) =>
        new SqlTaskStore(database, participant, usage),
    },
    {
      provide: QuotaLimits,
      inject: [AppConfig, DiskWatch],
      useFactory: ({ quotas }: AppConfig, disk: DiskWatch) =>
        new QuotaLimits(quotas, () => roomOf(disk)),
    },
    {
      provide: UsageLedger,
      inject: [TaskStore, UsageStore, QuotaLimits, Clock, Log],
      useFactory: usageLedger,
    },
    {
      provide: Quotas,
      inject: [UsageLedger, DiskWatch],
      useFactory: (ledger: UsageLedger, disk: DiskWatch) => new Quotas(ledger, disk),
    },
    {
      provide: ContextStore,
      inject: [Database],
      useFactory: (database: Database) => new SqlContextStore(database),
    },
    {
      provide: CallbackStore,
      inject: [Database],
      useFactory: (database: Database) => new SqlCallbackStore(database),
    },
    {
      provide: AgentDelegations,
      inject: [Database],
      useFactory: (database: Database) => new SqlAgentDelegations(database),
    },
    {
      provide: WaitingLine,
      inject: [TaskStore, AgentDelegations, AgentLoad, Clock, Log, Database],
      useFactory: waitingLine,
    },
    {
      provide: AgentStopper,
      inject: [PARTS, AgentDelegations, AgentsService],
      useFactory: agentStopper,
    },
    { provide: Signals, useClass: InProcessSignals },
    {
      provide: AgentCallbacks,
      inject: [AppConfig, Database, HubSettings, CallbackStore, Signals, Clock, Log],
      useFactory: agentCallbacks,
    },
    {
      provide: TaskLog,
      inject: [Database, TaskStore, Signals, Clock, Log, AppConfig],
      useFactory: (
        { dialect }: Database,
        store: TaskStore,
        signals: Signals,
        clock: Clock,
        log: Log,
        { tasks }: AppConfig,
      ) =>
        new GroupCommitTaskLog(
          store,
          signals,
          clock,
          log,
          undefined,
          dialect === 'sqlite',
          tasks.maxSizeBytes,
        ),
    },
    { provide: PARTS, inject: TASK_PARTS, useFactory: partsOf },
    {
      provide: TaskDeleter,
      inject: [TaskStore, TaskLog, Clock],
      useFactory: (store: TaskStore, log: TaskLog, clock: Clock) =>
        new TaskDeleter(store, log, clock),
    },
    { provide: TaskLists, inject: [PARTS], useFactory: taskLists },
    { provide: TaskService, inject: [PARTS, TaskLists], useFactory: taskService },
    {
      provide: TaskOperator,
      inject: [PARTS, TaskService, PrincipalStore],
      useFactory: taskOperator,
    },
    { provide: TaskRunner, inject: [PARTS], useFactory: taskRunner },
    { provide: Sweeper, inject: [PARTS], useFactory: sweeper },
    UsageMetrics,
    TaskWorkers,
  ],
  exports: [AgentCallbacks, TaskService, TaskStore, TaskLog, ContextStore, Signals],
})
export class TasksModule {}
