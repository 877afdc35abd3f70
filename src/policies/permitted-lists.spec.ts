import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '../auth/index.js';
import { CallerRules } from './caller-rules.js';
import { callerOf } from './domain/caller.js';
import type { PolicyResource } from './domain/policy.js';
import { type Permits, PermittedLists } from './permitted-lists.js';
import { PolicySet } from './policy-set.js';

const CALLER: Principal = { id: 'p1', organization: 'acme', scopes: new Set(['a2a']) };
const resourceOf = (skillId: string): PolicyResource => ({
  ...{ agentId: 'books', agentTags: [], tags: [] },
  skillId,
});
const SKILLS: Permits<string> = {
  resourcesOf: (id) => [resourceOf(id)],
  left: (id, mayAsk) => (mayAsk(resourceOf(id)) ? id : undefined),
};
const FORBIDS_B = 'forbid(principal, action, resource) when { resource == Skill::"books.b" };';
/** Each is told apart, and so decided by itself. */
const MANY = Array.from({ length: 300 }, (_, n) => `s${n}`);

let rules: CallerRules;
let lists: PermittedLists<string>;
let sets = 0;

async function rulesOf(...texts: string[]): Promise<CallerRules> {
  const policies = texts.map((text, n) => ({ id: `p${n}`, text }));
  const set = await PolicySet.read(`lists-${(sets += 1)}`, policies, 'permit');
  return new CallerRules(set, callerOf(CALLER), {
    decided: () => undefined,
    failed: (why) => expect(why).toBeUndefined(),
  });
}

beforeEach(async () => {
  rules = await rulesOf(FORBIDS_B);
  lists = new PermittedLists({ rulesFor: () => rules, refuseOperation: () => undefined }, SKILLS);
});

describe('what policies leave of a list', () => {
  it('is the same object until the list or the policies change', async () => {
    const list = ['a', 'b', 'c'];
    await lists.prepare(CALLER, list);
    const left = lists.of(CALLER, list);
    expect(left).toEqual(['a', 'c']);
    expect(lists.of(CALLER, list)).toBe(left);
    expect(lists.prepare(CALLER, list)).toBeUndefined();
    expect(lists.of(CALLER, [...list])).not.toBe(left);
    rules = await rulesOf();
    expect(lists.of(CALLER, list)).toBe(list);
  });

  it('is all of what they permit, also where they change between its making and its use', async () => {
    const list = ['a', 'b', 'c'];
    await lists.prepare(CALLER, list);
    rules = await rulesOf(FORBIDS_B.replace('books.b', 'books.c'));
    expect(lists.of(CALLER, list)).toEqual(['a', 'b']);
  });

  it('is decided once for all who ask at once, in turns with other work', async () => {
    rules = await rulesOf(
      MANY.map((id) => `forbid(principal, action, resource == Skill::"books.${id}");`).join(''),
    );
    const first = lists.prepare(CALLER, MANY);
    expect(lists.prepare(CALLER, MANY)).toBe(first);
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await first;
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
    expect(lists.of(CALLER, MANY)).toEqual([]);
  });
});
