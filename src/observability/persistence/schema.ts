import type { SchemaPart } from '../../database/schema.js';
import { ActivityEntity } from './activity.entity.js';
import { LogLevelEntity } from './log-level.entity.js';
import { LogLevels1700000000910 } from './migrations/1700000000910-log-levels.js';
import { Activity1700000000912 } from './migrations/1700000000912-activity.js';

export const OBSERVABILITY_SCHEMA: SchemaPart = {
  entities: [ActivityEntity, LogLevelEntity],
  migrations: [LogLevels1700000000910, Activity1700000000912],
};
