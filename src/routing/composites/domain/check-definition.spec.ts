import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkDefinition } from './check-definition.js';
import { templatesOf } from './skill-of-composite.js';
import type { WrittenStep } from './composite.js';

const step = (name: string, changes: Partial<WrittenStep> = {}): WrittenStep => ({
  name,
  agentId: `${name}-agent`,
  ...changes,
});

const problems = (...steps: WrittenStep[]): string[] =>
  checkDefinition({ steps, maxCalls: 3 }).map(
    ({ field, description }) => `${field}: ${description}`,
  );

const planned = (...steps: WrittenStep[]) => templatesOf({ steps });

describe('the defaults of a plan', () => {
  it('make a chain of steps that say nothing: each takes the one before and the message', () => {
    const steps = [step('extract'), step('translate'), step('merge')];
    expect(problems(...steps)).toEqual([]);
    expect(planned(...steps)).toMatchObject([
      { name: 'extract', inputs: [{ from: 'message' }], after: [], isResult: false },
      {
        name: 'translate',
        inputs: [{ from: 'step', step: 'extract' }, { from: 'message' }],
        after: [{ step: 'extract', outcome: 'completed' }],
        isResult: false,
      },
      { name: 'merge', after: [{ step: 'translate', outcome: 'completed' }], isResult: true },
    ]);
  });

  it('begin a step with the task when it takes only the message', () => {
    const [, second] = planned(step('a'), step('b', { inputs: ['message'] }));
    expect(second).toMatchObject({ after: [], isResult: true });
  });

  it('keep the artifacts of a step with a fallback as the result, and those of the fallback', () => {
    const steps = [
      step('translate'),
      step('fallback', { inputs: ['message'], after: [{ step: 'translate', outcome: 'failed' }] }),
    ];
    expect(problems(...steps)).toEqual([]);
    expect(planned(...steps).map(({ isResult }) => isResult)).toEqual([true, true]);
  });

  it('ask one agent, at most ten at once, and require all of them', () => {
    const [one, all] = planned(step('a'), { name: 'b', tags: ['x'], strategy: 'all' });
    expect(one).toMatchObject({ strategy: 'one', isOptional: false });
    expect(one).not.toHaveProperty('maxAgents');
    expect(all).toMatchObject({ strategy: 'all', require: 'all', maxAgents: 10 });
  });

  it('put each step behind those it waits for, however they are written', () => {
    const merge = step('merge', { inputs: ['review', 'translate'] });
    const steps = [
      merge,
      step('translate', { inputs: ['extract'], deadlineSeconds: 1.5 }),
      step('review', { inputs: ['extract', 'message'], optional: true }),
      step('extract', { inputs: ['message'] }),
    ];
    expect(problems(...steps)).toEqual([]);
    expect(planned(...steps).map(({ name }) => name)).toEqual([
      'extract',
      'translate',
      'review',
      'merge',
    ]);
    expect(planned(...steps)).toMatchObject([
      {},
      { deadlineMs: 1500 },
      { isOptional: true },
      { target: { agentId: 'merge-agent' }, isResult: true },
    ]);
  });
});

