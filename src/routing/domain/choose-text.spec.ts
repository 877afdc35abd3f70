import { describe, expect, it } from '@jest/globals';
import { textPart } from '../../protocol/build.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import { AgentIndex, type RoutableAgent } from './agent-index.js';
import { RouteChooser } from './choose.js';
import {
  externalCandidates,
  externalQuestion,
  followExternal,
  readExternalAnswer,
} from './external-order.js';
import type { TextFinding } from './find-text.js';
import { aRoutableAgent, aSkill, questionTo } from './fake-question.js';
import type { RoutingQuestion, RuleVerdict } from './question.js';
import type { PassedRule, Route } from './route.js';
import type { RuleDecision } from './rule-decision.js';
import type { TextMatch } from './text-index.js';

const skill = (id: string, tags: string[] = []): AgentSkill =>
  aSkill(id, tags, { name: id.toUpperCase(), description: `Does ${id}` });

const agent = (id: string, skills: AgentSkill[], priority = 0): RoutableAgent =>
  aRoutableAgent(id, skills, { priority });

const AGENTS = [
  agent('a', [skill('sum'), skill('mean')]),
  agent('b', [skill('sum')], 5),
  agent('c', [skill('draw', ['art'])]),
];

function ask(finding?: TextFinding, more: Partial<RoutingQuestion> = {}): Route {
  const chooser = new RouteChooser(questionTo(AGENTS, more));
  return chooser.named() ?? chooser.unnamed(finding);
}

const match = (id: string, score: number, words = ['word']): TextMatch => {
  const [agentId = '', skillId = ''] = id.split('.');
  return { agentId, skillId, score, words };
};
const finding = (...candidates: TextMatch[]): TextFinding => ({ candidates, threshold: 0.4 });
const chosen = (route: Route): string[] =>
  route.chosen.map(({ agentId, skillId }) => `${agentId}.${skillId}`);

describe('text', () => {
  it('chooses the best skill, with its score and the words that say so', () => {
    expect(ask(finding(match('c.draw', 0.7, ['draw', 'cats'])))).toMatchObject({
      reason: 'text',
      chosen: [
        {
          agentId: 'c',
          skillId: 'draw',
          score: 0.7,
          why: '"draw", "cats" of the text are in its skill "draw": score 0.7.',
        },
      ],
    });
  });

  it('keeps those in reserve that have the same words, by priority, one skill of each agent', () => {
    const route = ask(
      finding(
        match('a.sum', 0.7),
        match('b.sum', 0.7),
        match('a.mean', 0.69),
        match('c.draw', 0.66),
      ),
    );
    expect(chosen(route)).toEqual(['b.sum', 'a.sum', 'c.draw']);
  });

  it('does not let somebody take over who lacks a word, or says it much less', () => {
    const route = ask(
      finding(
        match('a.sum', 0.7, ['sum', 'rows']),
        match('b.sum', 0.69, ['sum']),
        match('c.draw', 0.6, ['sum', 'rows']),
      ),
    );
    expect(chosen(route)).toEqual(['a.sum']);
    expect(route.skipped).toMatchObject([
      { agentId: 'b', score: 0.69, why: expect.stringContaining('Others match better.') },
      { agentId: 'c', score: 0.6 },
    ]);
  });

  it('below the threshold leaves it to the default agent, and tells what came closest', () => {
    const low = finding(match('c.draw', 0.39));
    expect(ask(low, { defaultAgent: 'a' })).toMatchObject({
      reason: 'default',
      chosen: [{ agentId: 'a' }],
      skipped: [{ agentId: 'c', score: 0.39, why: expect.stringContaining('threshold of 0.4') }],
    });
    expect(() => ask(low)).toThrow(
      expect.objectContaining({
        reason: 'NO_ROUTE',
        message: expect.stringMatching(
          /no skill matches its text well enough\. Skills you may use: a\.sum/,
        ),
      }),
    );
  });

  it('is looked at after whoever is named, after the context and after the rules', () => {
    const strong = finding(match('c.draw', 0.9));
    expect(ask(strong, { directive: { agentId: 'a' } }).reason).toBe('agent');
    expect(ask(strong, { affinity: ['a'] }).reason).toBe('affinity');
    expect(ask(strong, { affinity: ['gone'] })).toMatchObject({
      reason: 'text',
      skipped: [{ agentId: 'gone' }],
    });
    expect(ask(strong, { defaultAgent: 'a' }).reason).toBe('text');
    const decision = { rule: { id: 'r', name: 'R' }, target: { to: { agentId: 'b' } } };
    expect(ask(strong, { decide: () => ({ decision, passed: [] }) }).reason).toBe('rule');
  });
});

