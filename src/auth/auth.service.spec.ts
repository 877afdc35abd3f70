import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SettableClock } from '../common/fake-settable-clock.js';
import { SystemIdSource } from '../common/ids.js';
import type { Log } from '../common/logger.js';
import { type ConfigOverrides, configWith } from '../config/index.js';
import { AuthService } from './auth.service.js';
import { FakeApiKeyStore } from './fake-api-key.store.js';
import type { HubCallers } from './hubs/hub-callers.js';
import type { CertificateCallers } from './certificates/certificate-callers.js';
import { KeyCallers } from './key-callers.js';
import { KeyUses } from './key-uses.js';
import { CredentialWatch } from './credential-watch.js';
import { VouchedCalls } from './vouched-calls.js';
import { KeysService } from './keys.service.js';
import type { Principal } from './principal.js';
import { PrincipalChanges } from './principal-changes.js';
import { SessionCallers } from './sessions/session-callers.js';
import type { TokenCallers } from './token-callers.js';

const ADMIN_KEY = 'a configured key has any form'.replaceAll(' ', '-');
let store: FakeApiKeyStore;
let clock: SettableClock;

beforeEach(() => {
  store = new FakeApiKeyStore();
  clock = new SettableClock();
});

function services(overrides: ConfigOverrides = {}): { auth: AuthService; keys: KeysService } {
  const config = configWith(overrides);
  const log = { warn: () => undefined } as unknown as Log;
  const callers = new KeyCallers(config, store, clock, new KeyUses(store, log));
  const noCertificates = {} as CertificateCallers;
  const noTokens = { areAccepted: false } as TokenCallers;
  const noHubs = { mayBringToken: () => false } as unknown as HubCallers;
  const auth = new AuthService(
    config,
    callers,
    noTokens,
    clock,
    noCertificates,
    noHubs,
    new SessionCallers(config),
  );
  const watched = {
    revision: () => Promise.resolve(0),
    validCredentials: () => Promise.resolve(new Map<string, null>()),
  };
  const watch = new CredentialWatch(watched, log, clock, new VouchedCalls(clock, log));
  const [changes, ids] = [new PrincipalChanges(), new SystemIdSource()];
  const audit = { record: () => Promise.resolve('') };
  return { auth, keys: new KeysService(config, store, auth, watch, changes, clock, ids, audit) };
}

const ADMIN: Principal = { id: 'admin', organization: 'default', scopes: new Set(['admin']) };
const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });

