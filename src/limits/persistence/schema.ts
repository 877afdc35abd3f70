import type { SchemaPart } from '../../database/schema.js';
import { LimitCounterEntity, LimitEntity, LimitRevisionEntity } from './limit.entity.js';
import { Limits1700000000850 } from './migrations/1700000000850-limits.js';

export const LIMITS_SCHEMA: SchemaPart = {
  entities: [LimitEntity, LimitRevisionEntity, LimitCounterEntity],
  migrations: [Limits1700000000850],
};
