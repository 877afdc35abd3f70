import { laneStoreContract } from '../contract/lane-store.contract.js';
import { pushRetentionContract } from '../contract/push-retention.contract.js';
import { pushConfigStoreContract } from '../contract/push-config-store.contract.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';

describeDatabases('push', (databases) => {
  const open = async (): Promise<PushStores> => new PushStores(await databases.open());
  pushConfigStoreContract(open);
  laneStoreContract(open);
  pushRetentionContract(open);
});
