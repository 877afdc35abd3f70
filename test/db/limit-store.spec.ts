import { SqlLimitCounters } from '../../src/limits/persistence/sql-limit-counters.js';
import { SqlLimitStore } from '../../src/limits/persistence/sql-limit.store.js';
import { limitStoreContract } from '../contract/limit-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('limits', (databases) => {
  limitStoreContract(async () => {
    const database = await databases.openEmptied();
    return {
      store: new SqlLimitStore(database),
      counters: new SqlLimitCounters(database),
      database,
    };
  });
});
