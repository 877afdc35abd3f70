import { describe, expect, it } from '@jest/globals';
import type { Exclusion } from '../../agents/index.js';
import type { RoutingTarget } from '../../protocol/routing-extension.js';
import type { RoutableAgent } from './agent-index.js';
import { RouteChooser } from './choose.js';
import { ExcludedAgents } from './excluded.js';
import { aRoutableAgent, aSkill, questionTo } from './fake-question.js';
import type { RoutingQuestion } from './question.js';
import type { Route } from './route.js';

const reading = (id: string, changes: Partial<RoutableAgent> = {}): RoutableAgent =>
  aRoutableAgent(id, [aSkill('read', ['papers']), aSkill('write', ['papers'])], changes);

const A = reading('a');
const B = reading('b');
const WRITES = aRoutableAgent('w', [aSkill('write', ['papers'])]);

/** Why agents that are not among the usable ones may not be used, by their ids. */
const whys: Readonly<Record<string, Exclusion>> = {
  b: { why: 'It was disabled by an operator.' },
  other: { why: 'It is restricted to other organizations.', isElsewhere: true },
};
const whyNot = (id: string, skillId?: string): Exclusion | undefined =>
  whys[id] ?? { why: `Not ${id} ${skillId ?? 'as a whole'}.` };

function excludedBy(
  target: RoutingTarget,
  usable: readonly RoutableAgent[],
  agents: readonly RoutableAgent[],
): ExcludedAgents {
  const excluded = new ExcludedAgents({ agents, whyNot }, usable);
  excluded.note(target);
  return excluded;
}

const idsOf = ({ candidates }: ExcludedAgents): string[] =>
  candidates.map(({ agentId }) => agentId);

describe('who is excluded', () => {
  it.each<[RoutingTarget, object[]]>([
    [{ skillId: 'read' }, [{ agentId: 'b', skillId: 'read', why: whys['b']?.why }]],
    [{ skillId: 'b.read' }, [{ agentId: 'b', skillId: 'read', why: whys['b']?.why }]],
    [{ agentId: 'b' }, [{ agentId: 'b', why: whys['b']?.why }]],
    [
      { agentId: 'b', skillId: 'b.write' },
      [{ agentId: 'b', skillId: 'write', why: whys['b']?.why }],
    ],
    [{ agentId: 'unknown' }, [{ agentId: 'unknown', why: 'Not unknown as a whole.' }]],
    [{ tags: ['PAPERS'] }, [{ agentId: 'b', skillId: 'read', why: whys['b']?.why }]],
    [
      { tags: ['papers', 'none'], match: 'any' },
      [{ agentId: 'b', skillId: 'read', why: whys['b']?.why }],
    ],
    [{ tags: ['papers', 'none'] }, []],
    [{ skillId: 'unknown' }, []],
    [{ skillId: 'composite.unknown' }, []],
    [{ agentId: 'a' }, []],
    [{}, []],
  ])('of those that %j means', (target, expected) => {
    const usable = [A, WRITES];
    expect(excludedBy(target, usable, [A, B, WRITES]).candidates).toEqual(expected);
    // The second time it is remembered.
    expect(excludedBy(target, usable, [A, B, WRITES]).candidates).toEqual(expected);
  });

  it('is an agent for the skill alone that policies keep, and as a whole where it is by skill only', () => {
    const narrowed: RoutableAgent = {
      ...aRoutableAgent('a', [aSkill('read', ['papers'])]),
      ...{ isNarrowed: true, bySkillOnly: true },
    };
    const of = (target: RoutingTarget) => excludedBy(target, [narrowed], [A]).candidates;
    expect(of({ skillId: 'write' })).toEqual([
      { agentId: 'a', skillId: 'write', why: 'Not a write.' },
    ]);
    expect(of({ skillId: 'read' })).toEqual([]);
    expect(of({ agentId: 'a', skillId: 'read' })).toEqual([]);
    expect(of({ agentId: 'a' })).toEqual([{ agentId: 'a', why: 'Not a as a whole.' }]);
    expect(of({ tags: ['papers'] })).toEqual([]);
  });

  it('is named up to 50, those of other organizations last, and the rest is counted', () => {
    const elsewhere = Array.from({ length: 60 }, () => reading('other'));
    const here = Array.from({ length: 3 }, (_, i) => reading(`h${i}`));
    const excluded = excludedBy({ skillId: 'read' }, [A], [...elsewhere, ...here, A]);
    expect(idsOf(excluded).slice(0, 4)).toEqual(['h0', 'h1', 'h2', 'other']);
    expect(excluded.candidates).toHaveLength(50);
    expect(excluded.more).toBe(13);
    excluded.note({ agentId: 'b' }, 'The rule "R" leads to it.');
    expect([excluded.candidates.length, excluded.more]).toEqual([50, 14]);
  });

  it('is looked for once for those who may use the same, but for targets of great length', () => {
    let looks = 0;
    const usable = [A];
    const agents = [A, B];
    const counting = (): Exclusion => ({ why: `Look ${++looks}.` });
    const look = (target: RoutingTarget) => {
      const excluded = new ExcludedAgents({ agents, whyNot: counting }, usable);
      excluded.note(target);
      return excluded.candidates[0]?.why;
    };
    expect([look({ skillId: 'read' }), look({ skillId: 'read' })]).toEqual(['Look 1.', 'Look 1.']);
    const long = { agentId: 'b', tags: ['x'.repeat(600)] };
    expect([look(long), look(long)]).toEqual(['Look 2.', 'Look 3.']);
    for (let i = 0; i < 250; i++) look({ agentId: `b${i}` });
    expect(look({ skillId: 'read' })).not.toBe('Look 1.');
  });
});

