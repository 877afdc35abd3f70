import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import { SqlSignInBlocks } from '../../src/auth/persistence/sql-sign-in-blocks.js';
import { SqlIdentityStore } from '../../src/auth/persistence/sql-identity.store.js';
import { SqlOrganizationStore } from '../../src/auth/persistence/sql-organization.store.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { SystemIdSource } from '../../src/common/ids.js';
import { organizationStoreContract } from '../contract/organization-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('OrganizationStore', (databases) => {
  organizationStoreContract(async () => {
    const database = await databases.openEmptied();
    return {
      organizations: new SqlOrganizationStore(database),
      principals: new SqlPrincipalStore(database),
      keys: new SqlApiKeyStore(database),
      identities: new SqlIdentityStore(
        database,
        new SystemIdSource(),
        new SqlSignInBlocks(database, { fingerprint: (values) => Promise.resolve(values.join()) }),
      ),
    };
  });
});
