import type { SchemaPart } from '../../../database/schema.js';
import { DeliveryStreamEntity, PushAttemptEntity, PushDeliveryEntity } from './delivery.entity.js';
import { DeliveryStreams1700000000031 } from './migrations/1700000000031-delivery-streams.js';
import { LostLetters1700000000950 } from './migrations/1700000000950-lost-letters.js';
import { RoundedAttempts1700000000945 } from './migrations/1700000000945-rounded-attempts.js';

export const DELIVERY_SCHEMA: SchemaPart = {
  entities: [DeliveryStreamEntity, PushAttemptEntity, PushDeliveryEntity],
  migrations: [
    DeliveryStreams1700000000031,
    RoundedAttempts1700000000945,
    LostLetters1700000000950,
  ],
};
