import type { SchemaPart } from '../../../database/schema.js';
import { WebhookEntity, WebhookRevisionEntity } from './webhook.entity.js';
import { Webhooks1700000000030 } from './migrations/1700000000030-webhooks.js';
import { WebhooksOfProfiles1700000000958 } from './migrations/1700000000958-webhooks-of-profiles.js';
import { DeclaredOwners1700000000976 } from './migrations/1700000000976-declared-owners.js';

export const WEBHOOKS_SCHEMA: SchemaPart = {
  entities: [WebhookEntity, WebhookRevisionEntity],
  migrations: [Webhooks1700000000030, WebhooksOfProfiles1700000000958, DeclaredOwners1700000000976],
};
