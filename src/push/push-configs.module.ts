import {
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { TasksModule } from '../tasks/index.js';
import { DeadLettersController } from './records/dead-letters.controller.js';
import { DeliveriesController } from './records/deliveries.controller.js';
import { DeliveryService } from './records/delivery.service.js';
import { SqlPushRetentionStore } from './records/persistence/sql-push-retention.store.js';
import { PushAuthModule } from './push-auth.module.js';
import { PushConfigService } from './webhooks/push-config.service.js';
import { PushRetention } from './records/push-retention.js';
import { PushRetentionStore } from './records/push-retention-store.js';
import { WebhookRegistration } from './registration/webhook-registration.js';

/** Runs beside the delivery worker, in every role but `api`. */
@Injectable()
class PushRetentionLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly retention: PushRetention,
    private readonly config: AppConfig,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') this.retention.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.retention.stop();
  }
}

/** What clients and operators ask of webhooks and see of them: configs, deliveries, dead letters. */
@Module({
  imports: [AuthModule, PushAuthModule, TasksModule],
  controllers: [DeliveriesController, DeadLettersController],
  providers: [
    { provide: PushRetentionStore, useClass: SqlPushRetentionStore },
    {
      provide: PushRetention,
      inject: [PushRetentionStore, Clock, Log, AppConfig],
      useFactory: (store: PushRetentionStore, clock: Clock, log: Log, config: AppConfig) =>
        new PushRetention(store, clock, log, config.push),
    },
    PushRetentionLifecycle,
    WebhookRegistration,
    PushConfigService,
    DeliveryService,
  ],
  exports: [WebhookRegistration, PushConfigService],
})
export class PushConfigsModule {}
