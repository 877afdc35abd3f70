import { TypeormApiKeyStore } from '../../src/auth/persistence/typeorm-api-key.store.js';
import { TypeormPrincipalStore } from '../../src/auth/persistence/typeorm-principal.store.js';
import { principalStoreContract } from '../contract/principal-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('PrincipalStore', (databases) => {
  principalStoreContract(async () => {
    const database = await databases.openEmptied();
    return {
      principals: new TypeormPrincipalStore(database),
      keys: new TypeormApiKeyStore(database),
    };
  });
});
