import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { PushModule } from '../push/index.js';
import { TasksModule } from '../tasks/index.js';
import { ExplainController } from './explain.controller.js';
import { CalleeHealth } from './health/callee-health.js';
import { DatabaseTime } from './health/database-time.js';
import { HealthDetails } from './health/health-details.js';
import { HealthDetailsController } from './health/health-details.controller.js';
import { HubHealth } from './health/hub-health.js';
import { TroubledReceivers } from './health/troubled-receivers.js';
import { WorkHealth } from './health/work-health.js';
import { Overview } from './overview/overview.js';
import { OverviewController } from './overview/overview.controller.js';
import { SqlDatabaseTime } from './persistence/sql-database-time.js';
import { logOf } from '../common/module-logs.js';

/** What became of tasks and how the hub stands, told in sentences. */
@Module({
  imports: [AgentsModule, AuthModule, PushModule, TasksModule],
  controllers: [ExplainController, OverviewController, HealthDetailsController],
  providers: [
    logOf('explain'),
    { provide: DatabaseTime, useClass: SqlDatabaseTime },
    HubHealth,
    WorkHealth,
    TroubledReceivers,
    CalleeHealth,
    HealthDetails,
    Overview,
  ],
})
export class ExplainModule {}
