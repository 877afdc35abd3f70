import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Activity } from './activity/activity.js';
import { ActivityData } from './activity/activity-data.js';
import { ActivityRecorder } from './activity/activity-recorder.js';
import { ActivityStore } from './activity/activity-store.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { SqlActivityData } from './persistence/sql-activity-data.js';
import { SqlActivityStore } from './persistence/sql-activity.store.js';

/** Probes for whoever runs the hub, and {@link Metrics} and {@link Activity} for every module. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [
    { provide: Metrics, useFactory: () => new Metrics() },
    Activity,
    ActivityRecorder,
    { provide: ActivityStore, useClass: SqlActivityStore },
    { provide: ActivityData, useClass: SqlActivityData },
  ],
  exports: [Metrics, Activity, ActivityStore, ActivityData, ActivityRecorder],
})
export class ObservabilityModule implements OnApplicationShutdown {
  constructor(private readonly metrics: Metrics) {}

  onApplicationShutdown(): void {
    this.metrics.close();
  }
}
