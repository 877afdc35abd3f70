import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RoutingDirective } from '../../protocol/routing-extension.js';
import { RouteChooser } from './choose.js';
import { aRoutableAgent, aSkill, questionTo } from './fake-question.js';
import type { RoutingQuestion } from './question.js';
import type { Route } from './route.js';

const skill = aSkill;
const agent = aRoutableAgent;

const CSV = agent('csv', [skill('profile', ['csv', 'data']), skill('clean', ['csv', 'repair'])]);
const CODE = agent('code', [skill('measure', ['code', 'data'])]);
const TEXT = agent('text', [skill('measure', ['text', 'Data'])], { priority: 5 });
const OPS = agent('ops', [skill('run', ['shell']), skill('stop', ['shell'])], { tags: ['Prod'] });
const AGENTS = [CODE, CSV, OPS, TEXT];

function route(directive: RoutingDirective, more: Partial<RoutingQuestion> = {}): Route {
  const chooser = new RouteChooser(questionTo(AGENTS, { directive, ...more }));
  return chooser.named() ?? chooser.unnamed(undefined);
}

const chosen = (found: Route): string[] =>
  found.chosen.map(({ agentId, skillId }) => (skillId ? `${agentId}.${skillId}` : agentId));

const noRoute = (message: string) =>
  expect.objectContaining({
    reason: 'NO_ROUTE',
    message: expect.stringContaining(message),
  });

describe('an agent that is named', () => {
  it('is chosen alone, by the address before the message', () => {
    expect(route({ agentId: 'csv' })).toMatchObject({ reason: 'agent', strategy: 'one' });
    expect(chosen(route({ agentId: 'csv' }))).toEqual(['csv']);
    expect(chosen(route({ agentId: 'csv' }, { agentId: 'text' }))).toEqual(['text']);
  });

  it('brings the skill that is asked for with it, by either form of its id', () => {
    expect(chosen(route({ agentId: 'csv', skillId: 'clean' }))).toEqual(['csv.clean']);
    expect(chosen(route({ agentId: 'csv', skillId: 'csv.clean' }))).toEqual(['csv.clean']);
    expect(chosen(route({ agentId: 'csv', tags: ['repair'] }))).toEqual(['csv.clean']);
  });

  it('must have that skill, unless the address names the agent', () => {
    expect(() => route({ agentId: 'csv', skillId: 'fly' })).toThrow(noRoute('no skill "fly"'));
    expect(() => route({ agentId: 'csv', skillId: 'code.measure' })).toThrow(
      expect.objectContaining({ reason: 'INVALID_PARAMS' }),
    );
    expect(chosen(route({ skillId: 'fly' }, { agentId: 'csv' }))).toEqual(['csv']);
  });

  it('of which policies keep skills has to have what is named beside it', () => {
    const agents = [agent('csv', [skill('profile', ['csv', 'data'])], { isNarrowed: true })];
    const of = (directive: RoutingDirective, more: Partial<RoutingQuestion> = {}): string[] =>
      chosen(route(directive, { agents, ...more }));
    expect(of({ agentId: 'csv' })).toEqual(['csv']);
    expect(of({ agentId: 'csv', tags: ['csv'] })).toEqual(['csv.profile']);
    expect(of({ agentId: 'csv', tags: ['csv', 'repair'], match: 'any' })).toEqual(['csv.profile']);
    for (const more of [{}, { agentId: 'csv' }]) {
      const named = more.agentId === undefined ? { agentId: 'csv' } : {};
      expect(() => of({ ...named, skillId: 'clean' }, more)).toThrow(noRoute('no skill "clean"'));
      expect(() => of({ ...named, skillId: 'csv.clean' }, more)).toThrow(noRoute('no skill'));
      expect(() => of({ ...named, tags: ['repair'] }, more)).toThrow(noRoute('No skill carries'));
      expect(() => of({ ...named, tags: ['csv', 'repair'] }, more)).toThrow(noRoute('No skill'));
      expect(() => of({ ...named, skillId: 'profile', tags: ['repair'] }, more)).toThrow(
        noRoute('No skill carries'),
      );
    }
  });

  it('must be there', () => {
    expect(() => route({ agentId: 'nobody' })).toThrow(noRoute('No agent "nobody"'));
    expect(() => route({}, { agentId: 'nobody', defaultAgent: 'csv' })).toThrow(
      noRoute('No agent "nobody"'),
    );
  });
});

