export { LimitsModule } from './limits.module.js';
export { readDeclaredLimits } from './declared-limits.js';
export { LimitData } from './limit-data.js';
export { LimitCounters } from './limit-counters.js';
export { LimitRegistry } from './limit-registry.js';
export {
  type AppliedLimit,
  counterOf,
  isAlmostUsedUp,
  isUsedUp,
  nameOf,
  periodEnd,
  periodOf,
  usedUp,
} from './domain/applied-limit.js';
export {
  type Limit,
  type LimitKind,
  LIMIT_KINDS,
  NO_SUBJECT,
  type LimitSubject,
  targetOf,
} from './domain/limit.js';
