import { describe, expect, it } from '@jest/globals';
import type { PolicyResource } from '../../policies/index.js';
import type { Agent } from '../agent.js';
import { type Requested, keptFrom, mayAskFor, PERMITTED_AGENTS } from './permitted-agents.js';

const skill = (id: string, ...tags: string[]) => ({ id, tags });
function agentWith(...skills: { id: string; tags: string[] }[]): Agent {
  return { id: 'books', tags: ['Office'], card: { skills } } as unknown as Agent;
}
const BOOKS = agentWith(skill('invoices', 'Finance', 'papers'), skill('calendar', 'dates'));
const BARE = agentWith();

/** Permits all but what is named: `agent`, or the ids of skills. */
const allBut =
  (...refused: string[]) =>
  ({ skillId }: PolicyResource): boolean =>
    !refused.includes(skillId ?? 'agent');

const left = (agent: Agent, ...refused: string[]) =>
  PERMITTED_AGENTS.left(agent, allBut(...refused));

describe('what policies leave of an agent', () => {
  it('is the agent itself where they refuse nothing of it', () => {
    expect(left(BOOKS)).toBe(BOOKS);
    expect(left(BARE)).toBe(BARE);
  });

  it('is nothing where no skill is left, whatever they say of the agent itself', () => {
    expect(left(BOOKS, 'invoices', 'calendar')).toBeUndefined();
    expect(left(BOOKS, 'agent', 'invoices', 'calendar')).toBeUndefined();
    expect(left(BARE, 'agent')).toBeUndefined();
  });

  it('is the skills they permit, by name alone where they refuse the agent', () => {
    const narrowed = left(BOOKS, 'invoices')!;
    expect(narrowed).toMatchObject({ isNarrowed: true, tags: ['Office'] });
    expect(narrowed.bySkillOnly).toBeUndefined();
    expect(narrowed.card.skills).toEqual([BOOKS.card.skills[1]]);
    const single = left(BOOKS, 'agent', 'invoices')!;
    expect(single).toMatchObject({ isNarrowed: true, bySkillOnly: true, tags: [] });
    expect(single.card.skills).toEqual([skill('calendar', 'dates', 'Office')]);
    expect(left(BOOKS, 'agent')!.isNarrowed).toBeUndefined();
  });
});

describe('what goes on at an agent', () => {
  it.each<[string | null, string[], boolean]>([
    [null, [], true],
    [null, ['invoices'], true],
    [null, ['agent'], false],
    [null, ['invoices', 'calendar'], false],
    ['invoices', ['agent', 'calendar'], true],
    ['invoices', ['invoices'], false],
    ['gone', ['invoices'], true],
    ['gone', ['agent'], false],
    ['gone', ['invoices', 'calendar'], false],
  ])('as %s without %j is permitted: %s', (skillId, refused, expected) => {
    expect(mayAskFor(BOOKS, skillId, allBut(...refused))).toBe(expected);
  });

  it('needs the agent alone where it has no skills', () => {
    expect(mayAskFor(BARE, null, allBut())).toBe(true);
    expect(mayAskFor(BARE, null, allBut('agent'))).toBe(false);
  });
});

describe('what is kept from a caller who names an agent', () => {
  const ANY: Requested = { skillId: null, tags: [], match: 'all' };
  it.each<[Partial<Requested>, string[], (string | null)[]]>([
    [{}, [], []],
    [{}, ['invoices'], []],
    [{}, ['agent'], [null]],
    [{}, ['invoices', 'calendar'], ['invoices', 'calendar']],
    [{ skillId: 'invoices' }, ['invoices'], ['invoices']],
    [{ skillId: 'invoices' }, ['agent'], []],
    [{ skillId: 'gone' }, ['invoices'], []],
    [{ skillId: 'gone' }, ['agent'], [null]],
    [{ tags: ['FINANCE'] }, ['invoices'], ['invoices']],
    [{ tags: ['finance', 'office'] }, ['invoices'], ['invoices']],
    [{ tags: ['finance', 'dates'] }, ['invoices'], []],
    [{ tags: ['finance', 'dates'], match: 'any' }, ['invoices'], []],
    [{ tags: ['finance', 'none'], match: 'any' }, ['invoices'], ['invoices']],
    [{ tags: ['office'] }, ['invoices', 'calendar'], ['invoices', 'calendar']],
    [{ skillId: 'calendar', tags: ['finance'] }, ['invoices'], []],
  ])('and asks %j without %j is %j', (asked, refused, expected) => {
    const kept = keptFrom(BOOKS, { ...ANY, ...asked }, allBut(...refused));
    expect(kept.map(({ skillId }) => skillId)).toEqual(expected);
  });
});
