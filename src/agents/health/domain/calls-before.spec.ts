import { expect, it } from '@jest/globals';
import { agentVerdictOf } from './agent-verdict.js';
import { callsBefore } from './calls-before.js';

const MINUTE = 60_000;
const NOW = 60 * MINUTE;

/** How many minutes ago, calls, errors, failed parts of tasks. */
type Minute = readonly [number, number, number, number];

function before(...minutes: readonly Minute[]) {
  return callsBefore(
    minutes.map(([ago, calls, errors, failed]) => ({
      ...{ at: NOW - ago * MINUTE, calls, errors, failed },
    })),
  );
}

const verdictOf = (...minutes: readonly Minute[]) =>
  agentVerdictOf('healthy', before(...minutes), false, NOW);

it.each([
  [0, 0, 0, 'healthy'],
  [4, 4, 4, 'failing'],
  [400, 200, 3, 'failing'],
  [400, 150, 3, 'healthy'],
  [4, 4, 0, 'healthy'],
  [1, 1, 1, 'failing'],
] as const)('of %d calls %d failed, %d parts of tasks by its fault: it is %s', (...of) => {
  const [calls, errors, failed, verdict] = of;
  expect(verdictOf([5, calls, errors, failed])).toBe(verdict);
});

it('are those of the last minutes: who has recovered is not said to fail', () => {
  expect(verdictOf([50, 200, 200, 9], [10, 3, 0, 0], [1, 200, 0, 0])).toBe('healthy');
  expect(verdictOf([50, 200, 0, 0], [1, 200, 200, 9])).toBe('failing');
  // Four calls succeeded since six failed.
  expect(verdictOf([20, 6, 6, 2], [5, 4, 0, 0])).toBe('healthy');
  expect(verdictOf([20, 4, 0, 0], [5, 6, 6, 2])).toBe('failing');
});

it('are ten at most, of the times of their minutes', () => {
  const calls = before([30, 8, 8, 1], [2, 4, 2, 1]);
  expect(calls).toHaveLength(10);
  expect(calls.map(({ at, ok }) => [(NOW - at) / MINUTE, ok])).toEqual([
    ...Array.from({ length: 6 }, () => [30, false]),
    ...[
      [2, true],
      [2, true],
      [2, false],
      [2, false],
    ],
  ]);
});
