import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { configWith } from '../../config/index.js';
import { RequestBodyBudget } from './request-body-budget.js';

const MIB = 1024 * 1024;
const of = (id: string, organization = id): Principal => ({ id, organization, scopes: new Set() });

const budgetOf = (mib: number): RequestBodyBudget =>
  new RequestBodyBudget(configWith({ server: { maxBodyBytes: mib * MIB } }));

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const first = await Promise.race([promise, new Promise((r) => setImmediate(r, pending))]);
  return first === pending;
}

afterEach(() => {
  jest.useRealTimers();
});

describe('RequestBodyBudget', () => {
  it('lets the bodies of one principal wait when they are a quarter of all', async () => {
    const budget = budgetOf(32);
    const ann = of('ann');
    const first = await budget.reserve(ann, 8 * MIB);
    const second = budget.reserve(ann, 8 * MIB);
    expect(await isPending(second)).toBe(true);
    expect(await isPending(budget.reserve(of('bob'), 8 * MIB))).toBe(false);
    first.taken();
    expect(await isPending(second)).toBe(false);
  });

  it('never lets a small body wait', async () => {
    const budget = budgetOf(1);
    const ann = of('ann');
    await budget.reserve(ann, MIB);
    for (let i = 0; i < 100; i++) await budget.reserve(ann, 64 * 1024);
  });

  it('lets bodies wait for the memory that messages of open calls hold', async () => {
    const budget = budgetOf(4);
    const ann = of('ann');
    const open = [];
    for (let i = 0; i < 3; i++) {
      const reservation = await budget.reserve(ann, 4 * MIB);
      reservation.taken();
      open.push(reservation);
    }
    const waiting = [budget.reserve(ann, 4 * MIB), budget.reserve(ann, 4 * MIB)];
    expect(await isPending(waiting[0]!)).toBe(true);
    open[0]!.free();
    open[0]!.free();
    expect(await isPending(waiting[0]!)).toBe(false);
    expect(await isPending(waiting[1]!)).toBe(true);
    open[1]!.free();
    (await waiting[0]!).taken();
    await waiting[1];
  });

  it('refuses one principal that lets too many wait', async () => {
    const budget = budgetOf(4000);
    const ann = of('ann');
    const first = await budget.reserve(ann, 70_000_000);
    const requested = Array.from({ length: 80 }, () => budget.reserve(ann, 70_000_000));
    const waiting = requested
      .slice(0, 64)
      .map((reservation) => reservation.then((taken) => taken.free()));
    for (const refused of requested.slice(64)) {
      await expect(refused).rejects.toMatchObject({
        reason: 'RATE_LIMITED',
        metadata: { retryAfterSeconds: '2' },
      });
    }
    first.free();
    await Promise.all(waiting);
  });

  it.each([
    ['RATE_LIMITED', 'the caller has its share', ['ann']],
    ['UNAVAILABLE', 'the process has no more', ['bob', 'cid', 'dan', 'eve']],
  ])('refuses with %s after a while when %s', async (reason, _why, holders) => {
    jest.useFakeTimers();
    const budget = budgetOf(32);
    for (const holder of holders) await budget.reserve(of(holder), 8 * MIB);
    const waiting = budget.reserve(of('ann'), 8 * MIB);
    const refused = expect(waiting).rejects.toMatchObject({ reason });
    jest.advanceTimersByTime(10_000);
    await refused;
  });

  it('keeps what becomes free for who waits longest and has nothing', async () => {
    const budget = budgetOf(32);
    for (const id of ['bob', 'cid', 'dan']) await budget.reserve(of(id), 8 * MIB);
    const held = [];
    for (let i = 0; i < 8; i++) held.push(await budget.reserve(of('ann'), MIB));
    const eve = budget.reserve(of('eve'), 8 * MIB);
    held.pop()!.free();
    const another = budget.reserve(of('ann'), MIB);
    expect(await isPending(another)).toBe(true);
    for (const reservation of held) reservation.free();
    expect(await isPending(eve)).toBe(false);
    (await eve).free();
    expect(await isPending(another)).toBe(false);
  });
});
