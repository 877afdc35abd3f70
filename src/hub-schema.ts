import { AGENTS_SCHEMA } from './agents/persistence/schema.js';
import { AUDIT_SCHEMA } from './audit/persistence/schema.js';
import { AUTH_SCHEMA } from './auth/persistence/schema.js';
import { OWN_SCHEMA } from './database/own-schema.js';
import { Schema } from './database/schema.js';
import { LIMITS_SCHEMA } from './limits/persistence/schema.js';
import { OBSERVABILITY_SCHEMA } from './observability/persistence/schema.js';
import { POLICIES_SCHEMA } from './policies/persistence/schema.js';
import { PUSH_AUTH_SCHEMA } from './push/auth/persistence/schema.js';
import { DATA_SCHEMA } from './data/persistence/schema.js';
import { DELIVERY_SCHEMA } from './push/delivery/persistence/schema.js';
import { RECEIVERS_SCHEMA } from './push/receivers/persistence/schema.js';
import { WEBHOOKS_SCHEMA } from './push/registration/persistence/schema.js';
import { ROUTING_SCHEMA } from './routing/persistence/schema.js';
import { SIGNING_SCHEMA } from './signing/persistence/schema.js';
import { TASKS_SCHEMA } from './tasks/persistence/schema.js';

/** Every table of the hub. */
export const HUB_SCHEMA = new Schema([
  OWN_SCHEMA,
  OBSERVABILITY_SCHEMA,
  SIGNING_SCHEMA,
  AUDIT_SCHEMA,
  AUTH_SCHEMA,
  POLICIES_SCHEMA,
  LIMITS_SCHEMA,
  AGENTS_SCHEMA,
  ROUTING_SCHEMA,
  TASKS_SCHEMA,
  PUSH_AUTH_SCHEMA,
  RECEIVERS_SCHEMA,
  WEBHOOKS_SCHEMA,
  DELIVERY_SCHEMA,
  DATA_SCHEMA,
]);
