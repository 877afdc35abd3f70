import { SqlCompositeStore } from '../../src/routing/persistence/sql-composite.store.js';
import { compositeStoreContract } from '../contract/composite-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('composite skills', (databases) => {
  compositeStoreContract(async () => new SqlCompositeStore(await databases.openEmptied()));
});