describe('a plan that is refused', () => {
  it.each([
    [
      'a cycle, spelled out from the step that is written first',
      [
        step('extract', { inputs: ['merge'] }),
        step('translate', { inputs: ['extract'] }),
        step('merge', { inputs: ['translate'] }),
      ],
      ['steps: wait for each other: extract -> translate -> merge -> extract'],
    ],
    [
      'two cycles, both',
      [
        step('a', { inputs: ['b'] }),
        step('b', { inputs: ['a'] }),
        step('c', { inputs: ['d', 'a'] }),
        step('d', { inputs: ['c'] }),
      ],
      ['steps: wait for each other: a -> b -> a', 'steps: wait for each other: c -> d -> c'],
    ],
    [
      'a cycle of conditions alone',
      [
        step('a', { inputs: ['message'], after: [{ step: 'b', outcome: 'failed' }] }),
        step('b', { inputs: ['message'], after: [{ step: 'a' }] }),
      ],
      ['steps: wait for each other: a -> b -> a'],
    ],
    [
      'names that are there twice, reserved or unknown',
      [
        step('a'),
        step('a', { inputs: ['zz'] }),
        step('message', { inputs: ['message'], after: [{ step: 'yy' }] }),
      ],
      [
        'steps[1].name: "a" is the name of steps[0] already',
        'steps[1].inputs[0]: "zz" is no step here; there are a, message',
        'steps[2].name: "message" stands for the client\'s message',
        'steps[2].after[0].step: "yy" is no step here; there are a, message',
      ],
    ],
    [
      'a step that takes or waits for itself',
      [step('a', { inputs: ['a'], after: [{ step: 'a' }] })],
      ['steps[0].inputs[0]: is the step itself', 'steps[0].after[0].step: is the step itself'],
    ],
    [
      'repeated references',
      [
        step('a'),
        step('b', { inputs: ['a', 'a'], after: [{ step: 'a' }, { step: 'a', outcome: 'ended' }] }),
      ],
      ['steps[1].inputs[1]: "a" is there twice', 'steps[1].after[1].step: "a" is there twice'],
    ],
    ['nobody to ask', [{ name: 'a' }], ['steps[0]: needs agentId, skillId or tags']],
    ['tags that are none', [{ name: 'a', tags: [] }], ['steps[0]: needs agentId, skillId or tags']],
    [
      'a composite skill in a composite skill',
      [{ name: 'a', skillId: 'composite.other' }, step('b', { agentId: 'composite' })],
      [
        'steps[0].skillId: a composite skill cannot be a step of another',
        'steps[1].agentId: a composite skill cannot be a step of another',
      ],
    ],
    [
      'members that do not belong together',
      [
        step('a', { match: 'any', require: 'any', maxAgents: 3 }),
        step('b', { tags: ['x'], strategy: 'all', require: 'quorum' }),
        step('c', { tags: ['x'], strategy: 'all', quorum: 2 }),
        step('d', { tags: ['x'], strategy: 'all', require: 'quorum', quorum: 3, maxAgents: 2 }),
      ],
      [
        'steps[0].match: is for tags only',
        'steps[0].require: is for strategy "all" only',
        'steps[0].maxAgents: is for strategy "all" or "first" only',
        'steps[1].quorum: is needed for require "quorum"',
        'steps[2].quorum: is for require "quorum" only',
        'steps[3].quorum: is 3, but maxAgents is 2',
        'maxCalls: is 3, but the steps need 6 at least',
      ],
    ],
    [
      'what is taken but not waited for',
      [
        step('a'),
        step('b', { inputs: ['message'] }),
        step('c', { inputs: ['a', 'b'], after: [{ step: 'b' }] }),
      ],
      [
        'steps[2].inputs[0]: takes from "a", but the step does not begin after it: name it in after',
      ],
    ],
    [
      'a join of a step and its fallback, which can never begin',
      [
        step('primary'),
        step('fallback', { inputs: ['message'], after: [{ step: 'primary', outcome: 'failed' }] }),
        step('merge', { inputs: ['primary', 'fallback'] }),
      ],
      ['steps[2]: can never begin: "primary" would have to complete and to fail'],
    ],
    [
      'no result',
      [step('a', { result: false })],
      ['steps: give no result: every one says result false'],
    ],
    [
      'more steps at once than calls',
      ['a', 'b', 'c', 'd'].map((name) => step(name, { inputs: ['message'] })),
      ['maxCalls: is 3, but 4 steps begin at once'],
    ],
    [
      'a chain that is longer than its calls',
      ['a', 'b', 'c', 'd'].map((name) => step(name)),
      ['maxCalls: is 3, but the steps need 4 at least'],
    ],
    [
      'a quorum of more agents than calls',
      [{ name: 'a', tags: ['x'], strategy: 'all', require: 'quorum', quorum: 4 }],
      ['maxCalls: is 3, but the steps need 4 at least'],
    ],
    [
      'calls enough for all that is needed',
      [
        step('a'),
        step('b'),
        step('extra', { inputs: ['a'], optional: true }),
        step('behind', { inputs: ['extra'] }),
        step('rescue', { inputs: ['message'], after: [{ step: 'a', outcome: 'failed' }] }),
        step('end', { inputs: ['b'] }),
      ],
      [],
    ],
    [
      'too many agents',
      ['a', 'b', 'c'].map((name) => ({ name, tags: ['x'], strategy: 'all', maxAgents: 20 })),
      ['steps: may ask 60 agents, which is over the limit of 50: give maxAgents'],
    ],
  ] as [string, WrittenStep[], string[]][])('says of %s', (_, steps, expected) => {
    expect(problems(...steps)).toEqual(expected);
  });
});

/** Steps of which each waits for some of those before it, then shuffled. */
const acyclic = fc
  .integer({ min: 1, max: 20 })
  .chain((count) =>
    fc.tuple(
      fc.tuple(
        ...Array.from({ length: count }, (_, i) =>
          fc.subarray(
            Array.from({ length: i }, (_unused, j) => `s${j}`),
            { maxLength: Math.min(i, 5) },
          ),
        ),
      ),
      fc.array(fc.nat(), { minLength: count, maxLength: count }),
    ),
  )
  .map(([waits, keys]) =>
    waits
      .map((names, i) => ({
        key: keys[i] ?? 0,
        step: step(`s${i}`, { inputs: ['message', ...names] }),
      }))
      .sort((a, b) => a.key - b.key)
      .map((each) => each.step),
  );

describe('any plan', () => {
  it('without a cycle comes out whole, each step behind those it waits for', () => {
    fc.assert(
      fc.property(acyclic, (steps) => {
        expect(checkDefinition({ steps, maxCalls: null })).toEqual([]);
        const plan = planned(...steps);
        expect(plan.map(({ name }) => name).sort()).toEqual(steps.map(({ name }) => name).sort());
        const seen = new Set<string>();
        for (const { name, after } of plan) {
          for (const condition of after) expect(seen).toContain(condition.step);
          seen.add(name);
        }
        expect(plan.some(({ isResult }) => isResult)).toBe(true);
      }),
    );
  });

  it('with a cycle is refused, and every cycle it names is one', () => {
    fc.assert(
      fc.property(acyclic, fc.integer({ min: 2, max: 6 }), (steps, length) => {
        const cycle = Array.from({ length }, (_, i) =>
          step(`cycle${i}`, { inputs: [`cycle${(i + length - 1) % length}`] }),
        );
        // Steps of the rest hang before and behind the cycle.
        const [first, ...others] = steps;
        const hanging = first && { ...first, inputs: [...(first.inputs ?? []), 'cycle0'] };
        const all = [...(hanging ? [hanging] : []), ...others, ...cycle];
        const cycles = checkDefinition({ steps: all, maxCalls: null }).map(({ description }) =>
          description.replace('wait for each other: ', '').split(' -> '),
        );
        expect(cycles).toHaveLength(1);
        for (const cycle of cycles) {
          expect(cycle.at(0)).toBe(cycle.at(-1));
          for (const [i, name] of cycle.slice(1).entries()) {
            expect(all.find((each) => each.name === name)?.inputs).toContain(cycle[i]);
          }
        }
      }),
    );
  });
});
