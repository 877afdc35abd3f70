import { PushCommitModule } from './push-commit.module.js';
import {
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AuthModule, Belongings } from '../auth/index.js';
import { AppConfig } from '../config/index.js';
import { SigningModule } from '../signing/index.js';
import { TaskPositionsModule, TasksModule } from '../tasks/index.js';
import { AuthProfileStore } from './auth/auth-profile-store.js';
import { AuthProfilesController } from './auth/auth-profiles.controller.js';
import { AuthProfilesService } from './auth/auth-profiles.service.js';
import { Authenticator } from './auth/authenticator.js';
import { CertificateWatch } from '../common/certificate-watch.js';
import { HubTokens } from './auth/hub-tokens.js';
import { KnownProfiles } from './auth/known-profiles.js';
import { OauthTokens } from './auth/oauth-tokens.js';
import { SqlAuthProfileStore } from './auth/persistence/sql-auth-profile.store.js';
import { SendBudget } from './delivery/send-budget.js';
import { DeliveryCleanup } from './delivery/delivery-cleanup.js';
import { DeliveryWorker } from './delivery/delivery.worker.js';
import { PushMetrics } from './delivery/push-metrics.js';
import { DeliveryReader } from './delivery/delivery-reader.js';
import { StreamRunner } from './delivery/stream-runner.js';
import { SubscriptionReconciler } from './delivery/subscription-reconciler.js';
import { HandoverController } from './owners/handover.controller.js';
import { HandoverService } from './owners/handover.service.js';
import { HeldWebhooks } from './owners/held-webhooks.js';
import { OwnedWebhookStore } from './owners/owned-webhook-store.js';
import { PushData } from './owners/push-data.js';
import { forgetEvents, forgetReceivers } from './owners/persistence/records-of.js';
import { SqlPushData } from './owners/persistence/sql-push-data.js';
import { OwnerReconciler } from './owners/owner-reconciler.js';
import { SqlOwnedWebhookStore } from './owners/persistence/sql-owned-webhook.store.js';
import { EndpointsController } from './receivers/endpoints.controller.js';
import { EndpointsService } from './receivers/endpoints.service.js';
import { ReceiverGate } from './receivers/receiver-gate.js';
import { SqlAttemptTimes } from './delivery/persistence/sql-attempt-times.js';
import { AttemptTimes } from './receivers/attempt-times.js';
import { ReceiverLatencies } from './receivers/receiver-latencies.js';
import { PushEventsController } from './receivers/push-events.controller.js';
import { DeadLettersController } from './records/dead-letters.controller.js';
import { DeliveriesController } from './records/deliveries.controller.js';
import { DeliveryService } from './records/delivery.service.js';
import { SqlPushRetentionStore } from './records/persistence/sql-push-retention.store.js';
import { PushRetentionStore } from './records/push-retention-store.js';
import { PushRetention } from './records/push-retention.js';
import { WebhookRegistration } from './registration/webhook-registration.js';
import { AttemptSender } from './sending/attempt-sender.js';
import { HttpWebhookSender } from './sending/http-webhook.sender.js';
import { TestSender } from './sending/test-sender.js';
import { WebhookSender } from './sending/webhook-sender.js';
import { DeclaredSubscriptions } from './webhooks/declared-subscriptions.service.js';
import { PushConfigService } from './webhooks/push-config.service.js';
import { SubscriptionsController } from './webhooks/subscriptions.controller.js';
import { SubscriptionsService } from './webhooks/subscriptions.service.js';
import { TaskWebhooksController } from './webhooks/task-webhooks.controller.js';
import { TaskWebhooksService } from './webhooks/task-webhooks.service.js';
import { TestSends } from './webhooks/test-sends.js';
import { WebhookChanges } from './webhooks/webhook-changes.js';
import { CleanupStore } from './delivery/cleanup-store.js';
import { SqlCleanupStore } from './delivery/persistence/sql-cleanup.store.js';
import { PoliciesModule } from '../policies/index.js';
import { logOf } from '../common/module-logs.js';

/**
 * Runs the worker and the retention with the application, in every role but `api`, and stops them before
 * the database closes.
 */
@Injectable()
class PushLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly worker: DeliveryWorker,
    private readonly retention: PushRetention,
    private readonly config: AppConfig,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'api') return;
    this.retention.start();
    await this.worker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.worker.stop(), this.retention.stop()]);
  }
}

