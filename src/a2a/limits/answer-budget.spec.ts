import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { AnswerBudget } from './answer-budget.js';

const KIB = 1024;
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
