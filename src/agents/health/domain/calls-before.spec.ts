import { expect, it } from '@jest/globals';
import { agentVerdictOf } from './agent-verdict.js';
import { callsBefore } from './calls-before.js';

const verdictOf = (calls: number, errors: number, failed: number) =>
  agentVerdictOf('healthy', callsBefore({ calls, errors, failed }, 5), false, 6);

it.each([
  [0, 0, 0, 'healthy'],
  [4, 4, 4, 'failing'],
  [400, 200, 3, 'failing'],
  [400, 199, 3, 'healthy'],
  [4, 4, 0, 'healthy'],
  [1, 1, 1, 'failing'],
] as const)('of %d calls %d failed, %d parts of tasks by its fault: it is %s', (...of) => {
  const [calls, errors, failed, verdict] = of;
  expect(verdictOf(calls, errors, failed)).toBe(verdict);
});

it('are ten at most', () => {
  expect(callsBefore({ calls: 400, errors: 300, failed: 9 }, 5)).toHaveLength(10);
});
