import {
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { Egress } from '../common/egress/egress.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { AppConfig, PublicUrl } from '../config/index.js';
import { Database } from '../database/database.js';
import { TaskLog, TasksModule } from '../tasks/index.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveryService } from './delivery.service.js';
import { DeliveryWorker } from './delivery.worker.js';
import { HttpWebhookSender } from './http-webhook.sender.js';
import { LaneReader } from './lane-reader.js';
import { LaneRunner } from './lane-runner.js';
import { LaneStore } from './lane-store.js';
import { PushConfigService } from './push-config.service.js';
import { PushLanesModule } from './push-lanes.module.js';
import { PushWakeup } from './push-wakeup.js';
import { WebhookSender } from './webhook-sender.js';

/**
 * Runs the worker with the application, in every role but `api`, and stops it before the database
 * closes.
 */
@Injectable()
class DeliveryWorkerLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly worker: DeliveryWorker,
    private readonly config: AppConfig,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role !== 'api') await this.worker.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.worker.stop();
  }
}

const WORKER_PROVIDERS = [
  {
    provide: WebhookSender,
    inject: [Egress, Clock, AppConfig],
    useFactory: (egress: Egress, clock: Clock, config: AppConfig) =>
      new HttpWebhookSender(egress, clock, config.push),
  },
  {
    provide: LaneReader,
    inject: [TaskLog, AppConfig, PublicUrl],
    useFactory: (log: TaskLog, config: AppConfig, address: PublicUrl) =>
      new LaneReader(log, {
        maxBytes: config.push.maxBodyBytes,
        // The address a worker listens on has no doors.
        get publicUrl() {
          return config.publicUrl ?? (config.role === 'worker' ? null : address.listening);
        },
      }),
  },
  {
    provide: LaneRunner,
    inject: [LaneStore, LaneReader, WebhookSender, SecretBox, Clock, IdSource, Log, AppConfig],
    useFactory: (
      lanes: LaneStore,
      reader: LaneReader,
      sender: WebhookSender,
      secrets: SecretBox,
      clock: Clock,
      ids: IdSource,
      log: Log,
      config: AppConfig,
    ) => new LaneRunner(lanes, reader, sender, secrets, clock, ids, log, config.push),
  },
  {
    provide: DeliveryWorker,
    inject: [IdSource, LaneStore, LaneRunner, PushWakeup, Clock, Log, AppConfig, Database],
    useFactory: (
      ids: IdSource,
      lanes: LaneStore,
      runner: LaneRunner,
      wakeup: PushWakeup,
      clock: Clock,
      log: Log,
      config: AppConfig,
      database: Database,
    ) =>
      new DeliveryWorker(ids.next(), lanes, runner, wakeup, clock, log, {
        ...config.push,
        alone: database.dialect === 'sqlite',
      }),
  },
  DeliveryWorkerLifecycle,
];

/** Webhooks: their configs, their deliveries, and (unless the role is `api`) the worker. */
@Module({
  imports: [AuthModule, PushLanesModule, TasksModule],
  controllers: [DeliveriesController],
  providers: [PushConfigService, DeliveryService, ...WORKER_PROVIDERS],
  exports: [PushConfigService],
})
export class PushModule {}
