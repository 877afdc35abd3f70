import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Egress } from '../../src/common/egress/egress.js';
import {
  readReference,
  type SecretReference,
} from '../../src/common/secret-references/secret-reference.js';
import { SettableClock } from '../../src/common/fake-settable-clock.js';
import { type ConfigOverrides, configWith } from '../../src/config/index.js';
import { vaultOf, type VaultParts } from '../../src/secrets/references/vault.js';
import { FakeVault } from '../support/fake-vault.js';

let vault: FakeVault;
let folder: string;
let clock: SettableClock;
const egress = new Egress({ allow: ['127.0.0.1'] });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hub-vault-'));
  writeFileSync(join(folder, 'jwt'), 'jwt-of-the-pod\n');
  writeFileSync(join(folder, 'secret-id'), 'right\n');
});
beforeEach(async () => {
  vault = await FakeVault.start();
  vault.secrets.set('agents/books', { token: 'abc', number: 7 });
  clock = new SettableClock();
});
afterEach(() => vault.close());
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await egress.close();
});

type Vault = NonNullable<NonNullable<ConfigOverrides['secrets']>['vault']>;

function connected(auth: Vault['auth'], settings: Vault = {}): VaultParts {
  const config = configWith({
    secrets: { vault: { address: vault.url, auth, ...settings } },
  });
  return vaultOf(config.secrets, egress, clock)!;
}
const kubernetes = (settings: Vault = {}): VaultParts =>
  connected({ method: 'kubernetes', role: 'hub', jwtFile: join(folder, 'jwt') }, settings);
const read = ({ source }: VaultParts, text = 'vault:agents/books#token'): Promise<string> =>
  source.read(readReference(text) as SecretReference);

