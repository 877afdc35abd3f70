import { ONE_RESULT, type StepPolicy } from './step-policy.js';

/** Every agent that matches, at the same time; the first that completes wins, the others are canceled. */
export const FIRST = {
  ...ONE_RESULT,
  name: 'first',
  description: 'every agent that matches, and the first that completes wins.',
  winners: (completed) => completed.slice(0, 1),
  whyMet: (names) => `${names} was first.`,
} as const satisfies StepPolicy;
