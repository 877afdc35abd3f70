import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import type { Log } from '../common/logger.js';
import { CredentialWatch, refuseEnded } from './credential-watch.js';
import type { Principal } from './principal.js';
import { VouchedCalls } from './vouched-calls.js';

const ALICE: Principal = {
  id: 'alice',
  organization: 'acme',
  scopes: new Set(['a2a']),
  keyId: 'k1',
};

let revision: number;
/** When each key that is valid expires. */
let valid: Map<string, Date | null>;
let away: boolean;
let requested: number;
let watch: CredentialWatch;
let vouched: VouchedCalls;

beforeEach(() => {
  jest.useFakeTimers();
  [revision, valid, away, requested] = [1, new Map(), false, 0];
  for (const id of ['k1', 'k2']) valid.set(id, null);
  const store = {
    revision: (): Promise<number> => {
      requested += 1;
      return away ? Promise.reject(new Error('away')) : Promise.resolve(revision);
    },
    validCredentials: (ids: readonly string[]): Promise<ReadonlyMap<string, Date | null>> => {
      requested += 1;
      return Promise.resolve(new Map([...valid].filter(([id]) => ids.includes(id))));
    },
  };
  const log = { warn: () => undefined, info: () => undefined } as unknown as Log;
  const clock = new SystemClock();
  vouched = new VouchedCalls(clock, log);
  watch = new CredentialWatch(store, log, clock, vouched);
  watch.onApplicationBootstrap();
  vouched.onApplicationBootstrap();
});

afterEach(async () => {
  await watch.onModuleDestroy();
  await vouched.onModuleDestroy();
  jest.useRealTimers();
});

function opened(of: Partial<Principal> = {}): { open: AbortController; close: () => void } {
  const open = new AbortController();
  return { open, close: watch.watch({ ...ALICE, ...of }, open) };
}

