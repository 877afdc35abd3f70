import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import type { AppConfig } from '../../config/index.js';
import { configWith } from '../../config/index.js';
import { type EndTurn, Turns } from './turns.js';

const of = (id: string, organization = id): Principal => ({ id, organization, scopes: new Set() });
const flood = of('flood');

let turns: Turns;
/** Who got a turn, in this order, and how it ends. */
let begun: { readonly who: string; readonly end: EndTurn }[];

const config = (maxWaiting: number): AppConfig =>
  configWith({ server: { rateLimit: { maxWaiting } } });

beforeEach(() => {
  turns = new Turns(config(100));
  begun = [];
});

afterEach(() => turns.onModuleDestroy());

function ask(caller: Principal, bytes = 0, signal?: AbortSignal): Promise<void> {
  const requested = Promise.resolve()
    .then(() => turns.begin(caller, bytes, signal))
    .then((end) => void begun.push({ who: caller.id, end }));
  // Most of them still wait when their test has ended.
  requested.catch(() => undefined);
  return requested;
}

/** Lets promises that are due run; turns do not end by time meanwhile. */
async function pendingPromises(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

async function fill(): Promise<void> {
  for (let i = 0; i < 64; i++) void ask(flood);
  await pendingPromises();
  expect(begun).toHaveLength(64);
}

describe('Turns', () => {
  it('gives the next turn to who has fewest, however many another has waiting', async () => {
    await fill();
    for (let i = 0; i < 50; i++) void ask(flood);
    void ask(of('other'));
    void ask(of('third'));
    await pendingPromises();
    expect(begun).toHaveLength(64);
    for (let i = 0; i < 4; i++) begun[i]!.end();
    await pendingPromises();
    expect(
      begun
        .slice(64, 67)
        .map(({ who }) => who)
        .sort(),
    ).toEqual(['flood', 'other', 'third']);
  });

  it('gives organizations turns first, then the principals of each', async () => {
    await fill();
    for (const id of ['a1', 'a2', 'a3']) void ask(of(id, 'a'));
    void ask(of('b1', 'b'));
    await pendingPromises();
    for (let i = 0; i < 4; i++) begun[i]!.end();
    await pendingPromises();
    expect(begun.slice(64).map(({ who }) => who)).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('lets who is alone wait, however many', async () => {
    await fill();
    const all = Array.from({ length: 500 }, () => ask(flood));
    await Promise.all(all);
    expect(begun).toHaveLength(564);
  });

  it('refuses who has too many waiting while others wait', async () => {
    await fill();
    for (let i = 0; i < 100; i++) void ask(flood);
    void ask(of('other'));
    await pendingPromises();
    await expect(ask(flood)).rejects.toMatchObject({
      reason: 'RATE_LIMITED',
      metadata: { retryAfterSeconds: '1' },
    });
  });

  it('ends the turn of a request that only waits for somebody else', async () => {
    await fill();
    await ask(of('other'));
    expect(begun.at(-1)!.who).toBe('other');
  });

  it('works on one heavy request at a time', async () => {
    const heavy = 10 * 1024 * 1024;
    for (let i = 0; i < 3; i++) void ask(flood, heavy);
    await pendingPromises();
    expect(begun).toHaveLength(1);
    begun[0]!.end();
    await pendingPromises();
    expect(begun).toHaveLength(2);
  });

  it('forgets who leaves while it waits', async () => {
    await fill();
    const leaving = new AbortController();
    const requested = ask(of('other'), 0, leaving.signal);
    await pendingPromises();
    leaving.abort();
    await expect(requested).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    begun[0]!.end();
    await pendingPromises();
    expect(begun).toHaveLength(64);
  });
});
