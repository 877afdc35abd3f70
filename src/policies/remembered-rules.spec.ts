import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../auth/index.js';
import type { CallerRules } from './caller-rules.js';
import { RememberedRules } from './remembered-rules.js';

const caller = (): Principal => ({}) as Principal;
const rules = (): CallerRules => ({}) as CallerRules;

describe('RememberedRules', () => {
  it('gives callers of one kind the same rules', () => {
    const remembered = new RememberedRules();
    const [one, other] = [caller(), caller()];
    const kept = remembered.keep(one, 'a', rules);
    expect(remembered.keep(other, 'a', rules)).toBe(kept);
    expect([remembered.of(one), remembered.of(other)]).toEqual([kept, kept]);
    expect(remembered.of(caller())).toBeUndefined();
  });

  it('forgets the kind that is known for longest', () => {
    const remembered = new RememberedRules({ kinds: 2, decisions: 100 });
    const [a, b] = ['a', 'b'].map((kind) => remembered.keep(caller(), kind, rules));
    remembered.keep(caller(), 'c', rules);
    expect(remembered.keep(caller(), 'b', rules)).toBe(b);
    expect(remembered.keep(caller(), 'a', rules)).not.toBe(a);
  });

  it('forgets those known for longest once all hold too many decisions together, but not who decides', () => {
    const remembered = new RememberedRules({ kinds: 10, decisions: 4 });
    const callers = [caller(), caller(), caller()] as const;
    const kept = callers.map((each, n) => remembered.keep(each, String(n), rules));
    for (const each of [kept[0]!, kept[0]!, kept[1]!, kept[2]!]) remembered.decided(each);
    expect(callers.map((each) => remembered.of(each))).toEqual(kept);
    remembered.decided(kept[0]!);
    expect(callers.map((each) => remembered.of(each))).toEqual([kept[0], undefined, kept[2]]);
    // What is forgotten counts no more, whatever it decides.
    for (let made = 0; made < 10; made++) remembered.decided(kept[1]!);
    expect(remembered.of(callers[2])).toBe(kept[2]);
    expect(remembered.keep(callers[1], '1', rules)).not.toBe(kept[1]);
  });

  it('keeps one kind alone, however many decisions it needs', () => {
    const remembered = new RememberedRules({ kinds: 10, decisions: 4 });
    const one = caller();
    const kept = remembered.keep(one, 'a', rules);
    for (let made = 0; made < 10; made++) remembered.decided(kept);
    expect(remembered.of(one)).toBe(kept);
    const other = caller();
    const others = remembered.keep(other, 'b', rules);
    remembered.decided(others);
    expect([remembered.of(one), remembered.of(other)]).toEqual([undefined, others]);
  });

  it('forgets all when the policies change', () => {
    const remembered = new RememberedRules();
    const one = caller();
    const kept = remembered.keep(one, 'a', rules);
    remembered.forget();
    expect(remembered.of(one)).toBeUndefined();
    expect(remembered.keep(one, 'a', rules)).not.toBe(kept);
  });
});
