import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseMetrics } from './database-metrics.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { OperationMetrics } from './operation-metrics.js';
import { ProcessMetrics } from './process-metrics.js';

/** Probes for whoever runs the hub, and {@link Metrics} for every module. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [
    { provide: Metrics, useFactory: () => new Metrics() },
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
