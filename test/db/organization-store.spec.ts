import { beforeEach, describe, expect, it } from '@jest/globals';
import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import { SqlSignInBlocks } from '../../src/auth/persistence/sql-sign-in-blocks.js';
import { SqlIdentityStore } from '../../src/auth/persistence/sql-identity.store.js';
import { SqlOrganizationStore } from '../../src/auth/persistence/sql-organization.store.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { SystemIdSource } from '../../src/common/ids.js';
import type { DataOwner } from '../../src/common/owned-data.js';
import { SqlDataJobStore } from '../../src/data/persistence/sql-data-job.store.js';
import type { Database } from '../../src/database/database.js';
import { organizationStoreContract } from '../contract/organization-store.contract.js';
import { describeDatabases } from '../support/databases.js';

const AT = new Date(1000);

const storesOf = (database: Database) => ({
  organizations: new SqlOrganizationStore(database),
  principals: new SqlPrincipalStore(database),
  keys: new SqlApiKeyStore(database),
  identities: new SqlIdentityStore(
    database,
    new SystemIdSource(),
    new SqlSignInBlocks(database, { fingerprint: (values) => Promise.resolve(values.join()) }),
  ),
});

describeDatabases('OrganizationStore', (databases) => {
  organizationStoreContract(async () => storesOf(await databases.openEmptied()));

  describe('whose name a deletion has', () => {
    let stores: ReturnType<typeof storesOf>;
    let jobs: SqlDataJobStore;

    beforeEach(async () => {
      const database = await databases.openEmptied();
      stores = storesOf(database);
      jobs = new SqlDataJobStore(database);
    });

    const begin = (id: string, owner: DataOwner) =>
      jobs.add({
        ...{ id, owner, kind: 'deletion', state: 'waiting', isMappingOnly: false, blocks: false },
        ...{ requestedBy: 'admin', keyId: null, progress: {}, error: null, receipt: null },
        ...{ createdAt: AT, startedAt: null, endedAt: null },
      });
    const make = (id: string, organization: string) =>
      stores.principals.create(
        { id, organization, displayName: null, groups: [], createdAt: AT },
        false,
      );
    const addKey = (principalId: string, organization: string) =>
      stores.keys.add({
        ...{ id: `key-${principalId}`, principalId, organization, name: 'a key', scopes: ['a2a'] },
        ...{ hash: 'ab'.repeat(32), createdAt: AT, revokedAt: null, expiresAt: null },
        ...{ lastUsedAt: null, allowedNetworks: [], allowedOrigins: [], replacedBy: null },
        groups: [],
      });
    const signIn = (organization: string) =>
      stores.identities.signIn({
        ...{ issuer: 'https://login.example', subject: 'alice', organization, scopes: ['a2a'] },
        ...{ at: AT, until: new Date(9e9) },
      });
    const create = (id: string) =>
      stores.organizations.create({
        ...{ id, displayName: null, description: null, labels: {}, createdAt: AT },
        disabledAt: null,
      });

    it('is made by nobody until it has ended: it would delete the data of the next one', async () => {
      await begin('d1', { organization: 'acme' });
      const refused = {
        reason: 'CONFLICT',
        message:
          'The data of the organization acme is being deleted (deletion d1): wait until that has ended, or cancel it.',
      };
      await expect(create('acme')).rejects.toMatchObject(refused);
      await expect(make('bot', 'acme')).rejects.toMatchObject(refused);
      await expect(addKey('bot', 'acme')).rejects.toMatchObject(refused);
      await expect(signIn('acme')).rejects.toMatchObject({
        ...{ reason: 'UNAUTHENTICATED', message: refused.message },
        refusal: { cause: 'open-deletion' },
      });
      expect(await stores.organizations.get('acme')).toBeUndefined();
      expect(await make('bot', 'other')).toBe(true);
      await jobs.cancel('deletion', 'd1', AT);
      expect(await create('acme')).toBe(true);
      expect(await signIn('acme')).toMatchObject({ disabled: null });
      await addKey('carol', 'acme');
    });

    it('is no principal either, of no organization', async () => {
      await begin('d2', { principal: 'bot' });
      for (const made of [make('bot', 'other'), addKey('bot', 'acme')]) {
        await expect(made).rejects.toThrow('The data of the principal bot is being deleted');
      }
      expect(await make('bots', 'other')).toBe(true);
      await jobs.cancel('deletion', 'd2', AT);
      expect(await make('bot', 'other')).toBe(true);
    });
  });
});