const overOf = (rules: readonly PassedRule[]): RuleVerdict['passed'] =>
  rules.map((rule) => ({ rule, to: { agentId: 'gone' } }));

describe("the operator's rules", () => {
  const decides = (decision: Partial<RuleDecision>, passed: RuleVerdict['passed'] = []) => ({
    decide: (): RuleVerdict => ({
      decision: {
        rule: { id: 'r1', name: 'Sums' },
        target: { to: { skillId: 'sum' } },
        ...decision,
      },
      passed,
    }),
  });

  it('lead where they say, and the route names the rule and those passed over', () => {
    const passed = [{ id: 'r0', name: 'Gone', why: 'Nobody.' }];
    expect(ask(undefined, decides({}, overOf(passed)))).toMatchObject({
      reason: 'rule',
      rule: { id: 'r1', name: 'Sums' },
      passedRules: passed,
      chosen: [
        {
          agentId: 'b',
          why: 'By the rule "Sums". Priority 5. Before a, since its priority is higher: 5 against 0.',
        },
        { agentId: 'a' },
      ],
    });
  });

  it('are reported as passed over whatever decides after them', () => {
    const passed = [{ id: 'r0', name: 'Gone', why: 'Nobody.' }];
    const decide = (): RuleVerdict => ({ decision: undefined, passed: overOf(passed) });
    expect(ask(finding(match('c.draw', 0.9)), { decide }).passedRules).toEqual(passed);
    expect(ask(undefined, { decide, defaultAgent: 'a' }).passedRules).toEqual(passed);
  });

  it('reject with their own sentence', () => {
    expect(() =>
      ask(undefined, decides({ target: { reject: 'Orders go by the portal.' } })),
    ).toThrow(expect.objectContaining({ reason: 'NO_ROUTE', message: 'Orders go by the portal.' }));
  });

  it('give the options of a plan where the client names none', () => {
    const rule = decides({
      options: { strategy: 'all', require: 'any', maxAgents: 1, maxCalls: 4 },
    });
    expect(ask(undefined, rule)).toMatchObject({
      strategy: 'all',
      require: 'any',
      maxCalls: 4,
      chosen: [{ agentId: 'b' }],
    });
    expect(
      ask(undefined, { ...rule, directive: { strategy: 'first', maxAgents: 2 } }),
    ).toMatchObject({
      strategy: 'first',
      require: 'all',
      chosen: [{ agentId: 'b' }, { agentId: 'a' }],
    });
  });

  it('find no agent for a quorum that cannot be met, unless the client has asked for it', () => {
    const rule = decides({ options: { strategy: 'all', require: 'quorum', quorum: 3 } });
    expect(() => ask(undefined, rule)).toThrow(
      expect.objectContaining({ reason: 'NO_ROUTE', violations: [] }),
    );
    const directive = { strategy: 'all', require: 'quorum', quorum: 4 } as const;
    expect(() => ask(undefined, { ...rule, directive })).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [expect.objectContaining({ field: 'quorum' })],
      }),
    );
  });

  it('are asked about tags that no skill carries, which are a mistake else', () => {
    const requested: (readonly string[])[] = [];
    const decide = (tags: readonly string[]): RuleVerdict => {
      requested.push(tags);
      return tags.length > 0 ? decides({}).decide() : { decision: undefined, passed: [] };
    };
    expect(ask(undefined, { decide, directive: { tags: ['numbers'] } }).reason).toBe('rule');
    expect(ask(undefined, { decide, directive: { tags: ['art'] } }).reason).toBe('tags');
    expect(requested).toEqual([['numbers']]);
    expect(() => ask(undefined, { directive: { tags: ['numbers'] } })).toThrow(/No skill carries/);
  });
});