describe('a skill that is named', () => {
  it('by the id of the hub card is one skill of one agent', () => {
    expect(chosen(route({ skillId: 'code.measure' }))).toEqual(['code.measure']);
    expect(route({ skillId: 'code.measure' }).reason).toBe('skill');
  });

  it('by an id that agents share is any of them, by priority', () => {
    expect(chosen(route({ skillId: 'measure' }))).toEqual(['text.measure', 'code.measure']);
  });

  it('may have a dot of its own', () => {
    const agents = [...AGENTS, agent('math', [skill('math.add', []), skill('x.y', [])])];
    expect(chosen(route({ skillId: 'math.add' }, { agents }))).toEqual(['math.math.add']);
    expect(chosen(route({ skillId: 'x.y' }, { agents }))).toEqual(['math.x.y']);
    expect(chosen(route({ skillId: 'math.x.y' }, { agents }))).toEqual(['math.x.y']);
  });

  it('is narrowed by tags', () => {
    expect(chosen(route({ skillId: 'measure', tags: ['code'] }))).toEqual(['code.measure']);
    expect(() => route({ skillId: 'measure', tags: ['csv'] })).toThrow(noRoute('with these tags'));
  });

  it('must be offered', () => {
    expect(() => route({ skillId: 'fly' })).toThrow(noRoute('skill "fly"'));
  });
});

describe('tags', () => {
  it('must all be on one skill, without regard to case', () => {
    expect(chosen(route({ tags: ['CSV', 'data'] }))).toEqual(['csv.profile']);
    expect(() => route({ tags: ['repair', 'data'] })).toThrow(noRoute('all of the tags'));
  });

  it('may be any, the more the better', () => {
    expect(chosen(route({ tags: ['code', 'data'], match: 'any' }))).toEqual([
      'code.measure',
      'text.measure',
      'csv.profile',
    ]);
  });

  it('of the operator count for every skill of the agent', () => {
    expect(chosen(route({ tags: ['shell', 'prod'] }))).toEqual(['ops.run']);
    expect(chosen(route({ tags: ['prod'] }))).toEqual(['ops']);
  });

  it('of an agent without skills count too', () => {
    const agents = [agent('bare', [], { tags: ['odd'] })];
    expect(chosen(route({ tags: ['odd'] }, { agents }))).toEqual(['bare']);
  });

  it('win over the agents of the context and the default', () => {
    const more = { affinity: ['csv'], defaultAgent: 'csv' };
    expect(chosen(route({ tags: ['code'] }, more))).toEqual(['code.measure']);
  });
});

describe('the order', () => {
  it('is priority, then the id, whatever the order of the registry', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(AGENTS, { minLength: AGENTS.length }), (agents) => {
        expect(chosen(route({ tags: ['data'] }, { agents }))).toEqual([
          'text.measure',
          'code.measure',
          'csv.profile',
        ]);
      }),
    );
  });

  it('puts agents first that take and give the media types, and leaves none out', () => {
    const card = (inputs: string[], outputs: string[]) => ({
      card: { skills: [skill('s', ['t'])], defaultInputModes: inputs, defaultOutputModes: outputs },
    });
    const agents = [
      agent('a', [], card(['image/png'], ['text/plain'])),
      agent('b', [], { ...card(['text/*'], ['image/png']), priority: 9 }),
      agent('c', [], card(['TEXT/csv; charset=utf-8'], ['text/plain'])),
    ];
    const media = { input: ['text/csv'], output: ['text/plain'] };
    const found = route({ tags: ['t'] }, { agents, media });
    expect(chosen(found)).toEqual(['c.s', 'b.s', 'a.s']);
    expect(found.chosen[1]?.why).toContain('Lists none of text/plain among its outputs.');
    expect(found.chosen[2]?.why).toContain('Does not list text/csv among its inputs.');
  });

  it('takes the modes of the skill before those of the agent', () => {
    const modes = { inputModes: ['text/csv'] };
    const agents = [
      agent('a', [skill('s', ['t'])], {
        card: { skills: [skill('s', ['t'])], defaultInputModes: ['x/y'], defaultOutputModes: [] },
      }),
      agent('b', [skill('s', ['t'], modes)]),
    ];
    expect(
      chosen(route({ tags: ['t'] }, { agents, media: { input: ['text/csv'], output: [] } })),
    ).toEqual(['b.s', 'a.s']);
  });
});

