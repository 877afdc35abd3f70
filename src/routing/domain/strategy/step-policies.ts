import { MEMBERS_OF, type Strategy, type StrategyMembers } from '../../../protocol/strategies.js';
import { ALL } from './all.js';
import { FIRST } from './first.js';
import { ONE } from './one.js';
import type { StepPolicy } from './step-policy.js';

/** Every strategy of a step. */
const POLICIES = [ONE, ALL, FIRST] as const satisfies readonly (StepPolicy & { name: Strategy })[];

export type StepStrategy = (typeof POLICIES)[number]['name'];

export const STEP_STRATEGIES: readonly StepStrategy[] = POLICIES.map(({ name }) => name);

/** A strategy of a step, and whom it asks: `fansOut`: each chosen agent, else the first, and the others take over in turn. */
type AskingPolicy = StepPolicy & Pick<StrategyMembers, 'fansOut' | 'hasRequirement'>;

const BY_NAME: ReadonlyMap<string, AskingPolicy> = new Map(
  POLICIES.map((each) => {
    const { fansOut, hasRequirement } = MEMBERS_OF[each.name];
    return [each.name, { ...each, fansOut, hasRequirement }];
  }),
);

export function policyOf(strategy: StepStrategy): AskingPolicy {
  return BY_NAME.get(strategy)!;
}

/** The strategy of the one step of a task; undefined where a strategy makes a plan of several. */
export function stepStrategyOf(strategy: string): StepStrategy | undefined {
  return BY_NAME.has(strategy) ? (strategy as StepStrategy) : undefined;
}

/** Whether one agent is asked, in turn; also of a strategy that makes a plan. */
export function asksInTurn(strategy: string): boolean {
  return BY_NAME.get(strategy)?.fansOut === false;
}

/** The names of the strategies that are so, for a person: `all or first`. */
export function stepStrategiesThat(holds: (policy: AskingPolicy) => boolean, quote = ''): string {
  const fitting = [...BY_NAME.values()].filter(holds);
  return fitting.map(({ name }) => `${quote}${name}${quote}`).join(' or ');
}

/** Each strategy and what it does, for the description of the API. */
export const STEP_STRATEGY_TEXT = POLICIES.map(
  ({ name, description }) => `\`${name}\`: ${description}`,
).join(' ');