describe('an external router', () => {
  const index = AgentIndex.of(AGENTS);
  const own = finding(match('a.sum', 0.7), match('b.sum', 0.6));
  const candidates = externalCandidates(own.candidates, index);
  const follow = (order: string[], reason?: string): TextFinding =>
    followExternal(own, candidates, { order, reason });

  it('is shown every skill the caller may use, those that match first, and no file', () => {
    const parts = [
      { ...textPart('hello'), mediaType: '' },
      {
        ...textPart(''),
        mediaType: 'image/png',
        content: { $case: 'url' as const, value: 'https://x.example' },
      },
    ];
    expect(externalQuestion('acme', 'hello', { parts }, candidates, index)).toEqual({
      organization: 'acme',
      message: {
        text: 'hello',
        parts: [
          { kind: 'text', mediaType: 'text/plain' },
          { kind: 'url', mediaType: 'image/png' },
        ],
      },
      candidates: [
        { id: 'a.sum', skill: 'SUM', description: 'Does sum', tags: [], score: 0.7 },
        { id: 'b.sum', skill: 'SUM', description: 'Does sum', tags: [], score: 0.6 },
        { id: 'a.mean', skill: 'MEAN', description: 'Does mean', tags: [], score: 0 },
        { id: 'c.draw', skill: 'DRAW', description: 'Does draw', tags: ['art'], score: 0 },
      ],
    });
  });

  it('is shown no more parts and candidates than a bound, the best skill of each agent first', () => {
    const parts = Array.from({ length: 5000 }, () => ({
      ...textPart('x'),
      mediaType: 'y'.repeat(5000),
    }));
    const crowd = Array.from({ length: 150 }, (_, i) => skill(`s${i}`));
    const large = AgentIndex.of([...AGENTS, agent('crowd', crowd)]);
    const found = [...crowd.map(({ id }) => match(`crowd.${id}`, 0.7)), match('c.draw', 0.6)];
    const shown = externalCandidates(found, large);
    expect(shown).toHaveLength(100);
    expect(shown.at(-1)).toMatchObject({ agentId: 'c', score: 0.6 });
    const requested = externalQuestion('acme', '', { parts }, shown, large);
    expect(JSON.stringify(requested).length).toBeLessThan(64 * 1024);
  });

  it('is followed in its order, whatever the scores and priorities, unknown ids aside', () => {
    const route = ask(follow(['c.draw', 'x.y', 'a.mean', 'b.sum', 'a.sum'], 'It is about art'));
    expect(chosen(route)).toEqual(['c.draw', 'a.mean', 'b.sum']);
    expect(route.chosen[0]?.why).toContain('Chosen by the external router: It is about art.');
  });

  it('may say that no agent suits', () => {
    expect(ask(follow([]), { defaultAgent: 'b' }).reason).toBe('default');
    expect(() => ask(follow([], 'Small talk'))).toThrow(/chose no agent: Small talk\./);
  });

  it('is not followed when it names nobody there is; the order of the hub counts then', () => {
    const route = ask(follow(['x.y', 'a']));
    expect(chosen(route)).toEqual(['a.sum']);
    expect(route.chosen[0]?.why).toContain('named none of the candidates');
  });

  it.each([
    ['', 'not JSON'],
    ['<html>', 'not JSON'],
    ['null', 'no order'],
    ['[]', 'no order'],
    ['{"order":"a.sum"}', 'no order'],
    ['{"order":["a.sum",1]}', 'no order'],
    ['{"order":["a.sum"],"reason":7}', 'reason'],
  ])('is not understood when it answers %j', (body, problem) => {
    expect(() => readExternalAnswer(body)).toThrow(problem);
  });

  it('is read with or without a reason, and each id once', () => {
    expect(readExternalAnswer('{"order":["a","b","a"],"reason":null}')).toEqual({
      order: ['a', 'b'],
      reason: undefined,
    });
    const unclean = JSON.stringify({ order: [], reason: ' \0evil\u202E\n text\uD800 ' });
    expect(readExternalAnswer(unclean).reason).toBe('evil text');
    expect(readExternalAnswer(`{"order":[],"reason":"${'x'.repeat(999)}"}`).reason).toHaveLength(
      300,
    );
  });
});
