import { describe, expect, it } from '@jest/globals';
import { ReadBudget, ReadBudgetError, type ReadRules } from './read-budget.js';

const RULES: ReadRules = {
  limit: 100,
  share: 50,
  reserved: 0,
  free: 5,
  step: 10,
  patienceMs: 60_000,
  bytesPerSecond: 0,
  bytesPerSecondBeyond: 0,
  graceMs: 0,
};

function budgetOf(rules: Partial<ReadRules> = {}): ReadBudget {
  return new ReadBudget({ ...RULES, ...rules });
}

const dropped = (): void => undefined;

/** Whether a wait is over by now. */
async function isOver(wait: Promise<void> | undefined): Promise<boolean> {
  if (wait === undefined) return true;
  const pending = Symbol('pending');
  const first = await Promise.race([wait, new Promise((r) => setImmediate(r, pending))]);
  return first !== pending;
}

describe('the budget of what is read', () => {
  it('lets small answers pass, however much is held', () => {
    const budget = budgetOf();
    expect(budget.begin('a', dropped).reserve(50)).toBeUndefined();
    expect(budget.begin('b', dropped).reserve(50)).toBeUndefined();
    expect(budget.begin('c', dropped).reserve(1000)).toBeUndefined();
    expect(budget.begin('a', dropped).reserve(5)).toBeUndefined();
    expect(budget.begin('d', dropped).reserve(5)).toBeUndefined();
  });

  it('lets one answer at a time go beyond it, and no party take more than its share', async () => {
    const budget = budgetOf();
    const [one, two, other] = ['a', 'a', 'b'].map((party) => budget.begin(party, dropped));
    expect(one!.reserve(1000)).toBeUndefined();
    expect(two!.reserve(55)).toBeUndefined();
    const more = two!.reserve(65);
    expect(await isOver(more)).toBe(false);
    expect(other!.reserve(55)).toBeUndefined();
    expect(budget.held).toBe(1000 + 50 + 50);
    one!.end();
    expect(await isOver(more)).toBe(true);
    two!.end();
    other!.end();
    expect(budget.held).toBe(0);
  });

  it('serves who waits in their order, each whole answer at last', async () => {
    const budget = budgetOf();
    const finished: number[] = [];
    const read = async (number: number): Promise<void> => {
      const reading = budget.begin(`party ${number % 3}`, dropped);
      for (let held = 10; held <= 300; held += 10) {
        await reading.reserve(held);
        await new Promise((r) => setImmediate(r));
        expect(budget.held).toBeLessThanOrEqual(RULES.limit + 300);
      }
      reading.end();
      finished.push(number);
    };
    await Promise.all(Array.from({ length: 20 }, (_, number) => read(number)));
    expect(finished).toHaveLength(20);
    expect(budget.held).toBe(0);
  });

  it('serves first whose party holds least', async () => {
    const budget = budgetOf();
    const held = ['a', 'b', 'c'].map((party) => budget.begin(party, dropped));
    for (const reading of held) void reading.reserve(55);
    const order: string[] = [];
    const wait = async (party: string): Promise<void> => {
      await budget.begin(party, dropped).reserve(15);
      order.push(party);
    };
    const waits = ['a', 'a', 'b', 'd', 'd'].map(wait);
    await isOver(waits[0]);
    expect(order).toEqual([]);
    // `c` went beyond the limit; of what `a` held half is given back.
    void held[0]!.reserve(25);
    await Promise.all([waits[3], waits[4]]);
    expect(order.slice(0, 2)).toEqual(['d', 'd']);
    for (const reading of held) reading.end();
    await Promise.all(waits);
    expect(order).toHaveLength(5);
  });

  it('leaves some to parties that hold little', async () => {
    const budget = budgetOf({ reserved: 40 });
    expect(budget.begin('beyond', dropped).reserve(1000)).toBeUndefined();
    expect(budget.begin('a', dropped).reserve(55)).toBeUndefined();
    expect(await isOver(budget.begin('b', dropped).reserve(35))).toBe(false);
    expect(budget.begin('c', dropped).reserve(25)).toBeUndefined();
    expect(budget.begin('d', dropped).reserve(25)).toBeUndefined();
  });

  it('gives up an answer that got no budget in time', async () => {
    const budget = budgetOf({ patienceMs: 10 });
    void budget.begin('a', dropped).reserve(1000);
    void budget.begin('b', dropped).reserve(55);
    void budget.begin('c', dropped).reserve(55);
    await expect(budget.begin('d', dropped).reserve(55)).rejects.toThrow(ReadBudgetError);
  });

  it('breaks off who comes too slowly, but only while others wait', async () => {
    const budget = budgetOf({ bytesPerSecond: 1e9, bytesPerSecondBeyond: 1e9 });
    const cut: string[] = [];
    const slow = budget.begin('a', () => {
      cut.push('slow');
      slow.end();
    });
    void slow.reserve(1000);
    const stored = budget.begin('b', () => void cut.push('stored'));
    void stored.reserve(55);
    stored.whole();
    await new Promise((r) => setTimeout(r, 700));
    expect(cut).toEqual([]);
    await budget.begin('b', dropped).reserve(55);
    expect(cut).toEqual(['slow']);
  });

  it('forgets a wait that is given up', async () => {
    const budget = budgetOf();
    void budget.begin('a', dropped).reserve(1000);
    void budget.begin('b', dropped).reserve(55);
    const waits = budget.begin('b', dropped);
    const wait = waits.reserve(55);
    waits.end();
    await expect(wait).rejects.toThrow('not read any more');
    expect(budget.held).toBe(1050);
  });
});
