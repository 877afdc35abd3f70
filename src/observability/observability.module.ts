import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseMetrics } from './database-metrics.js';
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

/** Probes for whoever runs the hub, and {@link Metrics} for every module. */
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
  ],
  exports: [Metrics, OperationMetrics],
})
export class ObservabilityModule implements OnApplicationShutdown {
  constructor(private readonly metrics: Metrics) {}

  onApplicationShutdown(): void {
    this.metrics.close();
  }
}
