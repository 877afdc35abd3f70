import type { RoutingDirective } from '../../../protocol/routing-extension.js';
import type { StepTemplate } from '../composite-skill.js';
import type { PlanStrategy } from './plan-strategy.js';

const GATHER = 'gather';

/** Like `all`, then the agent of `synthesizer` makes the result of their artifacts. */
export const SYNTHESIZE = {
  name: 'synthesize',
  first: { name: GATHER, strategy: 'all' },
  steps: (directive) => [synthesizeStep(directive)],
} as const satisfies PlanStrategy;

/**
 * The second step of `synthesize`: the agent that makes the result of what the first step gathered. It
 * begins once as many completed there as `require` asks for.
 */
function synthesizeStep({ synthesizer = {} }: RoutingDirective): StepTemplate {
  return {
    name: SYNTHESIZE.name,
    strategy: 'one',
    require: 'all',
    target: synthesizer,
    inputs: [{ from: 'step', step: GATHER }, { from: 'message' }],
    after: [{ step: GATHER, outcome: 'completed' }],
    isResult: true,
    isOptional: false,
  };
}
