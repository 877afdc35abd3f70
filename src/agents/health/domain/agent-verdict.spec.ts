import { expect, it } from '@jest/globals';
import { agentVerdictOf, withCall } from './agent-verdict.js';

const [OK, NO] = [true, false];

it.each([
  ['healthy', [], false, 'healthy'],
  ['healthy', [OK, OK], false, 'healthy'],
  ['healthy', [NO], false, 'failing'],
  ['healthy', [NO, NO, NO, OK], false, 'healthy'],
  ['healthy', [OK, OK, OK, NO], false, 'healthy'],
  ['healthy', [OK, NO, OK, NO], false, 'failing'],
  ['healthy', [NO], true, 'failing'],
  ['degraded', [OK, OK], false, 'degraded'],
  ['degraded', [OK, OK], true, 'recovering'],
  ['degraded', [OK, NO], true, 'degraded'],
  ['down', [NO], true, 'down'],
  ['unknown', [], false, 'unknown'],
] as const)('an agent that is %s, after %j, is said to be so', (health, calls, tasks, verdict) => {
  expect(agentVerdictOf(health, calls, tasks)).toBe(verdict);
});

it('keeps the last ten calls', () => {
  const calls = Array.from({ length: 30 }, (_, n) => n === 19).reduce(withCall, []);
  expect(calls).toHaveLength(10);
  expect(withCall(calls, OK)).toEqual([...calls.slice(1), OK]);
});
