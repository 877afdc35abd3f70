import type { SchemaPart } from '../../database/schema.js';
import { LogLevelEntity } from './log-level.entity.js';
import { LogLevels1700000000910 } from './migrations/1700000000910-log-levels.js';

export const OBSERVABILITY_SCHEMA: SchemaPart = {
  entities: [LogLevelEntity],
  migrations: [LogLevels1700000000910],
};
