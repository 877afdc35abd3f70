import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Principal } from '../auth/index.js';
import { CallerRules, type DecisionListener } from './caller-rules.js';
import { callerOf } from './domain/caller.js';
import type { PolicyResource } from './domain/policy.js';
import { type Permits, PermittedLists, prepareAll } from './permitted-lists.js';
import { PolicySet } from './policy-set.js';
import { RememberedRules } from './remembered-rules.js';

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

const LISTENER: DecisionListener = {
  decided: () => undefined,
  failed: (why) => expect(why).toBeUndefined(),
};

let rules: CallerRules;
let lists: PermittedLists<string>;
let sets = 0;

async function rulesOf(...texts: string[]): Promise<CallerRules> {
  const policies = texts.map((text, n) => ({ id: `p${n}`, text }));
  const set = await PolicySet.read(`lists-${(sets += 1)}`, policies, 'permit');
  return new CallerRules(set, callerOf(CALLER), LISTENER);
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

  it('is decided anew, in turns too, where the policies change while it is', async () => {
    const forbidAll = (): Promise<CallerRules> =>
      rulesOf(
        MANY.map((id) => `forbid(principal, action, resource == Skill::"books.${id}");`).join(''),
      );
    const other = ['s1', 's2'];
    rules = await forbidAll();
    const changes = [await forbidAll(), await forbidAll(), await rulesOf(FORBIDS_B)];
    const changing = setInterval(() => {
      rules = changes.shift() ?? rules;
    }, 10);
    let rounds = 0;
    const prepareMany = (): Promise<void> | undefined => {
      rounds += 1;
      return lists.prepare(CALLER, MANY);
    };
    await prepareAll(prepareMany, () => lists.prepare(CALLER, other));
    clearInterval(changing);
    const prepared = rules;
    expect(rounds).toBeGreaterThan(3);
    expect(prepareAll(prepareMany, () => lists.prepare(CALLER, other))).toBeUndefined();
    const decided = jest.spyOn(prepared, 'decideOn');
    expect(lists.of(CALLER, MANY)).toBe(MANY);
    expect(lists.of(CALLER, other)).toBe(other);
    expect(decided).not.toHaveBeenCalled();
  });

  it('fails for the caller alone about whom policies can decide nothing any more', async () => {
    const odd: Principal = { ...CALLER };
    let isOdd = false;
    const of = (caller: Principal): CallerRules => {
      if (isOdd && caller === odd) throw new Error('not known while it does not call itself');
      return rules;
    };
    lists = new PermittedLists({ rulesFor: of, refuseOperation: () => undefined }, SKILLS);
    rules = await rulesOf(
      MANY.map((id) => `forbid(principal, action, resource == Skill::"books.${id}");`).join(''),
    );
    const first = prepareAll(() => lists.prepare(odd, MANY));
    const other = prepareAll(() => lists.prepare(CALLER, MANY));
    isOdd = true;
    await expect(first).rejects.toThrow('not known');
    await other;
    expect(lists.prepare(CALLER, MANY)).toBeUndefined();
  });

  it('comes to an end for many kinds of callers that need far more decisions than are remembered', async () => {
    const text = MANY.map((id) => `forbid(principal, action, resource == Skill::"books.${id}");`);
    const set = await PolicySet.read(
      `lists-${(sets += 1)}`,
      [{ id: 'p', text: text.join('') }],
      'permit',
    );
    const [kinds, skills] = [10, 60];
    const remembered = new RememberedRules({ kinds, decisions: (kinds * skills) / 2 });
    let decisions = 0;
    const listener: DecisionListener = {
      ...LISTENER,
      decided: (by) => {
        decisions += 1;
        remembered.decided(by);
      },
    };
    const rulesFor = (caller: Principal): CallerRules =>
      remembered.of(caller) ??
      remembered.keep(caller, caller.id, () => new CallerRules(set, callerOf(caller), listener));
    const crowded = new PermittedLists({ rulesFor, refuseOperation: () => undefined }, SKILLS);
    const list = MANY.slice(0, skills);
    const callers = Array.from({ length: kinds }, (_, n) => ({ ...CALLER, id: `p${n}` }));
    await Promise.all(
      callers.map(async (caller) => prepareAll(() => crowded.prepare(caller, list))),
    );
    expect(decisions).toBeLessThan(4 * kinds * skills);
  });

  it('is decided at once where policies never stop to change', async () => {
    const never = { rulesFor: () => new CallerRules(set, callerOf(CALLER), LISTENER) };
    const set = await PolicySet.read(`lists-${(sets += 1)}`, [], 'permit');
    const changing = new PermittedLists({ ...never, refuseOperation: () => undefined }, SKILLS);
    await prepareAll(() => changing.prepare(CALLER, MANY));
    expect(changing.of(CALLER, MANY)).toBe(MANY);
  });
});
