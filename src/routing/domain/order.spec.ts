import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AgentCondition } from '../../agents/index.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import type { RoutingDirective } from '../../protocol/routing-extension.js';
import type { RoutableAgent } from './agent-index.js';
import { RouteChooser } from './choose.js';
import type { RoutingQuestion } from './question.js';
import type { Route } from './route.js';

const skill = (id: string, tags: string[], fields: Partial<AgentSkill> = {}): AgentSkill => ({
  id,
  name: id,
  description: '',
  tags,
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
  ...fields,
});

const agent = (id: string, fields: Partial<RoutableAgent> = {}): RoutableAgent => ({
  id,
  tags: [],
  priority: 0,
  card: { skills: [skill('s', ['t'])], defaultInputModes: [], defaultOutputModes: [] },
  ...fields,
});

const IDLE: AgentCondition = {
  health: 'healthy',
  breaker: 'closed',
  outstanding: 0,
  queued: 0,
  isFull: false,
};
type Conditions = Readonly<Record<string, Partial<AgentCondition>>>;

const ABC = [agent('a'), agent('b'), agent('c')];

function route(
  conditions: Conditions,
  directive: RoutingDirective = {},
  more: Partial<RoutingQuestion> = {},
): Route {
  const chooser = new RouteChooser({
    agents: ABC,
    composites: [],
    directive: { tags: ['t'], ...directive },
    agentId: undefined,
    affinity: [],
    defaultAgent: null,
    media: { input: [], output: [] },
    extensions: [],
    decide: () => ({ decision: undefined, passed: [] }),
    conditionOf: (id) => ({ ...IDLE, ...conditions[id] }),
    ...more,
  });
  return chooser.named() ?? chooser.unnamed(undefined);
}

const chosen = ({ chosen: agents }: Route): string[] => agents.map(({ agentId }) => agentId);
const skipped = (found: Route): Record<string, string> =>
  Object.fromEntries(found.skipped.map(({ agentId, why }) => [agentId, why]));

describe('the order of equal matches', () => {
  it('puts the degraded and the half-open after their equals, whatever their priority', () => {
    const agents = [agent('a', { priority: 9 }), agent('b', { priority: 5 }), agent('c')];
    const found = route({ a: { health: 'degraded' }, b: { breaker: 'half-open' } }, {}, { agents });
    expect(chosen(found)).toEqual(['c', 'a', 'b']);
    expect(found.chosen[1]?.why).toContain('Degraded');
    expect(found.chosen[2]?.why).toContain('Half-open');
  });

  it('treats an agent nobody has called yet like a healthy one', () => {
    expect(chosen(route({ a: { health: 'unknown' } }))).toEqual(['a', 'b', 'c']);
  });

  it('is least work first, queued work included, and says how much there is', () => {
    const found = route({ a: { outstanding: 2 }, b: { queued: 1 }, c: {} });
    expect(chosen(found)).toEqual(['c', 'b', 'a']);
    expect(found.chosen[2]?.why).toContain('Has 2 at work.');
  });

  it('counts work relative to the weight', () => {
    const agents = [agent('a'), agent('b', { weight: 4 })];
    const busy = (a: number, b: number) =>
      chosen(route({ a: { outstanding: a }, b: { outstanding: b } }, {}, { agents }));
    expect(busy(1, 3)).toEqual(['b', 'a']);
    expect(busy(1, 4)).toEqual(['a', 'b']);
    expect(busy(1, 5)).toEqual(['a', 'b']);
  });

  it('puts priority before work', () => {
    const agents = [agent('a', { priority: 1 }), agent('b')];
    expect(chosen(route({ a: { outstanding: 50 } }, {}, { agents }))).toEqual(['a', 'b']);
  });

  it.each<[string, Record<string, Partial<AgentCondition>>, [object, object]]>([
    ['its priority is higher: 3 against 1', {}, [{ priority: 3 }, { priority: 1 }]],
    [
      'it has less at work: 1 against 3',
      { a: { outstanding: 1 }, b: { outstanding: 2, queued: 1 } },
      [{}, {}],
    ],
    [
      'it has less at work for its weight: 3 with weight 4 against 1 with weight 1',
      { a: { outstanding: 3 }, b: { outstanding: 1 } },
      [{ weight: 4 }, {}],
    ],
    ['the other is degraded', { b: { health: 'degraded' } }, [{}, {}]],
    [
      'the breaker of the other is half-open after failures',
      { b: { breaker: 'half-open', health: 'degraded' } },
      [{}, {}],
    ],
  ])('says that the first one is it since %s', (why, known, [ofA, ofB]) => {
    const agents = [agent('b', ofB), agent('a', ofA)];
    const [first, second] = route(known, {}, { agents }).chosen;
    expect(first).toMatchObject({
      agentId: 'a',
      why: expect.stringContaining(`Before b, since ${why}.`),
    });
    expect(second?.why).not.toContain('since');
  });

  it('says of agents that are equal that the id decided', () => {
    expect(route({}).chosen[0]?.why).toContain(
      'Equal to b in everything that counts, and before it by the order of their ids.',
    );
  });

  it('says nothing of an order where all are asked, or only one is there', () => {
    const all = route({}, { strategy: 'all' }).chosen;
    const [only] = route({}, {}, { agents: [agent('a')] }).chosen;
    for (const { why } of [...all, only!]) expect(why).not.toMatch(/Before|Equal/);
  });

  it('never depends on the order of the registry', () => {
    const condition = fc.record({
      health: fc.constantFrom('unknown', 'healthy', 'degraded', 'down'),
      breaker: fc.constantFrom('closed', 'half-open', 'open'),
      outstanding: fc.nat(2),
      isFull: fc.constant(false),
    }) as fc.Arbitrary<Partial<AgentCondition>>;
    const conditions = fc.record({ a: condition, b: condition, c: condition });
    const orders = fc.shuffledSubarray(ABC, { minLength: 3 });
    fc.assert(
      fc.property(conditions, orders, (known, agents) => {
        expect(chosen(route(known, {}, { agents }))).toEqual(chosen(route(known)));
      }),
    );
  });
});