describe('authenticate', () => {
  it('knows the principal of a key by either header', async () => {
    const { auth, keys } = services();
    const { key, record } = await keys.create(
      {
        name: 'n',
        scopes: ['push'],
        organization: 'acme',
      },
      ADMIN,
    );
    const principal = await auth.authenticate(bearer(key));
    expect(principal).toEqual({
      id: record.principalId,
      organization: 'acme',
      scopes: new Set(['push']),
      keyId: record.id,
      keyName: 'n',
    });
    expect(await auth.authenticate({ 'x-api-key': key })).toEqual(principal);
  });

  it('refuses a missing, an unknown and a forged key', async () => {
    const { auth, keys } = services();
    const { key } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    const refused = { reason: 'UNAUTHENTICATED' };
    await expect(auth.authenticate({})).rejects.toMatchObject(refused);
    await expect(auth.authenticate(bearer('hub_ab_cd'))).rejects.toMatchObject(refused);
    await expect(auth.authenticate(bearer(`${key}x`))).rejects.toMatchObject(refused);
    await expect(auth.authenticate(bearer(key.slice(0, -1)))).rejects.toMatchObject(refused);
  });

  it('accepts the configured admin key, whatever its form', async () => {
    const { auth } = services({ auth: { adminKey: ADMIN_KEY } });
    const principal = await auth.authenticate(bearer(ADMIN_KEY));
    expect(principal).toMatchObject({ id: 'admin', scopes: new Set(['admin']) });
  });

  it('believes a verified key for a second', async () => {
    const { auth, keys } = services();
    const { key } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    await auth.authenticate(bearer(key));
    await auth.authenticate(bearer(key));
    expect(store.lookups).toBe(1);
    clock.ms += 1001;
    await auth.authenticate(bearer(key));
    expect(store.lookups).toBe(2);
  });

  it('asks once for many requests that come with a key at the same time', async () => {
    const { auth, keys } = services();
    const { key, record } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    const before = store.lookups;
    const many = await Promise.all(
      Array.from({ length: 1000 }, () => auth.authenticate(bearer(key))),
    );
    expect(new Set(many.map(({ id }) => id))).toEqual(new Set([record.principalId]));
    expect(store.lookups - before).toBe(1);
    clock.ms += 1001;
    await Promise.all(Array.from({ length: 1000 }, () => auth.authenticate(bearer(key))));
    expect(store.lookups - before).toBe(2);
  });

  it('lets no request after a revocation join a look-up from before it', async () => {
    const { auth, keys } = services();
    const { key, record } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    const early = auth.authenticate(bearer(key)).catch(() => undefined);
    await keys.revoke(record.id, ADMIN);
    await expect(auth.authenticate(bearer(key))).rejects.toThrow('not valid');
    await early;
  });

  it('lets no request after a principal was enabled join a look-up from before it', async () => {
    const { auth, keys } = services();
    const { key, record } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    const found = (await store.find(record.id))!;
    let refuse!: () => void;
    const search = jest.spyOn(store, 'findPresented').mockImplementation(() => {
      return new Promise((resolve) => {
        refuse = () => resolve({ key: found, fault: 'disabled-principal' });
      });
    });
    const early = auth.authenticate(bearer(key));
    await new Promise((resolve) => setImmediate(resolve));
    search.mockRestore();
    auth.forgetRefused();
    const late = auth.authenticate(bearer(key));
    refuse();
    await expect(early).rejects.toThrow('not valid');
    expect((await late).id).toBe(record.principalId);
    expect((await auth.authenticate(bearer(key))).id).toBe(record.principalId);
  });

  it('refuses a key at once when it is revoked here, and in a second when elsewhere', async () => {
    const { auth, keys } = services();
    const here = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    const elsewhere = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    await auth.authenticate(bearer(here.key));
    await auth.authenticate(bearer(elsewhere.key));
    await keys.revoke(here.record.id, ADMIN);
    await expect(auth.authenticate(bearer(here.key))).rejects.toThrow('not valid');
    await store.revoke(elsewhere.record.id, clock.now());
    clock.ms += 1001;
    await expect(auth.authenticate(bearer(elsewhere.key))).rejects.toThrow('not valid');
  });

  it('refuses one that was revoked elsewhere also when the clock was set back meanwhile', async () => {
    const { auth, keys } = services();
    const { key, record } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    await auth.authenticate(bearer(key));
    await store.revoke(record.id, clock.now());
    clock.ms -= 3_600_000;
    await expect(auth.authenticate(bearer(key))).rejects.toThrow('not valid');
  });
});

describe('auth.mode none', () => {
  it('lets everybody in as anonymous, an admin on loopback only', async () => {
    const local = services({ auth: { mode: 'none' } }).auth;
    const open = services({
      auth: { mode: 'none', allowOpen: true },
      server: { host: '0.0.0.0' },
      publicUrl: 'http://hub.example',
    }).auth;
    expect(await local.authenticate({})).toMatchObject({
      id: 'anonymous',
      scopes: new Set(['a2a', 'push', 'agents', 'routing', 'admin']),
    });
    expect((await open.authenticate({})).scopes).toEqual(
      new Set(['a2a', 'push', 'agents', 'routing']),
    );
  });

  it('still knows who presents a key', async () => {
    const { auth, keys } = services({ auth: { mode: 'none' } });
    const { key, record } = await keys.create({ name: 'n', scopes: ['a2a'] }, ADMIN);
    expect((await auth.authenticate(bearer(key))).id).toBe(record.principalId);
    expect((await auth.authenticate(bearer('nonsense'))).id).toBe('anonymous');
  });
});