describe('a route', () => {
  const agents = [A, B, WRITES];
  const routeOf = (changes: Partial<RoutingQuestion>, usable = [A, WRITES]): Route => {
    const excluded = new ExcludedAgents({ agents, whyNot }, usable);
    const chooser = new RouteChooser(questionTo(usable, { excluded, ...changes }));
    const text = {
      candidates: [{ agentId: 'a', skillId: 'read', score: 0.9, words: ['read'] }],
      threshold: 0.4,
    };
    return chooser.named() ?? chooser.unnamed(text);
  };

  it('names who is excluded by skill, tags, text, context and in steps', () => {
    const b = (why: string, skillId?: string) => [
      { agentId: 'b', ...(skillId && { skillId }), why: `${why}It was disabled by an operator.` },
    ];
    expect(routeOf({ directive: { skillId: 'read' } }).excluded).toEqual(b('', 'read'));
    expect(routeOf({ directive: { tags: ['papers'] } }).excluded).toEqual(b('', 'read'));
    expect(routeOf({}).excluded).toEqual(b('Has the skill "read", too. ', 'read'));
    const before = routeOf({ affinity: ['a', 'b'] });
    expect(before).toMatchObject({ reason: 'affinity', skipped: [{ agentId: 'b' }] });
    expect(before.excluded).toEqual(b('Handled the last message of this context. '));
    const chain = { strategy: 'chain' as const, steps: [{ skillId: 'read' }, { agentId: 'a' }] };
    expect(routeOf({ directive: chain }).excluded).toEqual(b('Step "step-1": ', 'read'));
    expect(routeOf({ directive: { agentId: 'a' } })).not.toHaveProperty('excluded');
  });

  it('names those to whom rules lead, those that were passed over too', () => {
    const rule = { id: 'r', name: 'R', why: 'No.' };
    const target = { to: { tags: ['papers'] } };
    const found = routeOf({
      decide: () => ({
        passed: [{ rule, to: { agentId: 'b' } }],
        decision: { rule: { id: 'd', name: 'D' }, target },
      }),
    });
    expect(found.passedRules).toEqual([rule]);
    expect(found.excluded).toEqual([
      { agentId: 'b', why: 'The rule "R" leads to it. It was disabled by an operator.' },
      { agentId: 'b', skillId: 'read', why: 'It was disabled by an operator.' },
    ]);
  });

  it('says nothing of it where its sender may use every agent', () => {
    expect(routeOf({ directive: { skillId: 'read' } }, agents)).not.toHaveProperty('excluded');
  });
});
