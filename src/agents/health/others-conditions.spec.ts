import { expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { Agent } from '../agent.js';
import type { StoredCondition } from '../registry/condition-store.js';
import { OthersConditions } from './others-conditions.js';

const AGENT = { id: 'a', updatedAt: new Date(5) } as Agent;
const condition = (version: number, members: Partial<StoredCondition> = {}): StoredCondition => ({
  process: 'p',
  agentId: 'a',
  revision: 5,
  version,
  health: 'down',
  breaker: 'open',
  verdict: 'down',
  since: 1,
  lastError: null,
  ...members,
});

function received(...conditions: StoredCondition[]) {
  const clock = new SettableClock();
  const others = new OthersConditions(clock);
  others.found([{ id: 'p', sign: 1, version: 1 }]);
  others.received('p', conditions);
  const shown = () => others.of(AGENT).map(({ health }) => health);
  return { clock, others, shown };
}

it('asks for what is new alone', () => {
  const { others } = received(condition(1));
  expect(others.found([{ id: 'p', sign: 2, version: 1 }])).toEqual([]);
  expect(others.found([{ id: 'p', sign: 3, version: 4 }])).toEqual([{ id: 'p', version: 1 }]);
  others.found([]);
  expect(others.of(AGENT)).toEqual([]);
  expect(others.found([{ id: 'p', sign: 3, version: 4 }])).toEqual([{ id: 'p', version: 0 }]);
});

it('counts a process for twenty seconds after its last sign, whatever its clock says', () => {
  const { clock, others, shown } = received(condition(1));
  clock.ms += 20_000;
  expect(shown()).toEqual(['down']);
  clock.ms += 1;
  expect(shown()).toEqual([]);
  // Its clock was set back: another sign all the same.
  others.found([{ id: 'p', sign: -7_000_000, version: 1 }]);
  expect(shown()).toEqual(['down']);
  clock.ms -= 3_600_000;
  expect(shown()).toEqual(['down']);
});

it('goes by nothing that was seen before the agent was changed, or in words that it does not know', () => {
  expect(received(condition(1, { revision: 4 })).shown()).toEqual([]);
  expect(received(condition(1), condition(2, { health: 'unknown' })).shown()).toEqual([]);
  expect(received(condition(1), condition(2, { health: 'drowsy' })).shown()).toEqual([]);
  expect(received(condition(1), condition(2, { health: 'degraded' })).shown()).toEqual([
    'degraded',
  ]);
});
