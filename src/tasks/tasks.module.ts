import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { RoutingModule } from '../routing/index.js';
import { AppendParticipant } from './append-participant.js';
import { ContextStore } from './context-store.js';
import { GroupCommitTaskLog } from './group-commit-task-log.js';
import { InProcessSignals } from './in-process-signals.js';
import { TypeormContextStore } from './persistence/typeorm-context.store.js';
import { TypeormTaskStore } from './persistence/typeorm-task.store.js';
import { Sweeper } from './runner/sweeper.js';
import { TaskRunner } from './runner/task-runner.js';
import { Signals } from './signals.js';
import { TaskLists } from './task-lists.js';
import { TaskLog } from './task-log.js';
import { TaskStore } from './task-store.js';
import { partsOf, sweeper, TASK_PARTS, taskLists, taskRunner, taskService } from './task-wiring.js';
import { TaskWorkers } from './task-workers.js';
import { TaskService } from './task.service.js';
import { TasksController } from './tasks.controller.js';

const PARTS = Symbol('the parts of tasks');

/**
 * Tasks. The {@link AppendParticipant} comes from the root module, under its global token: without it
 * the store cannot be made, so nothing can be appended before it is there.
 */
@Module({
  imports: [AuthModule, AgentsModule, RoutingModule],
  controllers: [TasksController],
  providers: [
    {
      provide: TaskStore,
      inject: [Database, AppendParticipant],
      useFactory: (database: Database, participant: AppendParticipant) =>
        new TypeormTaskStore(database, participant),
    },
    {
      provide: ContextStore,
      inject: [Database],
      useFactory: (database: Database) => new TypeormContextStore(database),
    },
    { provide: Signals, useClass: InProcessSignals },
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
    { provide: TaskLists, inject: [PARTS], useFactory: taskLists },
    { provide: TaskService, inject: [PARTS, TaskLists], useFactory: taskService },
    { provide: TaskRunner, inject: [PARTS], useFactory: taskRunner },
    { provide: Sweeper, inject: [PARTS], useFactory: sweeper },
    TaskWorkers,
  ],
  exports: [TaskService, TaskStore, TaskLog, ContextStore, Signals],
})
export class TasksModule {}
