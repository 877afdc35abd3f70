import { Global, Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { Database } from '../database/database.js';
import { AppendParticipant } from '../tasks/index.js';
import { DeliveryStore } from './delivery-store.js';
import { EndpointStore } from './endpoints/endpoint-store.js';
import { endpointRules } from './endpoints/endpoint-rules.js';
import { PushEvents } from './endpoints/push-events.js';
import { LaneStore } from './lane-store.js';
import { SqlDeliveryStore } from './persistence/sql-delivery.store.js';
import { SqlEndpointStore } from './persistence/sql-endpoint.store.js';
import { SqlLaneStore } from './persistence/sql-lane.store.js';
import { SqlPushConfigStore } from './persistence/sql-push-config.store.js';
import { SqlSubscriptionStore } from './persistence/sql-subscription.store.js';
import { PushAppendParticipant } from './push-append.participant.js';
import { PushConfigStore } from './push-config-store.js';
import { PushWakeup } from './push-wakeup.js';
import { SubscriptionDirectory } from './subscriptions/subscription-directory.js';
import { SubscriptionLanes } from './subscriptions/subscription-lanes.js';
import { SubscriptionStore } from './subscriptions/subscription-store.js';

/**
 * What webhooks keep in the database, and what takes part in every append. It needs nothing of the
 * tasks, so that the tasks can need {@link AppendParticipant}.
 */
@Global()
@Module({
  imports: [AgentsModule],
  providers: [
    { provide: PushConfigStore, useClass: SqlPushConfigStore },
    { provide: PushEvents, inject: [Log], useFactory: (log: Log) => new PushEvents(log) },
    {
      provide: LaneStore,
      inject: [Database, IdSource, AppConfig, PushEvents],
      useFactory: (database: Database, ids: IdSource, config: AppConfig, events: PushEvents) =>
        new SqlLaneStore(database, ids, endpointRules(config.push), events),
    },
    { provide: EndpointStore, useClass: SqlEndpointStore },
    { provide: DeliveryStore, useClass: SqlDeliveryStore },
    { provide: SubscriptionStore, useClass: SqlSubscriptionStore },
    SubscriptionDirectory,
    SubscriptionLanes,
    { provide: AppendParticipant, useClass: PushAppendParticipant },
    PushWakeup,
  ],
  exports: [
    PushConfigStore,
    LaneStore,
    EndpointStore,
    PushEvents,
    DeliveryStore,
    SubscriptionStore,
    SubscriptionDirectory,
    AppendParticipant,
    PushWakeup,
  ],
})
export class PushLanesModule {}
