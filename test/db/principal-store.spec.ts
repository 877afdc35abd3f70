import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import { SqlPrincipalNames } from '../../src/auth/persistence/sql-principal-names.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { principalStoreContract } from '../contract/principal-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('PrincipalStore', (databases) => {
  principalStoreContract(async () => {
    const database = await databases.openEmptied();
    return {
      principals: new SqlPrincipalStore(database),
      keys: new SqlApiKeyStore(database),
      names: new SqlPrincipalNames(database),
    };
  });
});
