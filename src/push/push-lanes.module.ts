import { Global, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule, PrincipalHolds } from '../auth/index.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { AppendParticipant } from '../tasks/index.js';
import { DeliveryStore } from './records/delivery-store.js';
import { EndpointStore } from './receivers/endpoint-store.js';
import { endpointRules } from './receivers/endpoint-rules.js';
import { EventAnnouncer } from './receivers/event-announcer.js';
import { LaneStore } from './delivery/delivery-stream-store.js';
import { SqlDeliveryStore } from './records/persistence/sql-delivery.store.js';
import { SqlEndpointStore } from './receivers/persistence/sql-endpoint.store.js';
import { SqlLaneStore } from './delivery/persistence/sql-delivery-stream.store.js';
import { SqlWebhookStore } from './webhooks/persistence/sql-webhook.store.js';
import { PushAppendParticipant } from './delivery/push-append.participant.js';
import { WebhookStore } from './webhooks/webhook-store.js';
import type { TaskWebhook } from './registration/webhook.js';
import { ReceiversModule } from './push-receivers.module.js';
import { ReceiverGate } from './receivers/receiver-gate.js';
import { PushWakeup } from './delivery/push-wakeup.js';
import { SubscriptionDirectory } from './registration/subscription-directory.js';
import { SubscriptionLanes } from './delivery/subscription-streams.js';

/**
 * What webhooks keep in the database, and what takes part in every append. It needs nothing of the
 * tasks, so that the tasks can need {@link AppendParticipant}.
 */
@Global()
@Module({
  imports: [AgentsModule, AuthModule, ReceiversModule],
  providers: [
    { provide: WebhookStore, useClass: SqlWebhookStore },
    { provide: EventAnnouncer, inject: [Log], useFactory: (log: Log) => new EventAnnouncer(log) },
    {
      provide: LaneStore,
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
        const few = Math.min(rules.maxSlots, push.unverified.atOnce);
        const maxSlotsOf = (webhook: TaskWebhook): number =>
          gate.isFree(webhook) ? rules.maxSlots : few;
        return new SqlLaneStore(database, ids, rules, events, holds, maxSlotsOf);
      },
    },
    { provide: EndpointStore, useClass: SqlEndpointStore },
    { provide: DeliveryStore, useClass: SqlDeliveryStore },
    SubscriptionDirectory,
    SubscriptionLanes,
    { provide: AppendParticipant, useClass: PushAppendParticipant },
    PushWakeup,
  ],
  exports: [
    WebhookStore,
    LaneStore,
    EndpointStore,
    EventAnnouncer,
    DeliveryStore,
    SubscriptionDirectory,
    AppendParticipant,
    PushWakeup,
  ],
})
export class PushLanesModule {}