describe('without routing options', () => {
  it('the agents of the context go on, in their order', () => {
    const found = route({}, { affinity: ['csv', 'gone', 'code'], defaultAgent: 'text' });
    expect(found).toMatchObject({ reason: 'affinity', skipped: [{ agentId: 'gone' }] });
    expect(chosen(found)).toEqual(['csv', 'code']);
  });

  it('the default agent takes over, also from agents that are gone', () => {
    expect(route({}, { defaultAgent: 'text' })).toMatchObject({ reason: 'default' });
    expect(route({}, { affinity: ['gone'], defaultAgent: 'text' })).toMatchObject({
      reason: 'default',
      skipped: [{ agentId: 'gone' }],
    });
  });

  it('and without a default agent the message is rejected with the skills there are', () => {
    expect(() => route({})).toThrow(noRoute('csv.profile, csv.clean'));
    expect(() => route({})).toThrow(
      expect.objectContaining({
        metadata: {
          skills: 'code.measure, csv.profile, csv.clean, ops.run, ops.stop, text.measure',
        },
      }),
    );
    expect(() => route({}, { agents: [] })).toThrow(noRoute('No skill is available'));
    expect(() => route({}, { defaultAgent: 'gone' })).toThrow(noRoute('default agent "gone"'));
  });

  it('a long list of skills is cut', () => {
    const many = Array.from({ length: 60 }, (_, i) => skill(`s${i}`, []));
    expect(() => route({}, { agents: [agent('a', many)] })).toThrow(noRoute('a.s49 and 10 more'));
  });
});

describe('the strategies', () => {
  const many = Array.from({ length: 60 }, (_, i) =>
    agent(`a${String(i).padStart(2, '0')}`, [skill('s', ['t'])]),
  );

  it('one keeps a few agents in reserve and names some that it leaves out', () => {
    const found = route({ tags: ['t'] }, { agents: many });
    expect(found.chosen).toHaveLength(6);
    expect(found.skipped).toHaveLength(50);
    expect(found.moreSkipped).toBe(4);
    expect(found.deadlineMs).toBeUndefined();
  });

  it('all asks everybody, up to the maximum, and says what it left out', () => {
    const found = route({
      tags: ['data'],
      strategy: 'all',
      maxAgents: 2,
      require: 'best-effort',
      deadlineSeconds: 1.5,
    });
    expect(found).toMatchObject({ strategy: 'all', require: 'best-effort', deadlineMs: 1500 });
    expect(chosen(found)).toEqual(['text.measure', 'code.measure']);
    expect(found.skipped).toMatchObject([
      { agentId: 'csv', why: expect.stringMatching(/maximum of 2/) },
    ]);
    expect(route({ tags: ['t'], strategy: 'all' }, { agents: many }).chosen).toHaveLength(60);
  });

  it('explain themselves', () => {
    expect(route({ tags: ['data', 'csv'] }).chosen[0]?.why).toBe(
      'Its skill "profile" carries data, csv.',
    );
    expect(route({ skillId: 'text.measure' }).chosen[0]?.why).toBe(
      'Offers the skill "text.measure". Priority 5.',
    );
  });
});

describe('agents that require an extension', () => {
  const URI = 'https://x.example/ext';
  const needs = (...uris: string[]) => ({
    skills: [skill('profile', ['csv'])],
    defaultInputModes: [],
    defaultOutputModes: [],
    capabilities: {
      extensions: uris.map((uri) => ({ uri, required: true, description: '', params: undefined })),
    },
  });
  const STRICT = agent('strict', [], { card: needs(URI, 'urn:other'), priority: 9 });
  const agents = [CSV, STRICT];
  const required = (uris: string) =>
    expect.objectContaining({
      reason: 'EXTENSION_SUPPORT_REQUIRED',
      metadata: { extensions: uris },
    });

  it('are candidates only for those who ask for it', () => {
    const found = route({ tags: ['csv'] }, { agents });
    expect(chosen(found)).toEqual(['csv.profile']);
    expect(found.skipped).toEqual([
      expect.objectContaining({
        agentId: 'strict',
        why: expect.stringContaining(`Requires ${URI}, urn:other, which was not asked for.`),
      }),
    ]);
    const requested = route({ tags: ['csv'] }, { agents, extensions: [URI, 'urn:other'] });
    expect(chosen(requested)[0]).toBe('strict.profile');
  });

  it('are refused with the extensions that are missing when nobody else is left', () => {
    const one =
      (directive: RoutingDirective, more: Partial<RoutingQuestion> = {}) =>
      () =>
        route(directive, { agents, ...more });
    expect(one({ agentId: 'strict' })).toThrow(required(`${URI}, urn:other`));
    expect(one({ agentId: 'strict' }, { extensions: [URI] })).toThrow(required('urn:other'));
    expect(one({}, { agentId: 'strict' })).toThrow(required(`${URI}, urn:other`));
    expect(one({ skillId: 'strict.profile' })).toThrow(required(`${URI}, urn:other`));
    expect(one({}, { affinity: ['strict'] })).toThrow(required(`${URI}, urn:other`));
    expect(one({}, { defaultAgent: 'strict' })).toThrow(required(`${URI}, urn:other`));
  });

  it('are not asked for the extension of the hub itself, which it speaks with all', () => {
    const hub = agent('hub', [], { card: needs('urn:a2a-hub:routing:v1') });
    expect(chosen(route({ agentId: 'hub' }, { agents: [hub] }))).toEqual(['hub']);
  });
});