describe('agents that are out', () => {
  it('are left out while others are there, with the reason', () => {
    const found = route({ a: { health: 'down' }, b: { breaker: 'open' } });
    expect(chosen(found)).toEqual(['c']);
    expect(skipped(found)).toEqual({
      a: expect.stringContaining('It is down.'),
      b: expect.stringContaining('left alone'),
    });
  });

  it('are tried when nobody else is left, those out of service last', () => {
    const found = route({
      a: { health: 'down', breaker: 'open' },
      b: { health: 'down' },
      c: { health: 'down' },
    });
    expect(chosen(found)).toEqual(['b', 'c', 'a']);
    expect(found.chosen[0]?.why).toContain('too few others');
  });

  it('are tried as far as a quorum needs them', () => {
    const found = route(
      { a: { health: 'down' }, b: { health: 'down' } },
      { strategy: 'all', require: 'quorum', quorum: 2 },
    );
    expect(chosen(found)).toEqual(['c', 'a']);
  });

  it('are tried when the client names them', () => {
    expect(chosen(route({ b: { health: 'down' } }, { agentId: 'b' }))).toEqual(['b']);
  });
});

describe('agents that are full', () => {
  const FULL = { isFull: true };

  it('are left out while others are there', () => {
    const found = route({ a: FULL });
    expect(chosen(found)).toEqual(['b', 'c']);
    expect(skipped(found)).toEqual({ a: expect.stringContaining('queue is full') });
  });

  it('reject the message when nobody else is left, and say when to come back', () => {
    const busy = expect.objectContaining({
      reason: 'AGENT_BUSY',
      message: expect.stringContaining('a, b, c'),
      metadata: { agents: 'a, b, c', retryAfterSeconds: expect.stringMatching(/^\d+$/) },
    });
    expect(() => route({ a: FULL, b: FULL, c: FULL })).toThrow(busy);
    expect(() => route({ b: FULL }, { agentId: 'b' })).toThrow(
      expect.objectContaining({ reason: 'AGENT_BUSY' }),
    );
  });

  it('are passed over for one that is down', () => {
    expect(chosen(route({ a: FULL, b: FULL, c: { health: 'down' } }))).toEqual(['c']);
  });

  it('do not hinder a step whose turn comes later', () => {
    const directive: RoutingDirective = {
      tags: [],
      strategy: 'chain',
      steps: [{ agentId: 'a' }, { agentId: 'b' }],
    };
    expect(chosen(route({ b: FULL }, directive))).toEqual(['a', 'b']);
    expect(() => route({ a: FULL }, directive)).toThrow(/^Step "step-1": a has its queue full/);
  });
});

describe('media types', () => {
  const card = (inputs: string[], outputs: string[], skills = [skill('s', ['t'])]) => ({
    card: { skills, defaultInputModes: inputs, defaultOutputModes: outputs },
  });
  const agents = [
    agent('image', card(['image/png'], ['text/plain'])),
    agent('text', card(['text/*'], ['text/plain'])),
  ];
  const media = { input: ['text/csv'], output: ['text/plain'], isEnforced: true };

  it('exclude when they are enforced, with the reason', () => {
    const found = route({}, {}, { agents, media });
    expect(chosen(found)).toEqual(['text']);
    expect(skipped(found)['image']).toContain('Does not list text/csv among its inputs.');
  });

  it('refuse what nobody takes, or nobody gives, naming the types', () => {
    const refused = (input: string[], output: string[]) => () =>
      route({}, {}, { agents, media: { ...media, input, output } });
    expect(refused(['audio/wav'], [])).toThrow(
      expect.objectContaining({
        reason: 'CONTENT_TYPE_NOT_SUPPORTED',
        message: expect.stringContaining('audio/wav'),
      }),
    );
    expect(refused([], ['video/mp4'])).toThrow(/gives one of video\/mp4/);
    expect(
      chosen(
        route({}, {}, { agents, media: { ...media, input: ['audio/wav'], isEnforced: false } }),
      ),
    ).toEqual(['image', 'text']);
  });

  it('choose the skill that fits, and let an agent named without one use any of its skills', () => {
    const both = agent('both', {
      card: {
        skills: [
          skill('draw', ['t', 'best'], { inputModes: ['image/png'] }),
          skill('read', ['t'], { inputModes: ['text/csv'] }),
        ],
        defaultInputModes: ['audio/wav'],
        defaultOutputModes: [],
      },
    });
    const only = { agents: [both], media: { ...media, output: [] } };
    expect(route({}, { match: 'any', tags: ['t', 'best'] }, only).chosen).toMatchObject([
      { agentId: 'both', skillId: 'read' },
    ]);
    expect(chosen(route({}, { tags: [], agentId: 'both' }, only))).toEqual(['both']);
  });
});
