import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HubError } from '../common/hub-error.js';
import type { Log } from '../common/logger.js';
import type { AuthService } from './auth.service.js';
import { KeyWatch } from './key-watch.js';
import type { Principal } from './principal.js';

const ALICE: Principal = { id: 'alice', organization: 'acme', scopes: new Set(['a2a']) };
const HEADERS = { authorization: 'Bearer hub_k1_secret' };

let answer: () => Promise<Principal>;
let asked: number;
let watch: KeyWatch;

beforeEach(() => {
  jest.useFakeTimers();
  asked = 0;
  answer = () => Promise.resolve(ALICE);
  const authenticate = (): Promise<Principal> => ((asked += 1), answer());
  const log = { warn: () => undefined } as unknown as Log;
  watch = new KeyWatch({ authenticate } as unknown as AuthService, log);
});

afterEach(() => {
  watch.onModuleDestroy();
  jest.useRealTimers();
});

function opened(headers: object = HEADERS): { open: AbortController; close: () => void } {
  const open = new AbortController();
  return { open, close: watch.watch({ ...headers }, ALICE, open) };
}

describe('what is open under a key', () => {
  it('ends at once when that key is revoked here, and no other', () => {
    const [mine, byHeader, others] = [
      opened(),
      opened({ 'x-api-key': 'hub_k1_secret' }),
      opened({ authorization: 'Bearer hub_k2_secret' }),
    ];
    watch.revoked('k1');
    expect(mine.open.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(byHeader.open.signal.aborted).toBe(true);
    expect(others.open.signal.aborted).toBe(false);
  });

  it('ends within a minute when another process has revoked it', async () => {
    const { open } = opened();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(open.signal.aborted).toBe(false);
    answer = () => Promise.reject(new HubError('UNAUTHENTICATED', 'no'));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(open.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
  });

  it('ends when the key has become that of nobody, with keys not asked for', async () => {
    const { open } = opened();
    answer = () => Promise.resolve({ ...ALICE, id: 'anonymous' });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(open.signal.aborted).toBe(true);
  });

  it('stays while the database is away', async () => {
    const { open } = opened();
    answer = () => Promise.reject(new Error('away'));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(open.signal.aborted).toBe(false);
  });

  it('is forgotten when it has ended', async () => {
    const { open, close } = opened();
    close();
    watch.revoked('k1');
    await jest.advanceTimersByTimeAsync(180_000);
    expect([open.signal.aborted, asked]).toEqual([false, 0]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
