import { describe, expect, it } from '@jest/globals';
import type { RoutingTarget } from '../../protocol/routing-extension.js';
import type { RoutableAgent } from './agent-index.js';
import { RouteChooser } from './choose.js';
import { ExcludedAgents } from './excluded.js';
import type { Registered } from './excluded-search.js';
import { aRoutableAgent, aSkill, questionTo } from './fake-question.js';
import type { RoutingQuestion } from './question.js';
import { type Exclusions, type Route, withoutExcluded } from './route.js';

const reading = (id: string, changes: Partial<RoutableAgent> = {}): RoutableAgent =>
  aRoutableAgent(id, [aSkill('read', ['papers']), aSkill('write', ['papers'])], changes);

const A = reading('a');
const B = reading('b');
const WRITES = aRoutableAgent('w', [aSkill('write', ['papers'])]);

/** Why agents that are not among the usable ones may not be used, by their ids. */
const DISABLED = 'It was disabled by an operator.';
const RESTRICTED = 'It is restricted to other organizations.';
const isElsewhere = (id: string): boolean => id.startsWith('other');
const whyNot = (id: string, skillId?: string): string =>
  isElsewhere(id) ? RESTRICTED : id === 'b' ? DISABLED : `Not ${id} ${skillId ?? 'as a whole'}.`;

const registered = (
  agents: readonly RoutableAgent[],
  changes: Partial<Registered> = {},
): Registered => ({ agents, closed: [], open: [], isElsewhere, whyNot, ...changes });

function excludedBy(
  targets: RoutingTarget | readonly RoutingTarget[],
  usable: readonly RoutableAgent[],
  agents: readonly RoutableAgent[] | Registered,
): Exclusions {
  const of = 'agents' in agents ? agents : registered(agents);
  const excluded = new ExcludedAgents(of, usable);
  for (const each of [targets].flat()) excluded.note(each);
  return excluded.shown;
}

const idsOf = ({ excluded = [] }: Exclusions): string[] => excluded.map(({ agentId }) => agentId);

const many = (count: number, id: string): RoutableAgent[] =>
  Array.from({ length: count }, (_, i) => reading(`${id}${i}`));