/** How webhooks prove who sends: the profiles, and what makes a proof for each attempt. */
const AUTH_PROVIDERS = [
  { provide: AuthProfileStore, useClass: SqlAuthProfileStore },
  KnownProfiles,
  AuthProfilesService,
  HubTokens,
  OauthTokens,
  CertificateWatch,
  Authenticator,
];

/** What sends the webhooks. */
const DELIVERY_PROVIDERS = [
  PushMetrics,
  { provide: CleanupStore, useClass: SqlCleanupStore },
  { provide: WebhookSender, useClass: HttpWebhookSender },
  AttemptSender,
  DeliveryReader,
  { provide: SendBudget, useFactory: () => new SendBudget() },
  StreamRunner,
  DeliveryCleanup,
  DeliveryWorker,
];

/** What became of deliveries, and for how long that is kept. */
const RECORD_PROVIDERS = [
  DeliveryService,
  { provide: PushRetentionStore, useClass: SqlPushRetentionStore },
  PushRetention,
];

/** What becomes of the webhooks of principals that are disabled, or have no key any more. */
const OWNER_PROVIDERS = [
  { provide: OwnedWebhookStore, useClass: SqlOwnedWebhookStore },
  { provide: PushData, useClass: SqlPushData },
  OwnerReconciler,
  HandoverService,
  HeldWebhooks,
];

/** The webhooks of tasks and the subscriptions: their API, their file, and what follows from a change. */
const WEBHOOK_PROVIDERS = [
  WebhookRegistration,
  PushConfigService,
  WebhookChanges,
  TaskWebhooksService,
  SubscriptionsService,
  SubscriptionReconciler,
  DeclaredSubscriptions,
  TestSender,
  TestSends,
];

/** Webhooks: who may be sent what, the deliveries and (unless the role is `api`) the worker. */
@Module({
  imports: [
    AuthModule,
    PoliciesModule,
    PushCommitModule,
    SigningModule,
    TaskPositionsModule,
    TasksModule,
  ],
  controllers: [
    AuthProfilesController,
    EndpointsController,
    PushEventsController,
    DeliveriesController,
    DeadLettersController,
    HandoverController,
    TaskWebhooksController,
    SubscriptionsController,
  ],
  providers: [
    logOf('push'),
    ...AUTH_PROVIDERS,
    EndpointsService,
    { provide: AttemptTimes, useClass: SqlAttemptTimes },
    ReceiverLatencies,
    ...DELIVERY_PROVIDERS,
    ...RECORD_PROVIDERS,
    ...OWNER_PROVIDERS,
    ...WEBHOOK_PROVIDERS,
    PushLifecycle,
  ],
  exports: [DeliveryService, EndpointsService, PushConfigService, PushData, TaskWebhooksService],
})
export class PushModule {
  constructor(belongings: Belongings, gate: ReceiverGate) {
    const ofOrganization = 'SELECT id FROM push_webhooks WHERE organization = ?';
    belongings.add('organization', 'webhooks or subscriptions', ofOrganization);
    const profiles = 'SELECT id FROM push_auth_profiles WHERE organization = ?';
    belongings.add('organization', 'auth profiles', profiles);
    const deliveries = 'SELECT id FROM push_deliveries WHERE';
    belongings.add('organization', 'deliveries', `${deliveries} organization = ?`);
    belongings.add('principal', 'deliveries', `${deliveries} principal_id = ?`);
    for (const table of ['push_senders', 'push_reaches']) {
      belongings.addRecords('principal', `DELETE FROM ${table} WHERE principal_id = ?`);
    }
    belongings.addRecords('principal', forgetEvents);
    for (const table of ['push_endpoints', 'push_events']) {
      belongings.addRecords('organization', `DELETE FROM ${table} WHERE organization = ?`);
    }
    belongings.addRecords('organization', function* (tx, id) {
      yield* forgetReceivers(tx, id);
      gate.forget(id);
    });
    const sql = 'SELECT id FROM push_webhooks WHERE principal_id = ?';
    belongings.add('principal', 'webhooks or subscriptions', sql);
    const onOthers = 'SELECT id FROM push_webhooks WHERE set_by = ?';
    belongings.add('principal', 'webhooks on tasks of others', onOthers);
  }
}
