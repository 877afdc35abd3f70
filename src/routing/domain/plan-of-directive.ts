import type { RoutingDirective } from '../../protocol/routing-extension.js';
import type { StepInput } from './plan.js';
import type { StepTemplate } from './composite-skill.js';

/** The steps of the strategy `synthesize`. */
export const GATHER = 'gather';
export const SYNTHESIZE = 'synthesize';

const MESSAGE: StepInput = { from: 'message' };

/**
 * The steps of a chain: each is given the artifacts of the one before it, then the client's message, and
 * begins once that one has completed; the last one makes the result.
 */
export function chainSteps({ steps = [] }: RoutingDirective): StepTemplate[] {
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

/**
 * The second step of `synthesize`: the agent that makes the result of what the first step gathered. It
 * begins once as many completed there as `require` asks for.
 */
export function synthesizeStep({ synthesizer = {} }: RoutingDirective): StepTemplate {
  return {
    name: SYNTHESIZE,
    strategy: 'one',
    require: 'all',
    target: synthesizer,
    inputs: [{ from: 'step', step: GATHER }, MESSAGE],
    after: [{ step: GATHER, outcome: 'completed' }],
    isResult: true,
    isOptional: false,
  };
}
