import type { SchemaPart } from '../../database/schema.js';
import { Policies1700000000700 } from './migrations/1700000000700-policies.js';
import { PolicyEntity, PolicyRevisionEntity, PolicyVersionEntity } from './policy.entity.js';

export const POLICIES_SCHEMA: SchemaPart = {
  entities: [PolicyEntity, PolicyVersionEntity, PolicyRevisionEntity],
  migrations: [Policies1700000000700],
};
