import type { SchemaPart } from '../../database/schema.js';
import { LimitCounterEntity, LimitEntity, LimitRevisionEntity } from './limit.entity.js';
import { Limits1700000000850 } from './migrations/1700000000850-limits.js';
import { RequestRates1700000000853 } from './migrations/1700000000853-request-rates.js';
import { Spending1700000000852 } from './migrations/1700000000852-spending.js';
import { LimitsOfOwners1700000000885 } from './migrations/1700000000885-limits-of-owners.js';
import { RequestRateEntity } from './request-rate.entity.js';
import { SpendingEntity } from './spending.entity.js';

export const LIMITS_SCHEMA: SchemaPart = {
  entities: [
    LimitEntity,
    LimitRevisionEntity,
    LimitCounterEntity,
    SpendingEntity,
    RequestRateEntity,
  ],
  migrations: [
    Limits1700000000850,
    Spending1700000000852,
    RequestRates1700000000853,
    LimitsOfOwners1700000000885,
  ],
};
