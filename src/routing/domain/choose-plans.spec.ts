import { describe, expect, it } from '@jest/globals';
import type { RoutingDirective } from '../../protocol/routing-extension.js';
import { agentsOf, route } from './fake-choice.js';
import { planOf } from './route.js';

describe('first', () => {
  it('asks everybody that matches up to the maximum, one alone as well', () => {
    const found = route({ tags: ['read'], strategy: 'first', deadlineSeconds: 3, maxCalls: 4 });
    expect(found).toMatchObject({ strategy: 'first', deadlineMs: 3000, maxCalls: 4 });
    expect(planOf(found)).toMatchObject([{ strategy: 'first', isResult: true, after: [] }]);
    expect(agentsOf(found)).toEqual(['b', 'a']);
    expect(agentsOf(route({ tags: ['read'], strategy: 'first', maxAgents: 1 }))).toEqual(['b']);
    expect(agentsOf(route({ tags: ['write'], strategy: 'first' }))).toEqual(['w']);
  });
});

describe('a quorum', () => {
  const requested = { tags: ['read'], strategy: 'all', require: 'quorum' } as const;

  it('goes with the route', () => {
    expect(planOf(route({ ...requested, quorum: 2 }))).toMatchObject([
      { require: 'quorum', quorum: 2 },
    ]);
  });

  it('larger than the number of agents is refused', () => {
    expect(() => route({ ...requested, quorum: 3 })).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [{ field: 'quorum', description: 'is 3, but only 2 may be asked now: b, a' }],
      }),
    );
  });
});

describe('a chain', () => {
  it('has a step for each target, each with what the one before made and the message', () => {
    const found = route({
      strategy: 'chain',
      steps: [{ tags: ['read'] }, { skillId: 'w.write' }, { agentId: 'a' }],
    });
    expect(found).toMatchObject({ strategy: 'chain', reason: 'tags' });
    expect(found.plan).toEqual([
      {
        name: 'step-1',
        strategy: 'one',
        require: 'all',
        chosen: [
          expect.objectContaining({ agentId: 'b', skillId: 'read' }),
          expect.objectContaining({ agentId: 'a', skillId: 'read' }),
        ],
        inputs: [{ from: 'message' }],
        after: [],
        isResult: false,
        isOptional: false,
      },
      expect.objectContaining({
        name: 'step-2',
        chosen: [expect.objectContaining({ agentId: 'w', skillId: 'write' })],
        inputs: [{ from: 'step', step: 'step-1' }, { from: 'message' }],
        after: [{ step: 'step-1', outcome: 'completed' }],
        isResult: false,
      }),
      expect.objectContaining({
        name: 'step-3',
        inputs: [{ from: 'step', step: 'step-2' }, { from: 'message' }],
        after: [{ step: 'step-2', outcome: 'completed' }],
        isResult: true,
      }),
    ]);
    expect(agentsOf(found)).toEqual(['b', 'a', 'w', 'a']);
  });

  it('names the step that nobody is found for, and the skills there are', () => {
    expect(() =>
      route({ strategy: 'chain', steps: [{ agentId: 'a' }, { tags: ['fly'] }] }),
    ).toThrow(
      expect.objectContaining({
        reason: 'NO_ROUTE',
        message: expect.stringMatching(
          /^Step "step-2": No skill carries all of the tags fly\..*w\.write/,
        ),
        metadata: { skills: 'a.read, b.read, w.write' },
      }),
    );
  });

  it('is refused under the address of one agent', () => {
    expect(() => route({ strategy: 'chain', steps: [{ agentId: 'a' }] }, { agentId: 'b' })).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'strategy' })] }),
    );
  });
});

describe('synthesize', () => {
  const requested: RoutingDirective = {
    tags: ['read'],
    strategy: 'synthesize',
    synthesizer: { agentId: 'w' },
  };

  it('gathers from all that match, then has one agent make the result of that', () => {
    const found = route({ ...requested, require: 'quorum', quorum: 2 });
    expect(found).toMatchObject({ strategy: 'synthesize', reason: 'tags', quorum: 2 });
    expect(found.plan).toMatchObject([
      {
        name: 'gather',
        strategy: 'all',
        require: 'quorum',
        quorum: 2,
        inputs: [{ from: 'message' }],
        after: [],
        isResult: false,
      },
      {
        name: 'synthesize',
        strategy: 'one',
        inputs: [{ from: 'step', step: 'gather' }, { from: 'message' }],
        after: [{ step: 'gather', outcome: 'completed' }],
        isResult: true,
      },
    ]);
    expect(found.plan!.map(agentsOf)).toEqual([['b', 'a'], ['w']]);
    expect(route({ ...requested, maxAgents: 1 }).plan!.map(agentsOf)).toEqual([['b'], ['w']]);
  });

  it('needs somebody to make the result', () => {
    expect(() => route({ ...requested, synthesizer: { skillId: 'fly' } })).toThrow(
      /^Step "synthesize": No agent offers the skill "fly"/,
    );
  });
});
