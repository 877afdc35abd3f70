import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Probes for whoever runs the hub, and {@link Metrics} for every module. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [{ provide: Metrics, useFactory: () => new Metrics() }],
  exports: [Metrics],
})
export class ObservabilityModule implements OnApplicationShutdown {
  constructor(private readonly metrics: Metrics) {}

  onApplicationShutdown(): void {
    this.metrics.close();
  }
}
