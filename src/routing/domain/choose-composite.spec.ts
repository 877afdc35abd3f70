import { describe, expect, it } from '@jest/globals';
import type { RoutingDirective } from '../../protocol/routing-extension.js';
import { agent, AGENTS, agentsOf, route } from './fake-choice.js';
import { aSkill } from './fake-question.js';
import type { RoutingQuestion } from './question.js';
import type { Route } from './route.js';
import type { CompositeSkill, StepTemplate } from './composite-skill.js';

const skill = aSkill;

describe('a composite skill', () => {
  const step = (name: string, fields: Partial<StepTemplate> = {}): StepTemplate => ({
    name,
    strategy: 'one',
    require: 'all',
    target: { tags: ['read'] },
    inputs: [{ from: 'message' }],
    after: [],
    isResult: true,
    isOptional: false,
    ...fields,
  });
  const composite = (
    steps: StepTemplate[],
    fields: Partial<CompositeSkill> = {},
  ): CompositeSkill => ({
    skill: skill('report', ['report', 'write']),
    version: 3,
    steps,
    ...fields,
  });
  const TWO = composite([
    step('read', { strategy: 'all', maxAgents: 1, isResult: false }),
    step('write', {
      target: { agentId: 'w' },
      inputs: [{ from: 'step', step: 'read' }],
      after: [{ step: 'read', outcome: 'ended' }],
      deadlineMs: 50,
    }),
  ]);
  const with_ = (...composites: CompositeSkill[]) => ({ composites });

  it('is asked for by the id of the hub card, and its agents are chosen when the task begins', () => {
    const found = route({ skillId: 'composite.report' }, with_(TWO));
    expect(found).toMatchObject({
      reason: 'skill',
      strategy: 'plan',
      composite: { id: 'report', version: 3 },
      plan: [
        { name: 'read', strategy: 'all' },
        { name: 'write', deadlineMs: 50 },
      ],
    });
    expect(found.plan!.map(agentsOf)).toEqual([['b'], ['w']]);
    expect(found.plan![0]).not.toHaveProperty('target');
    expect(found.plan![0]).not.toHaveProperty('maxAgents');
  });

  it('is found by its tags like any other, and takes over for nobody', () => {
    expect(route({ tags: ['report'] }, with_(TWO))).toMatchObject({ composite: { id: 'report' } });
    const found = route(
      { tags: ['write', 'more'], match: 'any' },
      { ...with_(TWO), agents: [agent('z', [skill('s', ['write', 'more'])])] },
    );
    expect(found.composite).toBeUndefined();
    expect(agentsOf(found)).toEqual(['z']);
    expect(found.skipped).toMatchObject([{ agentId: 'composite', skillId: 'report' }]);
  });

  it('goes before agents that match as well, whatever their priority and work', () => {
    const agents = [...AGENTS, agent('z', [skill('s', ['write'])], 9)];
    for (const outstanding of [0, 7]) {
      const conditionOf: RoutingQuestion['conditionOf'] = (id) => ({
        health: 'healthy',
        breaker: 'closed',
        outstanding: id === 'composite' ? outstanding : 7 - outstanding,
        queued: 0,
        isFull: false,
      });
      const found = route({ tags: ['write'] }, { ...with_(TWO), agents, conditionOf });
      expect(found.composite).toEqual({ id: 'report', version: 3 });
    }
  });

  it('takes no part in the strategies for several agents', () => {
    expect(agentsOf(route({ tags: ['write'], strategy: 'all' }, with_(TWO)))).toEqual(['w']);
    expect(() => route({ skillId: 'composite.report', strategy: 'all' }, with_(TWO))).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'strategy' })] }),
    );
  });

  it('found by text or tags leaves the work to agents where several are requested', () => {
    const byText = {
      threshold: 0.4,
      candidates: [
        { agentId: 'composite', skillId: 'report', score: 0.7, words: ['report', 'file'] },
        { agentId: 'a', skillId: 'read', score: 0.5, words: ['file'] },
      ],
    };
    expect(route({}, with_(TWO), byText)).toMatchObject({ composite: { id: 'report' } });
    const several = route({ strategy: 'all' }, with_(TWO), byText);
    expect(several).toMatchObject({ reason: 'text', chosen: [{ agentId: 'a' }], skipped: [] });
    const onlyOne = { ...byText, candidates: byText.candidates.slice(0, 1) };
    expect(() => route({ strategy: 'all' }, with_(TWO), onlyOne)).toThrow(
      expect.objectContaining({ reason: 'NO_ROUTE' }),
    );
    expect(() => route({ tags: ['report'], strategy: 'first' }, with_(TWO))).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'strategy' })] }),
    );
  });

  it('is nobody to be named as an agent, and no step of a chain', () => {
    expect(() => route({ agentId: 'composite' }, with_(TWO))).toThrow(/No agent "composite"/);
    expect(() =>
      route({ strategy: 'chain', steps: [{ skillId: 'composite.report' }] }, with_(TWO)),
    ).toThrow(/^Step "step-1": No agent offers/);
  });

  it('is listed among the skills of a rejection', () => {
    expect(() => route({}, with_(TWO))).toThrow(/composite\.report/);
  });

  it('has limits that the client can only lower', () => {
    const limited = { ...TWO, deadlineMs: 2000, maxCalls: 5 };
    const ask = (more: RoutingDirective) =>
      route({ skillId: 'composite.report', ...more }, with_(limited));
    expect(ask({})).toMatchObject({ deadlineMs: 2000, maxCalls: 5 });
    expect(ask({ deadlineSeconds: 1, maxCalls: 9 })).toMatchObject({
      deadlineMs: 1000,
      maxCalls: 5,
    });
  });

  it('goes without an optional step that nobody is found for, and those that wait for it', () => {
    const fly = step('fly', { target: { tags: ['fly'] }, isOptional: true, isResult: false });
    const found = route(
      { skillId: 'composite.report' },
      with_(
        composite([
          fly,
          step('after', { isOptional: true, after: [{ step: 'fly', outcome: 'completed' }] }),
          step('read', { inputs: [{ from: 'step', step: 'fly' }] }),
        ]),
      ),
    );
    expect(found.plan).toMatchObject([{ name: 'read', inputs: [{ from: 'message' }] }]);
    expect(found.strategy).toBe('one');
    expect(found.leftOut).toEqual([
      { step: 'fly', why: 'Step "fly" finds no agent.' },
      { step: 'after', why: 'Step "after" waits for "fly".' },
    ]);
    expect(found.skipped).toEqual([]);
  });

  it('lets the substitute of a step that is left out wait for what that one waited for', () => {
    const extracted = { step: 'extract', outcome: 'completed' as const };
    const inputs = [{ from: 'step' as const, step: 'extract' }];
    const nobody = { target: { agentId: 'gone' }, isOptional: true, isResult: false, inputs };
    const steps = [
      step('extract', { isResult: false }),
      step('polish', { ...nobody, after: [extracted] }),
      step('shine', { ...nobody, after: [{ step: 'polish', outcome: 'failed' }] }),
      step('instead', { inputs, after: [extracted, { step: 'shine', outcome: 'ended' }] }),
    ];
    const found = route({ skillId: 'composite.report' }, with_(composite(steps)));
    expect(found.plan!.map(({ name, after }) => [name, after])).toEqual([
      ['extract', []],
      ['instead', [extracted]],
    ]);
  });

  it('of one step tells the policy of that step', () => {
    const only = step('read', { strategy: 'all', require: 'quorum', quorum: 2 });
    const found = route({ skillId: 'composite.report' }, with_(composite([only])));
    expect(found).toMatchObject({ strategy: 'all', require: 'quorum', quorum: 2 });
    const best = step('read', { strategy: 'all', require: 'any' });
    const other = route({ skillId: 'composite.report' }, with_(composite([best])));
    expect(other).toMatchObject({ strategy: 'all', require: 'any' });
    expect(other).not.toHaveProperty('quorum');
  });

  it('finds nobody where too few can meet the quorum of a step, and names no field of the client', () => {
    const only = step('read', { strategy: 'all', require: 'quorum', quorum: 3 });
    const ask = (): Route => route({ skillId: 'composite.report' }, with_(composite([only])));
    expect(ask).toThrow(
      expect.objectContaining({
        reason: 'NO_ROUTE',
        message: expect.stringMatching(
          /Step "read": The operator asks for a quorum of 3, but only 2 may be asked now: b, a/,
        ),
        violations: [],
      }),
    );
  });

  it('is refused when a step that is not optional has nobody', () => {
    const needed = step('fly', { target: { tags: ['fly'] } });
    const optional = { ...needed, isOptional: true };
    const waiting = step('read', { after: [{ step: 'fly', outcome: 'completed' }] });
    const ask =
      (...steps: StepTemplate[]) =>
      () =>
        route({ skillId: 'composite.report' }, with_(composite(steps)));
    expect(ask(needed)).toThrow(/Step "fly": No skill carries/);
    expect(ask(optional, waiting)).toThrow(/No step is left that would give a result/);
  });
});
