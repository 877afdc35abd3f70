import {
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { WebhookEgress } from '../common/egress/webhook-egress.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { AppConfig, PublicUrl } from '../config/index.js';
import { Database } from '../database/database.js';
import { TaskLog, TasksModule } from '../tasks/index.js';
import { AttemptSender } from './sending/attempt-sender.js';
import { Authenticator } from './auth/authenticator.js';
import { PushAuthModule } from './push-auth.module.js';
import { TaskWebhooksController } from './webhooks/task-webhooks.controller.js';
import { TestSends } from './webhooks/test-sends.js';
import { DeliveryUpkeep } from './delivery/delivery-cleanup.js';
import { DeliveryWorker } from './delivery/delivery.worker.js';
import { longestWaitMs } from './receivers/endpoint-rules.js';
import { EndpointStore } from './receivers/endpoint-store.js';
import { EndpointsController } from './receivers/endpoints.controller.js';
import { EndpointsService } from './receivers/endpoints.service.js';
import { PushEventsController } from './receivers/push-events.controller.js';
import { PushMetrics } from './delivery/push-metrics.js';
import { HttpWebhookSender } from './sending/http-webhook.sender.js';
import { TestSender } from './sending/test-sender.js';
import { LaneReader } from './delivery/stream-reader.js';
import { LaneRunner } from './delivery/stream-runner.js';
import { LaneStore } from './delivery/delivery-stream-store.js';
import { HandoverController } from './owners/handover.controller.js';
import { HandoverService } from './owners/handover.service.js';
import { HeldWebhooks } from './owners/held-webhooks.js';
import { OwnedWebhookStore } from './owners/owned-webhook-store.js';
import { OwnerUpkeep } from './owners/owner-reconciler.js';
import { SqlOwnedWebhookStore } from './owners/persistence/sql-owned-webhook.store.js';
import { PushConfigsModule } from './push-configs.module.js';
import { PushLanesModule } from './push-lanes.module.js';
import { PushWakeup } from './delivery/push-wakeup.js';
import { DeclaredSubscriptions } from './webhooks/declared-subscriptions.service.js';
import { TaskWebhooksService } from './webhooks/task-webhooks.service.js';
import { WebhookChanges } from './webhooks/webhook-changes.js';
import { SubscriptionUpkeep } from './delivery/subscription-reconciler.js';
import { SubscriptionsController } from './webhooks/subscriptions.controller.js';
import { SubscriptionsService } from './webhooks/subscriptions.service.js';
import { ReceiversModule } from './push-receivers.module.js';
import { ReceiverGate } from './receivers/receiver-gate.js';
import { WebhookSender } from './sending/webhook-sender.js';

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
    inject: [WebhookEgress, Clock, AppConfig],
    useFactory: (egress: WebhookEgress, clock: Clock, config: AppConfig) =>
      new HttpWebhookSender(egress, clock, config.push),
  },
  {
    provide: AttemptSender,
    inject: [WebhookSender, Authenticator, SecretBox, AppConfig],
    useFactory: (
      sender: WebhookSender,
      authenticator: Authenticator,
      secrets: SecretBox,
      config: AppConfig,
    ) => new AttemptSender(sender, authenticator, secrets, config.push),
  },
  {
    provide: LaneReader,
    inject: [TaskLog, AppConfig, PublicUrl],
    useFactory: (log: TaskLog, config: AppConfig, address: PublicUrl) =>
      new LaneReader(log, {
        maxBytes: config.push.maxBodyBytes,
        // The address a worker listens on serves no A2A.
        get publicUrl() {
          return config.publicUrl ?? (config.role === 'worker' ? null : address.listening);
        },
      }),
  },
  {
    provide: LaneRunner,
    inject: [
      LaneStore,
      LaneReader,
      AttemptSender,
      Clock,
      IdSource,
      Log,
      AppConfig,
      PushMetrics,
      ReceiverGate,
    ],
    useFactory: (
      lanes: LaneStore,
      reader: LaneReader,
      sender: AttemptSender,
      clock: Clock,
      ids: IdSource,
      log: Log,
      config: AppConfig,
      metrics: PushMetrics,
      gate: ReceiverGate,
    ) => new LaneRunner(lanes, reader, sender, clock, ids, log, config.push, metrics, gate),
  },
  {
    provide: DeliveryUpkeep,
    inject: [LaneStore, EndpointStore, Log, AppConfig],
    useFactory: (lanes: LaneStore, endpoints: EndpointStore, log: Log, { push }: AppConfig) =>
      new DeliveryUpkeep(lanes, endpoints, log, { ...push, longestWaitMs: longestWaitMs(push) }),
  },
  {
    provide: DeliveryWorker,
    inject: [
      IdSource,
      LaneStore,
      LaneRunner,
      DeliveryUpkeep,
      PushWakeup,
      Clock,
      Log,
      AppConfig,
      Database,
    ],
    useFactory: (
      ids: IdSource,
      lanes: LaneStore,
      runner: LaneRunner,
      upkeep: DeliveryUpkeep,
      wakeup: PushWakeup,
      clock: Clock,
      log: Log,
      config: AppConfig,
      database: Database,
    ) =>
      new DeliveryWorker(ids.next(), lanes, runner, upkeep, wakeup, clock, log, {
        ...config.push,
        alone: database.dialect === 'sqlite',
      }),
  },
  DeliveryWorkerLifecycle,
];

/** Standing subscriptions: their API, their file, and what follows from a change of one. */
const SUBSCRIPTION_PROVIDERS = [
  SubscriptionUpkeep,
  SubscriptionsService,
  WebhookChanges,
  TaskWebhooksService,
  DeclaredSubscriptions,
];

/** What becomes of the webhooks of principals that are disabled, or have no key any more. */
const OWNER_PROVIDERS = [
  { provide: OwnedWebhookStore, useClass: SqlOwnedWebhookStore },
  OwnerUpkeep,
  HandoverService,
  HeldWebhooks,
];

/** Webhooks: their configs, their deliveries, and (unless the role is `api`) the worker. */
@Module({
  imports: [
    AuthModule,
    PushAuthModule,
    PushConfigsModule,
    PushLanesModule,
    ReceiversModule,
    TasksModule,
  ],
  controllers: [
    EndpointsController,
    PushEventsController,
    TaskWebhooksController,
    SubscriptionsController,
    HandoverController,
  ],
  providers: [
    ...SUBSCRIPTION_PROVIDERS,
    ...OWNER_PROVIDERS,
    TestSender,
    TestSends,
    EndpointsService,
    PushMetrics,
    ...WORKER_PROVIDERS,
  ],
  exports: [PushConfigsModule],
})
export class PushModule {}
