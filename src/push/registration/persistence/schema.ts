import type { SchemaPart } from '../../../database/schema.js';
import { WebhookEntity, WebhookRevisionEntity } from './webhook.entity.js';
import { Webhooks1700000000030 } from './migrations/1700000000030-webhooks.js';

export const WEBHOOKS_SCHEMA: SchemaPart = {
  entities: [WebhookEntity, WebhookRevisionEntity],
  migrations: [Webhooks1700000000030],
};
