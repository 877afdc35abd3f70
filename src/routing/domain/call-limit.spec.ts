import { describe, expect, it } from '@jest/globals';
import { readDirective, ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { checkFirstCalls, maxCallsOf } from './call-limit.js';
import type { PlanStep } from './plan.js';
import type { Route } from './route.js';

const route = (more: Partial<Route> = {}): Route => ({
  reason: 'tags',
  strategy: 'all',
  require: 'all',
  chosen: ['a', 'b', 'c'].map((agentId) => ({ agentId, why: '' })),
  skipped: [],
  ...more,
});
const rule = { id: 'r1', name: 'Reports' };
const composite = { id: 'report', version: 2 };

describe('the calls a task may make', () => {
  it('are the setting’s, a client’s or rule’s only below that, a composite skill’s any number', () => {
    expect(maxCallsOf(route(), 10)).toBe(10);
    expect(maxCallsOf(route({ maxCalls: 3 }), 10)).toBe(3);
    expect(maxCallsOf(route({ maxCalls: 300 }), 10)).toBe(10);
    expect(maxCallsOf(route({ maxCalls: 300, composite }), 10)).toBe(300);
  });

  it('suffice for the agents that are asked at once, those in reserve and of later steps aside', () => {
    const step = (name: string, more: Partial<PlanStep>): PlanStep => ({
      name,
      strategy: 'all',
      require: 'all',
      chosen: route().chosen,
      inputs: [{ from: 'message' }],
      after: [],
      isResult: true,
      isOptional: false,
      ...more,
    });
    const plan = [
      step('one', { strategy: 'one' }),
      step('two', { after: [{ step: 'one', outcome: 'completed' }] }),
    ];
    expect(() => checkFirstCalls(route({ plan }), {}, 1)).not.toThrow();
    expect(() => checkFirstCalls(route({ strategy: 'one' }), {}, 1)).not.toThrow();
    expect(() => checkFirstCalls(route(), {}, 3)).not.toThrow();
  });

  it('name the field of the client that asked for too few', () => {
    const directive = readDirective(undefined, { [ROUTING_EXTENSION_URI]: { max_calls: 2 } });
    const field = `metadata["${ROUTING_EXTENSION_URI}"].max_calls`;
    expect(() => checkFirstCalls(route({ maxCalls: 2 }), directive, 10)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [{ field, description: expect.stringContaining('3 agents are asked at once') }],
      }),
    );
  });

  it.each<[string, Partial<Route>, number | undefined, RegExp]>([
    ['the setting', {}, undefined, /the hub allows 2 .*tasks\.maxCalls.*operator raise it/],
    ['the setting below the client', { maxCalls: 9 }, 9, /the hub allows 2 .*tasks\.maxCalls/],
    ['a rule', { maxCalls: 1, rule }, undefined, /a rule of the operator allows 1 /],
    [
      'a composite skill',
      { maxCalls: 1, composite },
      undefined,
      /composite skill "report" may send/,
    ],
  ])('say that it is the limit of %s, and name no field', (_, more, maxCalls, sentence) => {
    const directive = maxCalls === undefined ? {} : { maxCalls };
    const check = (): void => checkFirstCalls(route(more), directive, 2);
    expect(check).toThrow(sentence);
    expect(check).toThrow(expect.objectContaining({ reason: 'INVALID_PARAMS', violations: [] }));
  });
});
