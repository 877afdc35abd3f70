import { Module } from '@nestjs/common';
import { SqlTaskPositions } from './persistence/sql-task-positions.js';
import { TaskPositions } from './store/task-positions.js';
import { logOf } from '../common/module-logs.js';

/** Apart from the tasks' own module, which needs what takes part in an append, and that needs this. */
@Module({
  providers: [logOf('tasks'), { provide: TaskPositions, useClass: SqlTaskPositions }],
  exports: [TaskPositions],
})
export class TaskPositionsModule {}
