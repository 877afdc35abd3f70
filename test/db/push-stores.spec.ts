import { describe } from '@jest/globals';
import { authProfileStoreContract } from '../contract/auth-profile-store.contract.js';
import { streamEndingsContract } from '../contract/stream-endings.contract.js';
import { deliveryStreamStoreContract } from '../contract/delivery-stream-store.contract.js';
import { loggedDeliveriesContract } from '../contract/logged-deliveries.contract.js';
import { webhookChangesContract } from '../contract/webhook-changes.contract.js';
import { ownedWebhooksContract } from '../contract/owned-webhooks.contract.js';
import { pushBacklogContract } from '../contract/push-backlog.contract.js';
import { pushLocksContract } from '../contract/push-locks.contract.js';
import { pushRetentionContract } from '../contract/push-retention.contract.js';
import { taskWebhookContract } from '../contract/task-webhook.contract.js';
import { subscriptionBeginningsContract } from '../contract/subscription-beginnings.contract.js';
import { subscriptionStreamsContract } from '../contract/subscription-streams.contract.js';
import { subscriptionStoreContract } from '../contract/subscription-store.contract.js';
import { subscriptionWebhooksContract } from '../contract/subscription-webhooks.contract.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';
import { SubscriptionStores } from '../support/subscription-stores.js';

describeDatabases('push', (databases) => {
  const stores = async (): Promise<PushStores> => new PushStores(await databases.openEmptied());
  const all = async (): Promise<SubscriptionStores> =>
    new SubscriptionStores(await databases.openEmptied());

  // Each by itself: every contract opens what it needs before each of its tests.
  describe('auth profiles', () => authProfileStoreContract(stores));
  describe('webhooks', () => taskWebhookContract(stores));
  describe('changes of webhooks', () => webhookChangesContract(stores));
  describe('streams', () => deliveryStreamStoreContract(stores));
  describe('logged deliveries', () => loggedDeliveriesContract(stores));
  describe('logged deliveries of an endpoint that is well', () =>
    loggedDeliveriesContract(stores, true));
  describe('backlog', () => pushBacklogContract(stores));
  describe('retention', () => pushRetentionContract(stores));
  describe('endings', () => streamEndingsContract(all));
  describe('subscriptions', () => subscriptionStoreContract(all));
  describe('streams of subscriptions', () => subscriptionStreamsContract(all));
  describe('webhooks of subscriptions', () => subscriptionWebhooksContract(all));
  describe('owners', () => ownedWebhooksContract(all));
  describe('locks', () => pushLocksContract(all));
  describe('beginnings', () => subscriptionBeginningsContract(all));
});
