import { expect, it } from '@jest/globals';
import { agentVerdictOf, type CallResult, withCall } from './agent-verdict.js';

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
  ['degraded', [NO], false, 'degraded'],
  ['degraded', [NO, NO], false, 'failing'],
  ['degraded', [NO, OK, NO], true, 'failing'],
  ['degraded', [NO, OK, OK, OK, NO], false, 'degraded'],
  ['degraded', [NO, NO, OK], false, 'degraded'],
  ['down', [NO], true, 'down'],
  ['unknown', [], false, 'unknown'],
] as const)('an agent that is %s, after %j, is said to be so', (health, calls, tasks, verdict) => {
  const results = calls.map((ok, index) => ({ at: index, ok }));
  expect(agentVerdictOf(health, results, tasks, 20)).toBe(verdict);
});

it('forgets calls after an hour', () => {
  const calls = [{ at: 5, ok: NO }];
  expect(agentVerdictOf('healthy', calls, false, 3_600_004)).toBe('failing');
  expect(agentVerdictOf('healthy', calls, false, 3_600_005)).toBe('healthy');
});

it('keeps the last ten calls', () => {
  const calls = Array.from({ length: 30 }, (_, at) => ({ at, ok: at === 19 })).reduce<
    readonly CallResult[]
  >(withCall, []);
  expect(calls.map(({ at }) => at)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  expect(withCall(calls, { at: 30, ok: OK })).toEqual([...calls.slice(1), { at: 30, ok: OK }]);
});
