import type { SchemaPart } from '../../database/schema.js';
import { AuthProfileEntity, AuthProfileRevisionEntity } from './auth/auth-profile.entity.js';
import {
  PushEndpointEntity,
  PushEventEntity,
  PushEventCounterEntity,
} from './endpoints/endpoint.entity.js';
import { Push1700000000031 } from './migrations/1700000000031-push.js';
import { PushAuthProfiles1700000000051 } from './migrations/1700000000051-push-auth-profiles.js';
import { PushEndpoints1700000000053 } from './migrations/1700000000053-push-endpoints.js';
import { PushReceivers1700000000070 } from './migrations/1700000000070-push-receivers.js';
import { PushLaneEntity, PushDeliveryEntity, PushAttemptEntity } from './push.entity.js';
import {
  PushReceiverEntity,
  PushSenderEntity,
  PushReachEntity,
} from './receivers/receiver.entity.js';
import { WebhookEntity, WebhookRevisionEntity } from './webhooks/webhook.entity.js';

export const PUSH_SCHEMA: SchemaPart = {
  entities: [
    AuthProfileEntity,
    AuthProfileRevisionEntity,
    PushEndpointEntity,
    PushEventEntity,
    PushEventCounterEntity,
    PushLaneEntity,
    PushDeliveryEntity,
    PushAttemptEntity,
    PushReceiverEntity,
    PushSenderEntity,
    PushReachEntity,
    WebhookEntity,
    WebhookRevisionEntity,
  ],
  migrations: [
    Push1700000000031,
    PushAuthProfiles1700000000051,
    PushEndpoints1700000000053,
    PushReceivers1700000000070,
  ],
};
