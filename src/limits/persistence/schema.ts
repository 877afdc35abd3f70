import type { SchemaPart } from '../../database/schema.js';
import { LimitCounterEntity, LimitEntity, LimitRevisionEntity } from './limit.entity.js';
import { Limits1700000000850 } from './migrations/1700000000850-limits.js';
import { Spending1700000000852 } from './migrations/1700000000852-spending.js';
import { LimitsOfOwners1700000000885 } from './migrations/1700000000885-limits-of-owners.js';
import { SpendingEntity } from './spending.entity.js';

export const LIMITS_SCHEMA: SchemaPart = {
  entities: [LimitEntity, LimitRevisionEntity, LimitCounterEntity, SpendingEntity],
  migrations: [Limits1700000000850, Spending1700000000852, LimitsOfOwners1700000000885],
};
