import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { AnswerBudget } from './answer-budget.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const PATIENCE_MS = 20;

const principal = (id: string): Principal => ({ id, organization: 'acme', scopes: new Set() });

describe('an answer that has been handed over', () => {
  async function outcomeOf(taken: () => number | undefined): Promise<string> {
    const budget = new AnswerBudget({ bytes: 64 * KIB, patienceMs: PATIENCE_MS });
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    let outcome = 'read';
    const cut = (): void => {
      outcome = 'cut';
      close();
    };
    const ends = setTimeout(close, 8 * PATIENCE_MS);
    await budget.untilLeft(closed, { taken, cut });
    clearTimeout(ends);
    return outcome;
  }

  it('is not cut while its connection takes something', async () => {
    let bytes = 0;
    expect(await outcomeOf(() => (bytes += KIB))).toBe('read');
  });

  it('is cut when its connection takes nothing, or signs of life alone', async () => {
    let bytes = 0;
    expect(await outcomeOf(() => 5)).toBe('cut');
    expect(await outcomeOf(() => (bytes += 17))).toBe('cut');
  });

  it('is not cut before its turn on the connection, nor at once then', async () => {
    let looks = 0;
    expect(await outcomeOf(() => (looks++ < 5 ? undefined : looks * KIB))).toBe('read');
    expect(await outcomeOf(() => undefined)).toBe('read');
  });
});

describe('what is under way to the reader of a stream', () => {
  async function outcomeOf(
    underWay: () => number | undefined,
    taken: () => number | undefined = () => 0,
  ): Promise<string> {
    const budget = new AnswerBudget({ bytes: 64 * KIB, patienceMs: PATIENCE_MS });
    let outcome = 'read';
    const end = budget.watch(underWay, { taken, cut: () => (outcome = 'cut') });
    await new Promise((resolve) => setTimeout(resolve, 8 * PATIENCE_MS));
    end();
    return outcome;
  }

  it('is cut when it stays the same, not when there is nothing or it goes on', async () => {
    let writes = 0;
    expect(await outcomeOf(() => 7)).toBe('cut');
    expect(await outcomeOf(() => undefined)).toBe('read');
    expect(await outcomeOf(() => (writes += 1))).toBe('read');
    let looks = 0;
    expect(await outcomeOf(() => (looks++ % 2 === 0 ? 7 : undefined))).toBe('read');
  });

  it('is not cut before its turn on the connection', async () => {
    expect(
      await outcomeOf(
        () => 7,
        () => undefined,
      ),
    ).toBe('read');
  });
});

describe('what is large of a stream', () => {
  const BYTES = 64 * MIB;
  const budgetOf = (): AnswerBudget => new AnswerBudget({ bytes: BYTES, patienceMs: PATIENCE_MS });

  it('counts until it has left, by its own length, and the next thing anew', async () => {
    const budget = budgetOf();
    const stream = budget.begin(principal('p'));
    await stream.take(2 * MIB);
    await stream.hold(3 * MIB, true);
    expect(budget.held).toBe(3 * MIB);
    stream.release();
    expect(budget.held).toBe(0);
    await stream.hold(KIB, false);
    expect(budget.held).toBe(0);
    await stream.hold(5 * MIB, false);
    expect(budget.held).toBe(5 * MIB);
    stream.end();
    expect(budget.held).toBe(0);
    await stream.hold(5 * MIB, false);
    stream.release();
    expect(budget.held).toBe(0);
  });

  it('counts of its beginning what is small, too, and is refused where too much is unread', async () => {
    const budget = budgetOf();
    const streams = Array.from({ length: 100 }, () => budget.begin(principal('p')));
    const held = await Promise.allSettled(streams.map((stream) => stream.hold(500 * KIB, true)));
    const refused = held.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(50);
    expect(budget.held).toBeLessThanOrEqual(BYTES / 4);
    for (const stream of streams) stream.end();
    expect(budget.held).toBe(0);
  });
});

describe('answers that nobody reads', () => {
  it('come to a quarter more than there is room for, whoever they are for', () => {
    const budget = new AnswerBudget({ bytes: 1024 * KIB, patienceMs: PATIENCE_MS });
    let refused = 0;
    for (let of = 0; of < 200; of++) {
      const answer = budget.begin(principal(`p${of}`));
      try {
        answer.made(15 * KIB);
      } catch {
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(100);
    expect(budget.held).toBeGreaterThan(1024 * KIB);
    expect(budget.held).toBeLessThanOrEqual(1.25 * 1024 * KIB);
  });
});