describe('what is open under a key', () => {
  it('ends at once when that key is revoked here, and no other', () => {
    const [mine, second, others] = [opened(), opened(), opened({ keyId: 'k2' })];
    watch.revoked('k1');
    expect(mine.open.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(second.open.signal.aborted).toBe(true);
    expect(others.open.signal.aborted).toBe(false);
  });

  it('ends soon also when another process had ended it before anybody watched it', async () => {
    const other = opened({ keyId: 'k2' });
    await jest.advanceTimersByTimeAsync(3000);
    [revision, valid] = [2, new Map([['k2', null]])];
    await jest.advanceTimersByTimeAsync(1000);
    // Let in by what this process still believes of the key.
    const { open } = opened();
    await jest.advanceTimersByTimeAsync(2000);
    expect([open.signal.aborted, other.open.signal.aborted]).toEqual([true, false]);
  });

  it('ends at once when it begins after that, by a caller who was let in before', () => {
    watch.revoked('k1');
    expect(opened().open.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(opened({ keyId: 'k2' }).open.signal.aborted).toBe(false);
  });

  it('ends with every key of a principal that is disabled here, and no other', () => {
    const [one, two] = [opened(), opened({ keyId: 'k2' })];
    const other = opened({ id: 'bob', keyId: 'k3' });
    watch.disabled('alice');
    expect([one, two, other].map(({ open }) => open.signal.aborted)).toEqual([true, true, false]);
  });

  it('ends, too, when it begins after that, unless the principal was enabled elsewhere', async () => {
    watch.disabled('alice');
    valid.delete('k1');
    const late = opened();
    await jest.advanceTimersByTimeAsync(0);
    expect(late.open.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
    valid.set('k1', null);
    const back = opened();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(back.open.signal.aborted).toBe(false);
  });

  it('ends within two seconds when another process has ended its key', async () => {
    const [mine, others] = [opened(), opened({ keyId: 'k2' })];
    await jest.advanceTimersByTimeAsync(5000);
    expect(mine.open.signal.aborted).toBe(false);
    valid.delete('k1');
    revision += 1;
    await jest.advanceTimersByTimeAsync(2000);
    expect(mine.open.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(others.open.signal.aborted).toBe(false);
  });

  it('is looked up once a minute, whatever the revision says', async () => {
    const { open } = opened();
    await jest.advanceTimersByTimeAsync(5000);
    valid.delete('k1');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(open.signal.aborted).toBe(true);
  });

  it('stays while the database is away, and ends when it is back', async () => {
    const { open } = opened();
    away = true;
    valid.delete('k1');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(open.signal.aborted).toBe(false);
    away = false;
    await jest.advanceTimersByTimeAsync(2000);
    expect(open.signal.aborted).toBe(true);
  });

  it('stays for a caller without a key of the database', () => {
    const { keyId, ...admin } = ALICE;
    void keyId;
    const open = new AbortController();
    watch.watch(admin, open);
    watch.disabled('alice');
    expect(open.signal.aborted).toBe(false);
  });

  it('is forgotten when it has ended: nothing is asked for it', async () => {
    const { open, close } = opened();
    close();
    watch.revoked('k1');
    await jest.advanceTimersByTimeAsync(180_000);
    expect([open.signal.aborted, requested]).toEqual([false, 0]);
  });
});

describe('what is open under a key that expires', () => {
  it('ends within about a second of it, and nothing else', async () => {
    const expiresAt = new Date(Date.now() + 5000);
    const [mine, others] = [opened({ expiresAt }), opened({ keyId: 'k2' })];
    valid.set('k1', expiresAt);
    await jest.advanceTimersByTimeAsync(4500);
    expect(mine.open.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1500);
    expect(mine.open.signal.reason).toMatchObject({
      reason: 'UNAUTHENTICATED',
      message: expect.stringContaining('has expired'),
    });
    expect(others.open.signal.aborted).toBe(false);
  });

  it('ends at the new time when another process has brought that forward', async () => {
    const { open } = opened();
    await jest.advanceTimersByTimeAsync(3000);
    valid.set('k1', new Date(Date.now() + 4000));
    revision += 1;
    await jest.advanceTimersByTimeAsync(3000);
    expect(open.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(2000);
    expect(open.signal.reason).toMatchObject({ message: expect.stringContaining('has expired') });
  });
});

describe('what is open under a sign-in', () => {
  const bySignIn = (check: () => Promise<void>): AbortController => {
    const open = new AbortController();
    const { id, organization, scopes } = ALICE;
    watch.watch(
      { id, organization, scopes, identityId: 's1', voucher: { id: 'h', source: 'a', check } },
      open,
    );
    return open;
  };

  it('ends with the refusal once nobody vouches for it any more', async () => {
    valid.set('s1', null);
    let refused: HubError | undefined;
    let asked = 0;
    const check = async (): Promise<void> => {
      asked += 1;
      if (refused !== undefined) throw refused;
    };
    const calls = [bySignIn(check), bySignIn(check)];
    await jest.advanceTimersByTimeAsync(12_000);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    expect(asked).toBeGreaterThan(0);
    const before = asked;
    refused = new HubError('UNAVAILABLE', 'The issuer cannot be asked.');
    await jest.advanceTimersByTimeAsync(12_000);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    refused = new HubError('UNAUTHENTICATED', 'The access token is not active.');
    await jest.advanceTimersByTimeAsync(6000);
    expect(calls.map(({ signal }) => signal.reason)).toEqual([refused, refused]);
    // Once for both.
    expect(asked - before).toBeLessThanOrEqual(4);
    const after = asked;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(after);
  });

  it.each([
    ['is disabled', () => watch.disabled('alice')],
    ['is disabled or was deleted', () => void (revision += 1)],
  ])('is told that its principal %s', async (what, end) => {
    valid.set('s1', null);
    const open = bySignIn(async () => undefined);
    await jest.advanceTimersByTimeAsync(2000);
    valid.delete('s1');
    end();
    await jest.advanceTimersByTimeAsync(2000);
    const text = 'The principal of the access token or certificate, or its organization,';
    expect(open.signal.reason).toMatchObject({ message: `${text} ${what}.` });
  });

  it('ends though another source that is asked about others is silent', async () => {
    const ofSilent = Array.from({ length: 500 }, (_, n) => `silent ${n}`);
    const away = new HubError('UNAVAILABLE', 'The issuer cannot be asked.');
    const refused = new HubError('UNAUTHENTICATED', 'The access token is not active.');
    let asked = 0;
    for (const id of ofSilent) {
      const check = async (): Promise<never> => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 5000));
        throw away;
      };
      vouched.watch({ id, source: 'silent', check }, new AbortController());
    }
    await jest.advanceTimersByTimeAsync(6000);
    expect(asked).toBe(16);
    const open = new AbortController();
    vouched.watch({ id: 'revoked', source: 'well', check: () => Promise.reject(refused) }, open);
    await jest.advanceTimersByTimeAsync(11_000);
    expect(open.signal.reason).toBe(refused);
    expect(asked).toBe(32);
    // A stop waits for nobody.
    await jest.advanceTimersByTimeAsync(4000);
    await vouched.onModuleDestroy();
  });

  it('is asked about no more when it is over', async () => {
    let asked = 0;
    const open = new AbortController();
    const voucher = { id: 'hash', source: 'a', check: async () => void (asked += 1) };
    const { id, organization, scopes } = ALICE;
    watch.watch({ id, organization, scopes, identityId: 's1', voucher }, open)();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(0);
  });
});

it('refuses what it has ended, and nothing that ended for another reason', () => {
  const ended = AbortSignal.abort(new HubError('UNAUTHENTICATED', 'The API key has expired.'));
  expect(() => refuseEnded(ended)).toThrow('has expired');
  expect(() => refuseEnded(AbortSignal.abort(new Error('the client has left')))).not.toThrow();
  expect(() => refuseEnded(new AbortController().signal)).not.toThrow();
});