describe('who is excluded', () => {
  it.each<[RoutingTarget, object[]]>([
    [{ skillId: 'read' }, [{ agentId: 'b', skillId: 'read', why: DISABLED }]],
    [{ skillId: 'b.read' }, [{ agentId: 'b', skillId: 'read', why: DISABLED }]],
    [{ agentId: 'b' }, [{ agentId: 'b', why: DISABLED }]],
    [{ agentId: 'b', skillId: 'b.write' }, [{ agentId: 'b', skillId: 'write', why: DISABLED }]],
    [{ agentId: 'unknown' }, [{ agentId: 'unknown', why: 'Not unknown as a whole.' }]],
    [{ tags: ['PAPERS'] }, [{ agentId: 'b', skillId: 'read', why: DISABLED }]],
    [
      { tags: ['papers', 'none'], match: 'any' },
      [{ agentId: 'b', skillId: 'read', why: DISABLED }],
    ],
    [{ tags: ['papers', 'none'] }, []],
    [{ skillId: 'unknown' }, []],
    [{ skillId: 'composite.unknown' }, []],
    [{ agentId: 'a' }, []],
    [{}, []],
  ])('of those that %j means', (target, expected) => {
    const usable = [A, WRITES];
    const { excluded = [] } = excludedBy(target, usable, [A, B, WRITES]);
    expect(excluded).toEqual(expected);
    // The second time it is remembered.
    expect(excludedBy(target, usable, [A, B, WRITES]).excluded ?? []).toEqual(expected);
  });

  it('is an agent for the skill alone that policies keep, and as a whole where it is by skill only', () => {
    const narrowed: RoutableAgent = {
      ...aRoutableAgent('a', [aSkill('read', ['papers'])]),
      ...{ isNarrowed: true, bySkillOnly: true },
    };
    const of = (target: RoutingTarget) => excludedBy(target, [narrowed], [A]).excluded ?? [];
    expect(of({ skillId: 'write' })).toEqual([
      { agentId: 'a', skillId: 'write', why: 'Not a write.' },
    ]);
    expect(of({ skillId: 'read' })).toEqual([]);
    expect(of({ agentId: 'a', skillId: 'read' })).toEqual([]);
    expect(of({ agentId: 'a' })).toEqual([{ agentId: 'a', why: 'Not a as a whole.' }]);
    expect(of({ tags: ['papers'] })).toEqual([]);
  });

  it('is counted only where it is restricted to other organizations, and named where its id is', () => {
    const agents = [...many(60, 'other'), B, A];
    const read = { skillId: 'read' };
    const b = { agentId: 'b', skillId: 'read', why: DISABLED };
    expect(excludedBy(read, [A], agents)).toEqual({ excluded: [b], excludedElsewhere: 60 });
    expect(excludedBy({ tags: ['papers'] }, [A], agents)).toEqual({
      excluded: [b],
      excludedElsewhere: 60,
    });
    const other = { agentId: 'other7', skillId: 'read', why: RESTRICTED };
    expect(excludedBy([read, { skillId: 'other7.read' }], [A], agents)).toEqual({
      excluded: [other, b],
      excludedElsewhere: 59,
    });
    const excluded = new ExcludedAgents(registered(agents), [A]);
    excluded.noteAgents(['a', 'other1', 'b'], 'Was here.');
    expect(excluded.shown).toEqual({
      excluded: [
        { agentId: 'other1', why: `Was here. ${RESTRICTED}` },
        { agentId: 'b', why: `Was here. ${DISABLED}` },
      ],
    });
  });

  it('is restricted to other organizations only where it carries all tags that are wanted', () => {
    const others = [...many(3, 'other'), aRoutableAgent('other-x', [aSkill('x', ['rare'])])];
    const of = (target: RoutingTarget) => excludedBy(target, [A], [...others, A]);
    expect(of({ tags: ['papers', 'rare'] })).toEqual({});
    expect(of({ tags: ['papers', 'rare'], match: 'any' })).toEqual({ excludedElsewhere: 4 });
  });

  it('is named up to 50, those that are named by their ids first, and the rest is counted', () => {
    const agents = [...many(63, 'h'), B, A];
    const named = excludedBy([{ skillId: 'read' }, { agentId: 'b' }], [A], agents);
    expect(idsOf(named).slice(0, 3)).toEqual(['b', 'h0', 'h1']);
    expect(named.excluded).toHaveLength(50);
    // Of 64 with the skill, and b as a whole.
    expect(named.moreExcluded).toBe(15);
  });

  it('is there once for each skill, however many targets fit it', () => {
    const agents = [...many(63, 'h'), ...many(5, 'other'), A];
    const read = { skillId: 'read' };
    const h3 = { agentId: 'h3', skillId: 'h3.read' };
    const once = excludedBy([read, { tags: ['papers'] }, h3, h3, read], [A], agents);
    expect(once).toMatchObject({ moreExcluded: 13, excludedElsewhere: 5 });
    expect(idsOf(once).slice(0, 2)).toEqual(['h3', 'h0']);
    expect(new Set(idsOf(once)).size).toBe(50);
    // The other skill of the same agents, which none of the targets before is about.
    const both = excludedBy([read, { skillId: 'write' }], [A], agents);
    expect(both).toMatchObject({ moreExcluded: 76, excludedElsewhere: 5 });
  });

  it('is looked for among 1,000 agents at most, those of the own organization first', () => {
    let looks = 0;
    const watched = (agent: RoutableAgent): RoutableAgent => ({
      ...agent,
      get tags() {
        looks += 1;
        return agent.tags;
      },
    });
    const usable = many(500, 'usable');
    const closed = [watched(reading('z-closed'))];
    const open = [...usable, watched(reading('z-open'))];
    const others = many(10_000, 'other').map(watched);
    const agents = [...usable, ...others, ...closed, ...open.slice(-1)];
    let asked = 0;
    const all = registered(agents, {
      closed,
      open,
      isElsewhere: (id) => (asked++, isElsewhere(id)),
    });
    excludedBy({ tags: ['none'] }, usable, all); // The indexes are made.
    const targets: RoutingTarget[] = [
      { tags: ['papers'] },
      { tags: ['papers', 'x'], match: 'any' },
      { skillId: 'read' },
    ];
    for (const target of targets) {
      [looks, asked] = [0, 0];
      const found = excludedBy(target, usable, all);
      expect(idsOf(found)).toEqual(['z-closed', 'z-open']);
      expect(found).toMatchObject({ excludedElsewhere: 998, isExcludedPartial: true });
      expect(asked).toBe(1000);
      // None that is restricted has its tags compared.
      expect(looks).toBeLessThanOrEqual(2);
    }
    [looks, asked] = [0, 0];
    const steps = Array.from({ length: 20 }, (_, i) => ({
      tags: [`x${i}`, 'papers'],
      match: 'any' as const,
    }));
    expect(excludedBy(steps, usable, all)).toMatchObject({ isExcludedPartial: true });
    expect(asked).toBe(1000);
  });

  it('is not said to be more where just 1,000 are, and a search that was cut short is not remembered', () => {
    const usable = [A];
    const agents = [...many(1000, 'other'), A];
    expect(excludedBy({ skillId: 'read' }, usable, agents)).toEqual({ excludedElsewhere: 1000 });
    const writers = aRoutableAgent('other-w', [aSkill('other-skill')]);
    const all = registered([...agents, writers]);
    const cut = excludedBy([{ skillId: 'read' }, { skillId: 'other-skill' }], usable, all);
    expect(cut).toEqual({ excludedElsewhere: 1000, isExcludedPartial: true });
    expect(excludedBy({ skillId: 'other-skill' }, usable, all)).toEqual({ excludedElsewhere: 1 });
  });

  it('is looked for once for those who may use the same, but for targets of great length', () => {
    let looks = 0;
    const usable = [A];
    const all = registered([A, B], { whyNot: () => `Look ${++looks}.` });
    const look = (target: RoutingTarget) => excludedBy(target, usable, all).excluded?.[0]?.why;
    const read = { skillId: 'read' };
    expect([look(read), look(read)]).toEqual(['Look 1.', 'Look 1.']);
    const long = { tags: ['x'.repeat(600), 'papers'], match: 'any' as const };
    expect([look(long), look(long)]).toEqual(['Look 2.', 'Look 3.']);
    // What is asked for again and again stays, whatever others ask for once.
    for (let i = 0; i < 250; i++) {
      look({ skillId: `b${i}` });
      if (i % 90 === 0) expect(look(read)).toBe('Look 1.');
    }
    expect(look(read)).toBe('Look 1.');
    for (let i = 0; i < 100; i++) look({ skillId: `c${i}` });
    expect(look(read)).toBe('Look 4.');
  });
});

describe('a route', () => {
  const agents = [A, B, WRITES];
  const routeOf = (changes: Partial<RoutingQuestion>, usable = [A, WRITES]): Route => {
    const excluded = new ExcludedAgents(registered(agents), usable);
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

  it('does not grow with the agents of other organizations', () => {
    const all = registered([A, ...many(60, 'other')]);
    const excluded = new ExcludedAgents(all, [A]);
    const question = questionTo([A], { excluded, directive: { skillId: 'read' } });
    const found = new RouteChooser(question).named();
    expect(found).not.toHaveProperty('excluded');
    expect(found?.excludedElsewhere).toBe(60);
    expect(withoutExcluded(found!)).not.toHaveProperty('excludedElsewhere');
    expect(JSON.stringify(found).length).toBeLessThan(300);
  });

  it('says nothing of it where its sender may use every agent', () => {
    expect(routeOf({ directive: { skillId: 'read' } }, agents)).not.toHaveProperty('excluded');
  });
});
