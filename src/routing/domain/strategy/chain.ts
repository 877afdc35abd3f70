import type { RoutingDirective } from '../../../protocol/routing-extension.js';
import type { StepTemplate } from '../composite-skill.js';
import type { StepInput } from '../plan.js';
import type { PlanStrategy } from './plan-strategy.js';

/** The agents of `steps` one after another, each with the artifacts of the one before. */
export const CHAIN = {
  name: 'chain',
  first: null,
  steps: chainSteps,
} as const satisfies PlanStrategy;

const MESSAGE: StepInput = { from: 'message' };

/**
 * The steps of a chain: each is given the artifacts of the one before it, then the client's message, and
 * begins once that one has completed; the last one makes the result.
 */
function chainSteps({ steps = [] }: RoutingDirective): StepTemplate[] {
  const nameOf = (position: number): string => `step-${position + 1}`;
  return steps.map((target, i) => {
    const before = i === 0 ? undefined : nameOf(i - 1);
    return {
      name: nameOf(i),
      strategy: 'one',
      require: 'all',
      target,
      inputs: before === undefined ? [MESSAGE] : [{ from: 'step', step: before }, MESSAGE],
      after: before === undefined ? [] : [{ step: before, outcome: 'completed' }],
      isResult: i === steps.length - 1,
      isOptional: false,
    };
  });
}
