import { Global, Module } from '@nestjs/common';
import { SecretBox } from '../common/secret-box.js';
import { AppendParticipant } from '../tasks/index.js';
import { DeliveryStore } from './delivery-store.js';
import { LaneStore } from './lane-store.js';
import { SqlDeliveryStore } from './persistence/sql-delivery.store.js';
import { SqlLaneStore } from './persistence/sql-lane.store.js';
import { SqlPushConfigStore } from './persistence/sql-push-config.store.js';
import { PushAppendParticipant } from './push-append.participant.js';
import { PushConfigStore } from './push-config-store.js';
import { PushWakeup } from './push-wakeup.js';

/**
 * What webhooks keep in the database, and what takes part in every append. It needs nothing of the
 * tasks, so that the tasks can need {@link AppendParticipant}.
 */
@Global()
@Module({
  providers: [
    { provide: PushConfigStore, useClass: SqlPushConfigStore },
    { provide: LaneStore, useClass: SqlLaneStore },
    { provide: DeliveryStore, useClass: SqlDeliveryStore },
    { provide: AppendParticipant, useClass: PushAppendParticipant },
    PushWakeup,
    SecretBox,
  ],
  exports: [PushConfigStore, LaneStore, DeliveryStore, AppendParticipant, PushWakeup, SecretBox],
})
export class PushLanesModule {}
