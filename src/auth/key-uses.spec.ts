import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Log } from '../common/logger.js';
import type { ApiKeyStore } from './api-key-store.js';
import { KeyUses } from './key-uses.js';

let written: [string, number][][];
let away: boolean;
let uses: KeyUses;

beforeEach(() => {
  jest.useFakeTimers();
  [written, away] = [[], false];
  const markUsed = (given: ReadonlyMap<string, Date>): Promise<void> => {
    if (away) return Promise.reject(new Error('away'));
    written.push([...given].map(([id, at]) => [id, at.getTime()]));
    return Promise.resolve();
  };
  const log = { warn: () => undefined } as unknown as Log;
  uses = new KeyUses({ markUsed } as unknown as ApiKeyStore, log);
});

afterEach(() => {
  jest.useRealTimers();
});

it('writes the uses of keys together, each key about once a minute', async () => {
  for (let at = 0; at < 60_000; at += 1000) uses.used('k1', new Date(at));
  uses.used('k2', new Date(500));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([
    [
      ['k1', 0],
      ['k2', 500],
    ],
  ]);
  uses.used('k1', new Date(60_000));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(written.slice(1)).toEqual([[['k1', 60_000]]]);
});

it('tries again at the next use when the database was away', async () => {
  away = true;
  uses.used('k1', new Date(0));
  await jest.advanceTimersByTimeAsync(10_000);
  away = false;
  uses.used('k1', new Date(1000));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([[['k1', 1000]]]);
});

it('writes what is left when the hub stops', async () => {
  uses.used('k1', new Date(0));
  await uses.onApplicationShutdown();
  expect(written).toEqual([[['k1', 0]]]);
});
