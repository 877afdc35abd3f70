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
      write: (work) => database.write(work),
      fill: (count) =>
        database.write(function* (tx) {
          yield* tx.run(FILL, [count]);
        }),
    };
  });
});

const FILL = `INSERT INTO principals (id, organization, built_in, created_at)
  WITH RECURSIVE numbers (i) AS
    (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < CAST(? AS integer))
  SELECT 'filled-' || i, 'acme', 0, 1 FROM numbers`;
