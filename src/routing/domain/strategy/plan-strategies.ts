import type { Strategy } from '../../../protocol/strategies.js';
import { CHAIN } from './chain.js';
import type { PlanStrategy } from './plan-strategy.js';
import { SYNTHESIZE } from './synthesize.js';

/** Every strategy that makes a plan. */
const PLANS: readonly (PlanStrategy & { readonly name: Strategy })[] = [CHAIN, SYNTHESIZE];

/** Undefined for a strategy of one step, and without one. */
export function planStrategyOf(strategy: Strategy | undefined): PlanStrategy | undefined {
  return PLANS.find(({ name }) => name === strategy);
}
