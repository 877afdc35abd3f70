import { describe, expect, it } from '@jest/globals';
import { faultsOfPrice, MAX_AMOUNT, type Price, PriceList } from './price.js';

const price = (members: Partial<Price> = {}): Price => ({
  ...{ agent: null, skill: null, unit: 'EUR', perTask: 1, usage: {} },
  ...members,
});

describe('PriceList', () => {
  it('rounds to millionths, and no single task costs beyond all measure', () => {
    const list = new PriceList([price({ perTask: 0.1, usage: { tokens: 0.0000004 } })]);
    const cost = (tokens: number) =>
      list.costsOf({ agentId: 'a', skillId: null }, { tokens }, true);
    expect(cost(1)).toEqual([{ unit: 'EUR', amount: 100_000 }]);
    expect(cost(3)).toEqual([{ unit: 'EUR', amount: 100_001 }]);
    const dear = new PriceList([price({ usage: { tokens: MAX_AMOUNT } })]);
    const [most] = dear.costsOf({ agentId: 'a', skillId: null }, { tokens: 1e9 }, true);
    expect(most!.amount).toBe(1e15);
  });

  it('knows the keys that count at an agent', () => {
    const list = new PriceList([
      price({ usage: { all: 1 } }),
      price({ agent: 'a', usage: { own: 1 } }),
      price({ agent: 'a', unit: 'pages', usage: { pages: 1 } }),
    ]);
    expect(list.keysOf({ agentId: 'a', skillId: 's' })).toEqual(['own', 'pages']);
    expect(list.keysOf({ agentId: 'b', skillId: null })).toEqual(['all']);
    expect(new PriceList([]).keysOf({ agentId: 'a', skillId: null })).toEqual([]);
  });
});

describe('faultsOfPrice', () => {
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, 1]));
  it.each<[Partial<Price>, string]>([
    [{ agent: 'a', skill: 'a.s' }, 'skill'],
    [{ skill: 'a' }, 'skill'],
    [{ perTask: 0 }, 'perTask'],
    [{ usage: many }, 'usage'],
    [{ usage: { 'a..b': 1 } }, 'usage'],
    [{ usage: { a: -1 } }, 'usage.a'],
    [{ usage: { a: NaN } }, 'usage.a'],
    [{ usage: { a: '1' as unknown as number } }, 'usage.a'],
  ])('of %j is at %s', (members, field) => {
    expect(faultsOfPrice(price(members)).map((each) => each.field)).toEqual([field]);
  });

  it('are none of a right one', () => {
    expect(
      faultsOfPrice(price({ skill: 'a.s', usage: { 'gen_ai.usage.input_tokens': 0 } })),
    ).toEqual([]);
  });
});
