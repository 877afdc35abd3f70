import { authProfileStoreContract } from '../contract/auth-profile-store.contract.js';
import { laneEndingsContract } from '../contract/lane-endings.contract.js';
import { laneStoreContract } from '../contract/lane-store.contract.js';
import { loggedDeliveriesContract } from '../contract/logged-deliveries.contract.js';
import { managedConfigStoreContract } from '../contract/managed-config-store.contract.js';
import { pushBacklogContract } from '../contract/push-backlog.contract.js';
import { pushRetentionContract } from '../contract/push-retention.contract.js';
import { pushConfigStoreContract } from '../contract/push-config-store.contract.js';
import { subscriptionBeginningsContract } from '../contract/subscription-beginnings.contract.js';
import { subscriptionLanesContract } from '../contract/subscription-lanes.contract.js';
import { subscriptionStoreContract } from '../contract/subscription-store.contract.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';
import { SubscriptionStores } from '../support/subscription-stores.js';

describeDatabases('push', (databases) => {
  const open = async (): Promise<PushStores> => new PushStores(await databases.open());
  authProfileStoreContract(open);
  pushConfigStoreContract(open);
  managedConfigStoreContract(open);
  laneStoreContract(open);
  loggedDeliveriesContract(open);
  pushBacklogContract(open);
  pushRetentionContract(open);
  const openAll = async (): Promise<SubscriptionStores> =>
    new SubscriptionStores(await databases.open());
  laneEndingsContract(openAll);
  subscriptionStoreContract(openAll);
  subscriptionLanesContract(openAll);
  subscriptionBeginningsContract(openAll);
});
