import { completedWhy, type Requirement, type StepPolicy } from './step-policy.js';

/** Every agent that matches, at the same time; `require` says how many must complete. */
export const ALL = {
  name: 'all',
  description: 'every agent that matches.',
  winners: null,
  needed,
  /** Best effort takes what every agent has to give. */
  waitsForAll: ({ require }) => require === 'best-effort',
  whyMet: completedWhy,
} as const satisfies StepPolicy;

/** Each of them, as many as were asked for, or one. */
function needed({ require, quorum }: Requirement, total: number): number {
  switch (require) {
    case 'all':
      return total;
    case 'quorum':
      return quorum ?? total;
    case 'any':
    case 'best-effort':
      return 1;
  }
}
