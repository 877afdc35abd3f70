import type { SchemaPart } from '../../../database/schema.js';
import { PushEndpointEntity, PushEventCounterEntity, PushEventEntity } from './endpoint.entity.js';
import { PushReachEntity, PushReceiverEntity, PushSenderEntity } from './receiver.entity.js';
import { PushEndpoints1700000000053 } from './migrations/1700000000053-push-endpoints.js';
import { PushReceivers1700000000070 } from './migrations/1700000000070-push-receivers.js';

export const RECEIVERS_SCHEMA: SchemaPart = {
  entities: [
    PushEndpointEntity,
    PushEventCounterEntity,
    PushEventEntity,
    PushReachEntity,
    PushReceiverEntity,
    PushSenderEntity,
  ],
  migrations: [PushEndpoints1700000000053, PushReceivers1700000000070],
};
