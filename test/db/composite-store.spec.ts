import { TypeormCompositeStore } from '../../src/routing/persistence/typeorm-composite.store.js';
import { compositeStoreContract } from '../contract/composite-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('composite skills', (databases) => {
  compositeStoreContract(async () => new TypeormCompositeStore(await databases.openEmptied()));
});