describe('keys', () => {
  it('gives a principal several keys, in its own organization', async () => {
    const { auth, keys } = services();
    const first = await keys.create({ name: 'old', scopes: ['a2a'], organization: 'acme' }, ADMIN);
    const { principalId } = first.record;
    const second = await keys.create({ name: 'new', scopes: ['a2a'], principalId }, ADMIN);
    expect(second.record).toMatchObject({ principalId, organization: 'acme' });
    await keys.revoke(first.record.id, ADMIN);
    expect((await auth.authenticate(bearer(second.key))).id).toBe(principalId);
  });

  it('names the field when the principal is unknown or belongs to another organization', async () => {
    const { keys } = services();
    const { record } = await keys.create(
      { name: 'n', scopes: ['a2a'], organization: 'acme' },
      ADMIN,
    );
    const request = { name: 'n', scopes: ['a2a'] as const };
    await expect(keys.create({ ...request, principalId: 'nobody' }, ADMIN)).rejects.toMatchObject({
      violations: [{ field: 'principal' }],
    });
    const { principalId } = record;
    await expect(
      keys.create({ ...request, principalId, organization: 'other' }, ADMIN),
    ).rejects.toMatchObject({ violations: [{ field: 'organization' }] });
  });

  it('makes the first admin key once', async () => {
    const { auth, keys } = services();
    let kept = '';
    const made = await keys.ensureAdminKey((key) => (kept = key));
    const expiresAt = new Date(clock.now().getTime() + 24 * 3600_000);
    expect(made).toEqual({ from: 'now', key: expect.stringMatching(/^hub_/), expiresAt });
    expect(made).toMatchObject({ key: kept });
    const since = clock.now();
    clock.ms += 5000;
    expect(await keys.ensureAdminKey(() => undefined)).toEqual({ from: 'database', since });
    expect((await auth.authenticate(bearer(kept))).scopes).toEqual(new Set(['admin']));
  });

  it('makes no admin key that cannot be kept', async () => {
    const { keys } = services();
    const full = (): never => {
      throw new Error('no space');
    };
    await expect(keys.ensureAdminKey(full)).rejects.toThrow('no space');
    expect(await store.adminKeySince(clock.now())).toBeUndefined();
  });

  it('makes none when one is configured or nobody asks for keys', async () => {
    expect(
      await services({ auth: { adminKey: ADMIN_KEY } }).keys.ensureAdminKey(() => undefined),
    ).toEqual({ from: 'configuration' });
    expect(
      await services({ auth: { mode: 'none' } }).keys.ensureAdminKey(() => undefined),
    ).toBeNull();
  });

  it('does not know an unknown key when it is to be revoked', async () => {
    await expect(services().keys.revoke('none', ADMIN)).rejects.toMatchObject({
      reason: 'NOT_FOUND',
    });
  });
});

describe('a key with a time to expire', () => {
  it('is valid until then and refused with that reason from then on', async () => {
    const { auth, keys } = services();
    const expiresAt = new Date(clock.now().getTime() + 1500);
    const { key } = await keys.create({ name: 'n', scopes: ['a2a'], expiresAt }, ADMIN);
    expect(await auth.authenticate(bearer(key))).toMatchObject({ expiresAt });
    clock.ms = expiresAt.getTime() - 1;
    await auth.authenticate(bearer(key));
    clock.ms = expiresAt.getTime();
    const refused = auth.authenticate(bearer(key));
    await expect(refused).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
      message: `The API key has expired (${expiresAt.toISOString()}).`,
    });
  });

  it('is not looked up again soon by those that go on showing it, nor is a forged one', async () => {
    const { auth, keys } = services();
    const expiresAt = new Date(clock.now().getTime() + 1500);
    const { key } = await keys.create({ name: 'n', scopes: ['a2a'], expiresAt }, ADMIN);
    clock.ms = expiresAt.getTime();
    const before = store.lookups;
    for (let polls = 0; polls < 20; polls += 1) {
      await expect(auth.authenticate(bearer(key))).rejects.toThrow('The API key has expired (');
      await expect(auth.authenticate(bearer(`${key}x`))).rejects.toThrow('not valid');
      clock.ms += 100;
    }
    expect(store.lookups - before).toBe(2);
    clock.ms += 10_000;
    await expect(auth.authenticate(bearer(key))).rejects.toThrow('has expired');
    expect(store.lookups - before).toBe(3);
  });

  it('cannot be made when that is past', async () => {
    const { keys } = services();
    const request = { name: 'n', scopes: ['a2a' as const], expiresAt: clock.now() };
    await expect(keys.create(request, ADMIN)).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
  });

  it('is not that of who comes without one', async () => {
    const { auth, keys } = services({ auth: { mode: 'none' } });
    const expiresAt = new Date(clock.now().getTime() + 1);
    const { key } = await keys.create({ name: 'n', scopes: ['a2a'], expiresAt }, ADMIN);
    clock.ms = expiresAt.getTime();
    expect(await auth.authenticate(bearer(key))).toMatchObject({ id: 'anonymous' });
  });
});