describe('Vault', () => {
  it('is logged in to by the service account of a pod, once for many secrets', async () => {
    const parts = kubernetes({ namespace: 'team/a' });
    expect(await Promise.all([1, 2, 3].map(() => read(parts)))).toEqual(['abc', 'abc', 'abc']);
    expect(vault.bodies).toEqual([{ role: 'hub', jwt: 'jwt-of-the-pod' }]);
    expect(vault.requests.filter((one) => one.includes('login'))).toEqual([
      'POST auth/kubernetes/login',
    ]);
    expect(new Set(vault.namespaces)).toEqual(new Set(['team/a']));
  });

  it('is logged in to by AppRole, with a SecretID of a file, at another mount', async () => {
    const secretIdFile = join(folder, 'secret-id');
    const parts = connected({ method: 'approle', roleId: 'r', secretIdFile, mount: 'hubs' });
    expect(await read(parts)).toBe('abc');
    expect(vault.requests[0]).toBe('POST auth/hubs/login');
    expect(vault.bodies).toEqual([{ role_id: 'r', secret_id: 'right' }]);
  });

  it('takes a token, whose end it is asked for', async () => {
    vault.tokens.add('hvs.given');
    const parts = connected({ method: 'token', token: 'hvs.given' });
    expect(await read(parts)).toBe('abc');
    expect(vault.requests).toEqual(['GET auth/token/lookup-self', 'GET secret/data/agents/books']);
  });

  it('says that a login is refused, without what was shown', async () => {
    const parts = connected({ method: 'approle', roleId: 'r', secretId: 'wrong-secret-id' });
    const refused = read(parts);
    await expect(refused).rejects.toThrow(
      /refuses the approle login at auth\/approle \(HTTP 400\)/,
    );
    await expect(refused).rejects.not.toThrow(/wrong-secret-id/);
    await expect(read(connected({ method: 'token', token: 'no' }))).rejects.toThrow(
      /refuses the token of secrets\.vault\.auth/,
    );
    const lost = connected({ method: 'kubernetes', role: 'hub', jwtFile: join(folder, 'none') });
    await expect(read(lost)).rejects.toThrow(/jwtFile .*ENOENT/);
  });

  it('renews its token after two thirds of its life, also while nothing is read', async () => {
    vault.leaseSeconds = 30;
    const parts = kubernetes();
    await read(parts);
    clock.ms += 10_000;
    await parts.tokens.keepAlive();
    expect(vault.requests).not.toContain('POST auth/token/renew-self');
    clock.ms += 11_000;
    await parts.tokens.keepAlive();
    expect(vault.requests.at(-1)).toBe('POST auth/token/renew-self');
    clock.ms += 15_000;
    await read(parts);
    expect(vault.bodies).toHaveLength(1);
  });

  it('is read with a token that cannot be renewed now, until that ends; the renewal is tried again', async () => {
    vault.leaseSeconds = 30;
    const parts = kubernetes();
    await read(parts);
    const isRenewal = (one: string | undefined): boolean => one?.includes('renew-self') ?? false;
    vault.trouble = (request, response) => {
      const json = isRenewal(request.url)
        ? { errors: [] }
        : { data: { data: { token: 'abc' }, metadata: {} } };
      response.writeHead(isRenewal(request.url) ? 503 : 200).end(JSON.stringify(json));
    };
    const renewals = (): number => vault.requests.filter(isRenewal).length;
    clock.ms += 21_000;
    expect([await read(parts), await read(parts), await read(parts)]).toEqual(Array(3).fill('abc'));
    expect(renewals()).toBe(1);
    await expect(parts.tokens.keepAlive()).rejects.toThrow(/sealed/);
    expect(renewals()).toBe(2);
    clock.ms += 6000;
    expect(await read(parts)).toBe('abc');
    expect(renewals()).toBe(3);
    vault.trouble = undefined;
    clock.ms += 2000;
    await parts.tokens.keepAlive();
    expect([renewals(), vault.bodies.length]).toEqual([4, 1]);
    vault.trouble = (_, response) => response.writeHead(503).end('{"errors":[]}');
    clock.ms += 31_000;
    await expect(read(parts)).rejects.toThrow(/sealed/);
  });

  it('has its token renewed in time when the clock is set back', async () => {
    vault.leaseSeconds = 30;
    const parts = kubernetes();
    await read(parts);
    clock.ms -= 3_600_000;
    clock.ms += 21_000;
    await parts.tokens.keepAlive();
    expect(vault.requests.at(-1)).toBe('POST auth/token/renew-self');
  });

  it('is logged in to again when a token has ended, or cannot be renewed any further', async () => {
    vault.leaseSeconds = 30;
    const parts = kubernetes();
    await read(parts);
    clock.ms += 31_000;
    await read(parts);
    expect(vault.bodies).toHaveLength(2);
    vault.leaseSeconds = 3;
    clock.ms += 25_000;
    await read(parts);
    expect(vault.bodies).toHaveLength(3);
  });

  it('is logged in to again, once, when a token is refused', async () => {
    const parts = kubernetes();
    await read(parts);
    vault.tokens.clear();
    expect(await read(parts)).toBe('abc');
    expect(vault.bodies).toHaveLength(2);
  });

  it('says which right is missing', async () => {
    const parts = kubernetes();
    vault.trouble = (request, response) => {
      const isLogin = request.url?.includes('login');
      const auth = { client_token: 'hvs.x', lease_duration: 60, renewable: true };
      const denied = { errors: ['1 error occurred: permission denied'] };
      response.writeHead(isLogin ? 200 : 403).end(JSON.stringify(isLogin ? { auth } : denied));
    };
    await expect(read(parts)).rejects.toThrow(/policy needs read on secret\/data\/agents\/books/);
    expect(vault.requests).toHaveLength(4);
  });

  it('is logged in to again once, not at each read, for what its policy does not allow', async () => {
    vault.secrets.set('agents/denied', { denied: true });
    const parts = kubernetes();
    await read(parts);
    for (let i = 0; i < 5; i += 1) {
      await expect(read(parts, 'vault:agents/denied#token')).rejects.toThrow(/its policy needs/);
      await expect(read(parts, 'vault:agents/denied#other')).rejects.toThrow(/its policy needs/);
      clock.ms += 60_000;
      await read(parts);
    }
    expect(vault.bodies).toHaveLength(2);
    // A token that was revoked meanwhile is told from that.
    vault.tokens.clear();
    expect(await read(parts)).toBe('abc');
    expect(vault.bodies).toHaveLength(3);
    // A role may have other policies by now.
    clock.ms += 600_000;
    vault.secrets.set('agents/denied', { token: 'allowed' });
    vault.tokens.clear();
    expect(await read(parts, 'vault:agents/denied#token')).toBe('allowed');
    expect(vault.bodies).toHaveLength(4);
    // What could be read and cannot any more is one login as well.
    vault.secrets.set('agents/books', { denied: true });
    for (let i = 0; i < 3; i += 1) {
      await expect(read(parts)).rejects.toThrow(/its policy needs/);
      clock.ms += 60_000;
    }
    expect(vault.bodies).toHaveLength(5);
  });

  it.each([
    ['vault:agents/none#token', 'is not in Vault below the mount secret'],
    ['vault:agents/books#none', 'has no member none'],
    ['vault:agents/books#number', 'has a member number that is not text'],
    ['vault:agents/books#toString', 'has no member toString'],
    ['vault:agents/deleted#token', 'is deleted in Vault'],
    ['vault:agents/large#token', 'more than 65536 characters'],
  ])('tells of %s that it %s', async (text, message) => {
    vault.secrets.set('agents/deleted', { deleted: true });
    vault.secrets.set('agents/large', { token: 'x'.repeat(70_000) });
    const failed = read(kubernetes(), text);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({ trouble: 'gone' });
  });

  it.each([
    [429, 'standby'],
    [473, 'standby'],
    [501, 'not initialized'],
    [503, 'sealed'],
    [500, 'Vault failed (HTTP 500)'],
    [307, 'points elsewhere'],
    [200, 'HTTP 200) is not Vault'],
    [400, 'HTTP 400) is not Vault'],
    [403, 'HTTP 403) is not Vault'],
    [404, 'HTTP 404) is not Vault'],
  ])('that answers %i cannot be asked now: %s', async (status, message) => {
    vault.trouble = (_, response) => response.writeHead(status).end('<html>');
    const failed = read(kubernetes());
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({ trouble: 'away' });
  });

  it.each<[string, number, object, string]>([
    ['a proxy has no route to it', 404, { message: 'no Route matched' }, 'is not Vault'],
    ['a page of maintenance is in its place', 200, { status: 'ok' }, 'is not Vault'],
    ['its engine is being upgraded', 400, { errors: ['Upgrading'] }, 'not take the request'],
  ])('is not taken to have no secret when %s', async (_, status, body, message) => {
    const parts = kubernetes();
    await read(parts);
    vault.trouble = (__, response) => response.writeHead(status).end(JSON.stringify(body));
    const failed = read(parts);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({ trouble: 'away' });
  });

  it('has its time, and answers that are not endless', async () => {
    vault.trouble = () => undefined;
    await expect(read(kubernetes({ timeoutMs: 300 }))).rejects.toThrow(/no answer within 0\.3 s/);
    vault.trouble = (_, response) => response.writeHead(200).end('x'.repeat(2_000_000));
    await expect(read(kubernetes())).rejects.toThrow(/too large/);
    const { url } = vault;
    await vault.close();
    await expect(read(kubernetes({ address: url }))).rejects.toThrow(
      /cannot be asked: ECONNREFUSED/,
    );
  });

  it('is called where the egress guard lets the hub, and nowhere else', async () => {
    const closed = new Egress({ allow: [] });
    const config = configWith({
      secrets: { vault: { address: vault.url, auth: { token: 'x' } } },
    });
    const parts = vaultOf(config.secrets, closed, clock)!;
    await expect(read(parts)).rejects.toThrow(/egress\.allow/);
    expect(vault.requests).toEqual([]);
    await closed.close();
  });
});

describe('the settings of Vault', () => {
  const address = 'https://vault.example';
  it.each<[Vault['auth'], string]>([
    [{ method: 'token' }, 'secrets.vault.auth.token'],
    [{ method: 'token', token: 'a', tokenFile: '/b' }, 'secrets.vault.auth.token'],
    [{ method: 'kubernetes' }, 'secrets.vault.auth.role'],
    [{ method: 'approle', secretId: 'x' }, 'secrets.vault.auth.roleId'],
    [{ method: 'approle', roleId: 'x' }, 'secrets.vault.auth.secretId'],
  ])('are refused when the login lacks something: %j', (auth, key) => {
    expect(() => configWith({ secrets: { vault: { address, auth } } })).toThrow(key);
  });
});
