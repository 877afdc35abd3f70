import { HUB_AUTHORITY } from '../../src/auth/authority.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeyStore, PrincipalStore } from '../../src/auth/index.js';
import type { KeyAdmission } from '../../src/auth/api-key-store.js';
import type { Scope } from '../../src/common/scope.js';
import type { Tx, Work } from '../../src/database/sql.js';
import type { IdentityStore } from '../../src/auth/identity-store.js';
import type { Organization, OrganizationStore } from '../../src/auth/organization-store.js';

export interface OrganizationStores {
  readonly organizations: OrganizationStore;
  readonly principals: PrincipalStore;
  readonly keys: ApiKeyStore;
  readonly identities: IdentityStore;
}

/** What every {@link OrganizationStore} does, with the stores of what organizations have. */
export function organizationStoreContract(open: () => Promise<OrganizationStores>): void {
  let stores: OrganizationStores;

  beforeEach(async () => {
    stores = await open();
  });

  const organizationOf = (id: string, members: Partial<Organization> = {}): Organization => ({
    id,
    displayName: null,
    description: null,
    labels: {},
    createdAt: new Date(1000),
    disabledAt: null,
    ...members,
  });
  const addKey = (
    id: string,
    principalId: string,
    organization: string,
    admission?: KeyAdmission,
    scopes: Scope[] = ['a2a'],
  ) =>
    stores.keys.add(
      {
        ...{ id, principalId, organization, name: 'a key', scopes, hash: 'ab'.repeat(32) },
        ...{ createdAt: new Date(2000), revokedAt: null, expiresAt: null, lastUsedAt: null },
        ...{ allowedNetworks: [], allowedOrigins: [], replacedBy: null, groups: [] },
      },
      admission,
    );
  const signIn = (organization: string, isListed = false) =>
    stores.identities.signIn({
      ...{ issuer: 'https://login.example', subject: 'alice', organization, scopes: ['a2a'] },
      ...{ at: new Date(2000), until: new Date(9e9), isListed },
    });
  const nothingLeft = function* (): Generator<never, void> {
    // Nothing.
  };

  it('keeps what an organization is, once', async () => {
    const { organizations } = stores;
    const acme = organizationOf('acme', { displayName: 'Acme', labels: { cost: '4711' } });
    expect(await organizations.create(acme)).toBe(true);
    expect(await organizations.create(organizationOf('acme'))).toBe(false);
    expect(await organizations.get('acme')).toEqual({ ...acme, principals: 0 });
    expect(await organizations.get('umbrella')).toBeUndefined();
    expect(await organizations.change('acme', { description: 'roadrunners' })).toBe(true);
    expect(await organizations.change('umbrella', { description: 'none' })).toBe(false);
    expect(await organizations.get('acme')).toMatchObject({
      ...acme,
      description: 'roadrunners',
    });
  });

  it('pages through them by id, or gives one, or those of a state', async () => {
    const { organizations } = stores;
    for (const id of ['b', 'd', 'a', 'c']) await organizations.create(organizationOf(id));
    await organizations.disable('c', new Date(2000), HUB_AUTHORITY);
    const first = await organizations.list({}, 3);
    const second = await organizations.list({}, 3, first.nextCursor!);
    const ids = [first, second].map(({ items }) => items.map(({ id }) => id));
    expect(ids).toEqual([['a', 'b', 'c'], ['d']]);
    expect(second.nextCursor).toBeNull();
    const of = async (filter: object): Promise<string[]> =>
      (await organizations.list(filter, 9)).items.map(({ id }) => id);
    expect(await of({ id: 'b' })).toEqual(['b']);
    expect(await of({ state: 'disabled' })).toEqual(['c']);
    expect(await of({ state: 'enabled' })).toEqual(['a', 'b', 'd']);
  });

  describe('the first principal of an organization', () => {
    it('makes it, with a key and by a sign-in', async () => {
      await addKey('k1', 'alice', 'acme');
      await addKey('k2', 'bob', 'acme');
      await signIn('umbrella');
      expect(await stores.organizations.get('acme')).toMatchObject({ principals: 2 });
      expect(await stores.organizations.get('umbrella')).toMatchObject({ principals: 1 });
    });

    it('is refused where organizations are listed', async () => {
      const missing = { reason: 'INVALID_PARAMS' };
      await expect(addKey('k1', 'alice', 'acme', 'listed')).rejects.toMatchObject(missing);
      await expect(signIn('acme', true)).rejects.toMatchObject({
        reason: 'UNAUTHENTICATED',
        refusal: { cause: 'unknown-organization' },
      });
      expect((await stores.principals.list({}, 9)).items).toEqual([]);
      await stores.organizations.create(organizationOf('acme'));
      await addKey('k1', 'alice', 'acme', 'listed');
      expect(await signIn('acme', true)).toMatchObject({ disabled: null });
    });
  });

  describe('a disabled organization', () => {
    it('has no valid credential, until it is enabled', async () => {
      const { organizations, principals, keys } = stores;
      await addKey('k1', 'alice', 'acme');
      await addKey('k2', 'bob', 'acme');
      await addKey('k3', 'eve', 'umbrella');
      const { id: identity, principalId } = await signIn('acme');
      await principals.disable('bob', new Date(2500), HUB_AUTHORITY);
      const all = ['k1', 'k2', 'k3', identity];
      const valid = async (): Promise<string[]> =>
        [...(await principals.validCredentials(all)).keys()].sort();
      const disabled = await organizations.disable('acme', new Date(3000), HUB_AUTHORITY);
      expect([...disabled!].sort()).toEqual(['alice', 'bob', principalId].sort());
      expect(await valid()).toEqual(['k3']);
      expect(await keys.findPresented('k1')).toMatchObject({ fault: 'disabled-organization' });
      expect(await signIn('acme')).toMatchObject({ disabled: 'organization' });
      expect((await principals.statuses(['alice'])).get('alice')).toMatchObject({
        disabledAt: 3000,
        organizationDisabledAt: 3000,
      });
      expect((await principals.list({ state: 'disabled' }, 9)).items).toHaveLength(3);
      expect(await principals.get('alice')).toMatchObject({
        disabledAt: null,
        organizationDisabledAt: new Date(3000),
      });
      await organizations.enable('acme', HUB_AUTHORITY);
      expect(await valid()).toEqual(['k1', 'k3', identity].sort());
      expect(await signIn('acme')).toMatchObject({ disabled: null });
      expect(await organizations.get('acme')).toMatchObject({ disabledAt: null });
    });

    it('has what its principals own looked through, and raises the revision', async () => {
      const { organizations, principals } = stores;
      await addKey('k1', 'alice', 'acme');
      await addKey('k2', 'eve', 'umbrella');
      const before = await principals.revision();
      await organizations.disable('acme', new Date(3000), HUB_AUTHORITY);
      expect(await principals.revision()).toBeGreaterThan(before);
      expect((await principals.unreconciled()).map(({ id }) => id)).toEqual(['alice']);
    });

    it('keeps the time of the first call, and gets no principal and no key', async () => {
      const { organizations } = stores;
      await addKey('k1', 'alice', 'acme');
      await organizations.disable('acme', new Date(3000), HUB_AUTHORITY);
      await organizations.disable('acme', new Date(4000), HUB_AUTHORITY);
      expect(await organizations.get('acme')).toMatchObject({ disabledAt: new Date(3000) });
      const conflict = { reason: 'CONFLICT' };
      await expect(addKey('k2', 'alice', 'acme')).rejects.toMatchObject(conflict);
      await expect(addKey('k2', 'bob', 'acme')).rejects.toMatchObject(conflict);
      const elsewhere = { issuer: 'https://other.example', subject: 'carol' };
      const first = stores.identities.signIn({
        ...{ ...elsewhere, organization: 'acme', scopes: ['a2a'] },
        ...{ at: new Date(5000), until: new Date(9e9) },
      });
      await expect(first).rejects.toMatchObject({ refusal: { cause: 'disabled-organization' } });
      expect(await organizations.get('acme')).toMatchObject({ principals: 1 });
    });

    it('that there is not is not made by that', async () => {
      const { organizations } = stores;
      expect(await organizations.disable('acme', new Date(3000), HUB_AUTHORITY)).toBeUndefined();
      expect(await organizations.enable('acme', HUB_AUTHORITY)).toBeUndefined();
      expect(await organizations.get('acme')).toBeUndefined();
    });
  });

  it("lets in the hub's own principals whatever it is, and enables them", async () => {
    const { organizations, principals, keys } = stores;
    await addKey('k1', 'admin', 'default', 'own', ['admin']);
    await organizations.disable('default', new Date(3000), HUB_AUTHORITY);
    await principals.disable('admin', new Date(3000), HUB_AUTHORITY);
    await principals.setBuiltIn('anonymous', 'default', true, new Date(4000));
    await addKey('k2', 'admin', 'default', 'own', ['admin']);
    expect(await keys.findPresented('k2')).toMatchObject({
      key: { principalId: 'admin' },
      fault: null,
    });
    for (const id of ['admin', 'anonymous']) {
      expect(await principals.get(id)).toMatchObject({
        ...{ disabledAt: null, organizationDisabledAt: null },
      });
    }
    await organizations.disable('default', new Date(5000), HUB_AUTHORITY);
    expect(await organizations.get('default')).toMatchObject({ disabledAt: new Date(3000) });
    await principals.disable('admin', new Date(5000), HUB_AUTHORITY);
    await principals.setBuiltIn('admin', 'default', true, new Date(6000));
    expect(await keys.findPresented('k2')).toMatchObject({ fault: null });
    await organizations.enable('default', HUB_AUTHORITY);
    expect(await principals.get('admin')).toMatchObject({ organizationDisabledAt: null });
  });

  it('counts no admin key while it is disabled', async () => {
    const { organizations, keys } = stores;
    await addKey('k1', 'alice', 'acme', 'open', ['admin']);
    expect(await keys.adminKeySince(new Date(4000))).toEqual(new Date(2000));
    await organizations.disable('acme', new Date(3000), HUB_AUTHORITY);
    expect(await keys.adminKeySince(new Date(4000))).toBeUndefined();
  });

  it('deletes one without principals, and nothing while something is left', async () => {
    const { organizations, principals } = stores;
    await addKey('k1', 'alice', 'acme');
    const conflict = { reason: 'CONFLICT' };
    await expect(organizations.delete('acme', nothingLeft)).rejects.toMatchObject(conflict);
    await expect(principals.delete('alice', HUB_AUTHORITY, nothingLeft)).rejects.toMatchObject(
      conflict,
    );
    await principals.disable('alice', new Date(3000), HUB_AUTHORITY);
    const left = function* (tx: Tx): Work<void> {
      yield* tx.all('SELECT id FROM principals');
      throw new Error('a task is left');
    };
    await expect(principals.delete('alice', HUB_AUTHORITY, left)).rejects.toThrow('a task is left');
    expect(await principals.delete('alice', HUB_AUTHORITY, nothingLeft)).toBe(true);
    expect(await principals.delete('alice', HUB_AUTHORITY, nothingLeft)).toBe(false);
    expect(await stores.keys.find('k1')).toBeUndefined();
    await expect(organizations.delete('acme', left)).rejects.toThrow('a task is left');
    expect(await organizations.delete('acme', nothingLeft)).toBe(true);
    expect(await organizations.delete('acme', nothingLeft)).toBe(false);
  });

  it('lets nobody change a principal that is of another organization by then', async () => {
    const { principals } = stores;
    await addKey('k1', 'alice', 'acme');
    const ofAcme = { ...HUB_AUTHORITY, isOfAll: false, administers: (of: string) => of === 'acme' };
    const changes = (at: Date) =>
      Promise.all([
        principals.change('alice', { displayName: `Changed at ${at.getTime()}` }, ofAcme),
        principals.disable('alice', at, ofAcme),
        principals.enable('alice', ofAcme),
      ]);
    expect(await changes(new Date(2500))).toEqual([true, true, true]);
    await principals.disable('alice', new Date(3000), HUB_AUTHORITY);
    await principals.delete('alice', HUB_AUTHORITY, nothingLeft);
    await addKey('k2', 'alice', 'other');
    expect(await changes(new Date(3500))).toEqual([false, false, false]);
    expect(await principals.get('alice')).toMatchObject({ displayName: null, disabledAt: null });
    await principals.disable('alice', new Date(4000), HUB_AUTHORITY);
    expect(await principals.delete('alice', ofAcme, nothingLeft)).toBe(false);
    expect(await principals.get('alice')).toMatchObject({ disabledAt: new Date(4000) });
  });

  it('keeps the groups and names of principals, which come with their credentials', async () => {
    const { principals, keys } = stores;
    const made = {
      ...{ id: 'alice', organization: 'acme', displayName: 'Alice', groups: ['50%_"x"', 'y'] },
      createdAt: new Date(1000),
    };
    expect(await principals.create(made, false)).toBe(true);
    expect(await principals.create(made, false)).toBe(false);
    expect(await principals.get('alice')).toMatchObject({ ...made, keylessSince: new Date(1000) });
    await addKey('k1', 'alice', 'elsewhere');
    expect(await keys.find('k1')).toMatchObject({
      organization: 'acme',
      groups: ['50%_"x"', 'y'],
    });
    const withGroup = async (group: string): Promise<number> =>
      (await principals.list({ group }, 9)).items.length;
    expect(await Promise.all(['50%_"x"', 'y', '50', '%', '_'].map(withGroup))).toEqual([
      1, 1, 0, 0, 0,
    ]);
    expect(await principals.change('alice', { groups: [] }, HUB_AUTHORITY)).toBe(true);
    expect(await principals.change('bob', { groups: [] }, HUB_AUTHORITY)).toBe(false);
    expect(await principals.get('alice')).toMatchObject({ displayName: 'Alice', groups: [] });
  });
}
