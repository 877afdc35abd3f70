import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseMetrics } from './database-metrics.js';
import { Activity } from './activity/activity.js';
import { ActivityData } from './activity/activity-data.js';
import { ActivityRecorder } from './activity/activity-recorder.js';
import { ActivityStore } from './activity/activity-store.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { LogLevelStore } from './log-level-store.js';
import { LogLevels } from './log-levels.js';
import { LoggingController } from './logging.controller.js';
import { SqlLogLevelStore } from './persistence/sql-log-level.store.js';
import { Metrics } from './metrics.js';
import { OperationMetrics } from './operation-metrics.js';
import { ProcessMetrics } from './process-metrics.js';
import { logOf } from '../common/module-logs.js';
import { SqlActivityData } from './persistence/sql-activity-data.js';
import { SqlActivityStore } from './persistence/sql-activity.store.js';

/** Probes for whoever runs the hub, and {@link Metrics} and {@link Activity} for every module. */
@Global()
@Module({
  controllers: [HealthController, LoggingController, MetricsController],
  providers: [
    logOf('observability'),
    { provide: Metrics, useFactory: () => new Metrics() },
    { provide: LogLevelStore, useClass: SqlLogLevelStore },
    LogLevels,
    OperationMetrics,
    DatabaseMetrics,
    ProcessMetrics,
    Activity,
    ActivityRecorder,
    { provide: ActivityStore, useClass: SqlActivityStore },
    { provide: ActivityData, useClass: SqlActivityData },
  ],
  exports: [Metrics, OperationMetrics, Activity, ActivityStore, ActivityData, ActivityRecorder],
})
export class ObservabilityModule implements OnApplicationShutdown {
  constructor(private readonly metrics: Metrics) {}

  onApplicationShutdown(): void {
    this.metrics.close();
  }
}
