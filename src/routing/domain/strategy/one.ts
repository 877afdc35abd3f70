import { completedWhy, ONE_RESULT, type StepPolicy } from './step-policy.js';

/** The best agent; the next one takes over while none has accepted. */
export const ONE = {
  ...ONE_RESULT,
  name: 'one',
  description: 'the best agent; the next takes over while none has accepted.',
  winners: null,
  whyMet: completedWhy,
} as const satisfies StepPolicy;
