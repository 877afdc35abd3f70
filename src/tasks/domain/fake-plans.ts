import type { Plan, StepCondition, StepOutcome } from '../../routing/index.js';
import { planStep } from './fake-task.js';

/** The conditions of a step that begins once this one has ended so. */
export const after = (step: string, outcome: StepOutcome = 'completed'): StepCondition[] => [
  { step, outcome },
];

/** a, then b with what a gave. */
export const CHAIN: Plan = [
  planStep('draft', ['a'], { isResult: false }),
  planStep('polish', ['b'], { after: after('draft') }),
];

/** a and b at once, then c of what they gave. */
export const SYNTHESIS: Plan = [
  planStep('collect', ['a', 'b'], { isResult: false, require: 'best-effort' }),
  planStep('sum', ['c'], { after: after('collect') }),
];

/** a; then b if it completed, c if it failed, d in any case. */
export const CONDITIONAL: Plan = [
  planStep('try', ['a'], { isOptional: true }),
  planStep('praise', ['b'], { after: after('try') }),
  planStep('instead', ['c'], { after: after('try', 'failed') }),
  planStep('report', ['d'], { after: after('try', 'ended'), isOptional: true }),
];

/** A race, then two at once, the last of all if both went well. */
export const MIXED: Plan = [
  planStep('race', ['a', 'b'], { strategy: 'first', isResult: false }),
  planStep('left', ['c'], { after: after('race'), isResult: false }),
  planStep('right', ['d'], { after: after('race'), isOptional: true }),
  planStep('end', ['e'], { after: [...after('left'), ...after('right', 'ended')] }),
];

export const PLANS = { CHAIN, SYNTHESIS, CONDITIONAL, MIXED };
