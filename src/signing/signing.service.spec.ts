import { beforeEach, describe, expect, it } from '@jest/globals';
import { type FlattenedJWS, createLocalJWKSet, flattenedVerify } from 'jose';
import { SystemClock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { sealedBy } from '../common/secret-box.js';
import { configWith } from '../config/index.js';
import { TEST_SECRET_KEY, testSecrets } from '../common/fake-secrets.js';
import { FakeSigningKeyStore } from './fake-signing-key.store.js';
import { SigningService } from './signing.service.js';

const DAY = 86_400_000;
const HEADER = { typ: 'JOSE', jku: 'https://hub.example.com/.well-known/jwks.json' };

/** Stands still unless it is moved. */
class MovedClock extends SystemClock {
  shiftMs = 0;

  override now(): Date {
    return new Date(1_790_000_000_000 + this.shiftMs);
  }
}

let store: FakeSigningKeyStore;
let clock: MovedClock;
let logged: string;
let signing: SigningService;

beforeEach(() => {
  store = new FakeSigningKeyStore();
  clock = new MovedClock();
  logged = '';
  signing = service();
});

/** One process. */
function service(itsClock = clock): SigningService {
  const note = (fields: object): void => void (logged += JSON.stringify(fields));
  const log = { info: note, warn: note } as unknown as Log;
  return new SigningService(store, testSecrets(), configWith({}), itsClock, log);
}

describe('signing', () => {
  it('signs what the published keys verify, with the header it is given', async () => {
    const signer = await signing.signer();
    const payload = 'bytes: ü';
    const jws = { ...(await signer.sign(payload, HEADER)), payload: b64(payload) };
    expect(await verified(jws)).toEqual({ alg: 'ES256', kid: signer.kid, ...HEADER });
    await expect(verified({ ...jws, payload: b64('other') })).rejects.toThrow();
  });

  it('makes one key however many ask at once', async () => {
    const [first, second] = [signing, service()];
    const kids = await Promise.all(
      [first, second, first, second].map(async (each) => (await each.signer()).kid),
    );
    expect(new Set(kids).size).toBe(1);
    expect(await signing.publicKeys()).toHaveLength(1);
  });

  it('looks again when the clock was set back, however far', async () => {
    clock.shiftMs = DAY;
    await signing.signer();
    clock.shiftMs = 0;
    await service().rotate(false);
    const { kid } = (await signing.list())[0]!.publicKey;
    expect((await signing.signer()).kid).toBe(kid);
  });

  it('looks into the database at most once a second', async () => {
    await signing.signer();
    const { reads } = store;
    for (let i = 0; i < 20; i++) await signing.signer();
    expect(store.reads).toBe(reads);
    clock.shiftMs += 1000;
    await Promise.all([signing.signer(), signing.signer()]);
    expect(store.reads).toBe(reads + 1);
  });

  it('goes on with the known keys while the database is away', async () => {
    const { kid } = await signing.signer();
    clock.shiftMs += 5000;
    store.all = () => Promise.reject(new Error('away'));
    expect((await signing.signer()).kid).toBe(kid);
    await expect(service().signer()).rejects.toThrow('away');
  });
});

describe('rotation', () => {
  it('publishes the next key for the overlap, then signs with it, then drops the old one', async () => {
    const old = (await signing.signer()).kid;
    clock.shiftMs += 83 * DAY;
    expect((await signing.signer()).kid).toBe(old);
    const published = (await signing.publicKeys()).map(({ kid }) => kid);
    expect(published).toEqual([expect.not.stringMatching(old), old]);
    clock.shiftMs += 7 * DAY;
    expect((await signing.signer()).kid).toBe(published[0]);
    expect((await signing.publicKeys()).map(({ kid }) => kid)).toEqual(published);
    clock.shiftMs += 7 * DAY;
    expect((await signing.publicKeys()).map(({ kid }) => kid)).toEqual([published[0]]);
  });

  it('signs with a new key at once when that is requested, and keeps the old one published', async () => {
    const old = (await signing.signer()).kid;
    const { publicKey, state } = await signing.rotate(false);
    expect(state).toBe('signing');
    expect((await signing.signer()).kid).toBe(publicKey.kid);
    expect((await signing.list()).map((key) => [key.publicKey.kid, key.state])).toEqual([
      [publicKey.kid, 'signing'],
      [old, 'retired'],
    ]);
    expect((await store.all())[0]!.sealedPrivateKey).toBeNull();
  });

  it('publishes the new key first when that is requested', async () => {
    const old = (await signing.signer()).kid;
    const { publicKey, state } = await signing.rotate(true);
    expect(state).toBe('next');
    expect((await signing.signer()).kid).toBe(old);
    clock.shiftMs += 7 * DAY;
    expect((await signing.signer()).kid).toBe(publicKey.kid);
  });

  it('makes a key each time, also when two are requested at once', async () => {
    await signing.signer();
    const made = await Promise.all([signing.rotate(false), service().rotate(false)]);
    expect(new Set(made.map(({ publicKey }) => publicKey.kid)).size).toBe(2);
    expect(await signing.list()).toHaveLength(3);
  });

  it('does not keep a process from signing whose clock is behind', async () => {
    await signing.signer();
    clock.shiftMs += 5000;
    const { publicKey } = await signing.rotate(false);
    const behind = new MovedClock();
    behind.shiftMs = clock.shiftMs - 300;
    const signer = await service(behind).signer();
    expect(signer.kid).toBe(publicKey.kid);
    const jws = { ...(await signer.sign('bytes', HEADER)), payload: b64('bytes') };
    expect(await verified(jws)).toMatchObject({ kid: publicKey.kid });
  });

  it('is noticed by another process within a second', async () => {
    const other = service();
    await other.signer();
    const { publicKey } = await signing.rotate(false);
    expect((await other.publicKeys())[0]!.kid).toBe(publicKey.kid);
    clock.shiftMs += 1000;
    expect((await other.signer()).kid).toBe(publicKey.kid);
  });
});

describe('revocation', () => {
  it('withdraws the key that signs at once, and another one signs', async () => {
    const { kid } = await signing.signer();
    await signing.revoke(kid);
    const next = await signing.signer();
    expect(next.kid).not.toBe(kid);
    expect((await signing.publicKeys()).map((key) => key.kid)).toEqual([next.kid]);
  });

  it('refuses a key that is not there', async () => {
    await expect(signing.revoke('none')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

it('never shows a private part', async () => {
  await signing.signer();
  const rotated = await signing.rotate(false);
  const [, stored] = await store.all();
  const { d } = JSON.parse(testSecrets().open(stored!.sealedPrivateKey!)) as { d: string };
  const shown = [rotated, await signing.list(), await signing.publicKeys(), await signing.signer()];
  expect(JSON.stringify(shown) + logged).not.toContain(d);
  expect(sealedBy(stored!.sealedPrivateKey!)).toBe(TEST_SECRET_KEY.id);
  expect(JSON.stringify(shown)).not.toContain(stored!.sealedPrivateKey!);
});

async function verified(jws: FlattenedJWS): Promise<unknown> {
  const keys = createLocalJWKSet({ keys: [...(await signing.publicKeys())] });
  return (await flattenedVerify(jws, keys)).protectedHeader;
}

function b64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
