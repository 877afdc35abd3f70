import type { SchemaPart } from '../../database/schema.js';
import { ActivityEntity } from './activity.entity.js';
import { Activity1700000000910 } from './migrations/1700000000910-activity.js';

export const OBSERVABILITY_SCHEMA: SchemaPart = {
  entities: [ActivityEntity],
  migrations: [Activity1700000000910],
};
