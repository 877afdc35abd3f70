import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { PushModule } from '../push/index.js';
import { TasksModule } from '../tasks/index.js';
import { ExplainController } from './explain.controller.js';

/** The stories of tasks: what is stored of them, told in sentences. */
@Module({
  imports: [AuthModule, PushModule, TasksModule],
  controllers: [ExplainController],
})
export class ExplainModule {}
