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

  it('forgets all of them once they hold too many decisions together', () => {
    const remembered = new RememberedRules({ kinds: 10, decisions: 3 });
    const one = caller();
    const kept = remembered.keep(one, 'a', rules);
    for (let made = 0; made < 3; made++) remembered.decided();
    expect(remembered.of(one)).toBe(kept);
    remembered.decided();
    expect(remembered.of(one)).toBeUndefined();
    expect(remembered.keep(one, 'a', rules)).not.toBe(kept);
  });
});
