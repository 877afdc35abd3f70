import { Global, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule, PrincipalHolds } from '../auth/index.js';
import { IdSource } from '../common/ids.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { AppendParticipant, TaskPositionsModule } from '../tasks/index.js';
import { DeliveryStreamStore } from './delivery/delivery-stream-store.js';
import { SqlDeliveryStreamStore } from './delivery/persistence/sql-delivery-stream.store.js';
import { PushAppendParticipant } from './delivery/persistence/push-append.participant.js';
import { PushWakeup } from './delivery/push-wakeup.js';
import { SubscriptionStreams } from './delivery/subscription-streams.js';
import { endpointRules } from './receivers/endpoint-rules.js';
import { EndpointStore } from './receivers/endpoint-store.js';
import { EventAnnouncer } from './receivers/event-announcer.js';
import { SqlWaitingStreams } from './delivery/persistence/sql-waiting-streams.js';
import { WaitingStreams } from './receivers/waiting-streams.js';
import { SqlEndpointStore } from './receivers/persistence/sql-endpoint.store.js';
import { SqlReceiverStore } from './receivers/persistence/sql-receiver.store.js';
import { ReceiverChallenge } from './receivers/receiver-challenge.js';
import { ReceiverGate } from './receivers/receiver-gate.js';
import { ReceiverStore } from './receivers/receiver-store.js';
import { DeliveryStore } from './records/delivery-store.js';
import { SqlDeliveryStore } from './records/persistence/sql-delivery.store.js';
import { SubscriptionDirectory } from './registration/subscription-directory.js';
import { type TaskWebhook } from './registration/webhook.js';
import { SqlWebhookStore } from './webhooks/persistence/sql-webhook.store.js';
import { WebhookStore } from './webhooks/webhook-store.js';
import { SqlSubscriptionStore } from './registration/persistence/sql-subscription.store.js';
import { SubscriptionStore } from './registration/subscription-store.js';
import { SqlSubscriptionStreamStore } from './delivery/persistence/sql-subscription-stream.store.js';
import { SubscriptionStreamStore } from './delivery/subscription-stream-store.js';
import { logOf } from '../common/module-logs.js';

/**
 * What webhooks keep in the database, and what takes part in every append. It needs nothing of the
 * tasks' module, so that the tasks can need {@link AppendParticipant}.
 */
@Global()
@Module({
  imports: [AgentsModule, AuthModule, TaskPositionsModule],
  providers: [
    logOf('push'),
    { provide: ReceiverStore, useClass: SqlReceiverStore },
    ReceiverChallenge,
    ReceiverGate,
    { provide: WebhookStore, useClass: SqlWebhookStore },
    EventAnnouncer,
    {
      provide: DeliveryStreamStore,
      inject: [Database, IdSource, AppConfig, EventAnnouncer, PrincipalHolds, ReceiverGate],
      useFactory: (
        database: Database,
        ids: IdSource,
        { push }: AppConfig,
        events: EventAnnouncer,
        holds: PrincipalHolds,
        gate: ReceiverGate,
      ) => {
        const rules = endpointRules(push);
        const maxConcurrencyOf = (webhook: TaskWebhook): number =>
          gate.maxConcurrencyOf(webhook, rules.maxConcurrency);
        return new SqlDeliveryStreamStore(database, ids, rules, events, holds, maxConcurrencyOf);
      },
    },
    { provide: WaitingStreams, useClass: SqlWaitingStreams },
    { provide: EndpointStore, useClass: SqlEndpointStore },
    { provide: DeliveryStore, useClass: SqlDeliveryStore },
    SubscriptionDirectory,
    SubscriptionStreams,
    { provide: AppendParticipant, useClass: PushAppendParticipant },
    PushWakeup,
    { provide: SubscriptionStore, useClass: SqlSubscriptionStore },
    { provide: SubscriptionStreamStore, useClass: SqlSubscriptionStreamStore },
  ],
  exports: [
    AppendParticipant,
    DeliveryStore,
    EndpointStore,
    EventAnnouncer,
    DeliveryStreamStore,
    PushWakeup,
    ReceiverGate,
    SubscriptionDirectory,
    SubscriptionStore,
    SubscriptionStreamStore,
    WebhookStore,
  ],
})
export class PushCommitModule {}
