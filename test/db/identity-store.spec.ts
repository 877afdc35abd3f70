import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import { SqlIdentityStore } from '../../src/auth/persistence/sql-identity.store.js';
import { SqlSignInBlocks } from '../../src/auth/persistence/sql-sign-in-blocks.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { SystemIdSource } from '../../src/common/ids.js';
import { identityStoreContract } from '../contract/identity-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('IdentityStore', (databases) => {
  identityStoreContract(async () => {
    const database = await databases.openEmptied();
    return {
      identities: new SqlIdentityStore(
        database,
        new SystemIdSource(),
        new SqlSignInBlocks(database, { fingerprint: (values) => Promise.resolve(values.join()) }),
      ),
      principals: new SqlPrincipalStore(database),
      keys: new SqlApiKeyStore(database),
    };
  });
});
