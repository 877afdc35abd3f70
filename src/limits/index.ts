export { LimitsModule } from './limits.module.js';
export { readDeclaredLimits } from './declared-limits.js';
export { LimitData } from './limit-data.js';
export { type LeastCount, LimitCounters } from './limit-counters.js';
export { LimitRegistry } from './limit-registry.js';
export {
  type AppliedLimit,
  counterOf,
  isBudget,
  isKnownLater,
  monthOf,
  isAlmostUsedUp,
  isUsedUp,
  nameOf,
  periodEnd,
  periodOf,
  usedUp,
} from './domain/applied-limit.js';
export { RequestRates } from './request-rates.js';
export { PriceRegistry, readDeclaredPrices } from './price-registry.js';
export {
  type Charge,
  Spending,
  SPENDING_GROUPS,
  type SpendingGroup,
  type SpendingPlace,
  type SpendingSum,
} from './spending.js';
export { MAX_REPORTED, MILLION, PriceList, type ReportedUsage } from './domain/price.js';
export {
  type Amount,
  amountsOf,
  type Limit,
  type LimitKind,
  LIMIT_KINDS,
  NO_SUBJECT,
  type LimitSubject,
  subjectOf,
  targetOf,
} from './domain/limit.js';
