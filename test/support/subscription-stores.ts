import { EVERYTHING } from '../../src/auth/index.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import type { DeliveryStream } from '../../src/push/delivery/delivery-stream-store.js';
import type { NewSubscriptionStream } from '../../src/push/delivery/subscription-stream-store.js';
import type { Subscription, SubscriptionDraft } from '../../src/push/registration/webhook.js';
import { PushStores, deliveryOf, inHand } from './push-stores.js';

export const NOW = new Date(1_000_000);
export const LEASE = new Date(NOW.getTime() + 30_000);

/** The stores of webhooks with that of subscriptions. */
export class SubscriptionStores extends PushStores {
  wanted(changes: Partial<SubscriptionDraft> = {}): SubscriptionDraft {
    return {
      id: this.ids.next(),
      name: null,
      source: 'api',
      organization: 'acme',
      principalId: 'alice',
      scope: 'organization',
      url: 'https://hooks.example/a',
      endpoint: 'acme https://hooks.example:443',
      version: '1.0',
      authScheme: 'bearer',
      authNames: ['Bearer'],
      authProfile: null,
      sealedCredentials: 'plain:secret',
      sealedToken: null,
      sealedSigningKeys: null,
      events: 'changes',
      filter: { agents: null, tags: null, states: null },
      fingerprint: 'f1',
      verified: true,
      ...changes,
    };
  }

  subscribe(changes: Partial<SubscriptionDraft> = {}): Promise<Subscription> {
    return this.subscriptions.create(this.wanted(changes), 100, NOW);
  }

  /** Gives a task of `seq` entries the stream of a subscription; the task's id. */
  async join(
    subscription: Subscription,
    begins: NewSubscriptionStream['begins'] = 'start',
    seq = 2,
    taskId?: string,
  ): Promise<string> {
    const task = taskId ?? (await this.addTask(seq));
    const stream = { subscription, taskId: task, seq, traceparent: '00-a-b-01', begins };
    await this.database.write((tx) => this.subscriptionStreams.open(tx, [stream], NOW));
    return task;
  }

  /** Does all that is stale, in pieces of two. */
  async reconcileAll(): Promise<void> {
    for (const each of await this.subscriptionStreams.stale()) {
      const done = await this.subscriptionStreams.reconcileClaimed(each.id, NOW);
      let cursor: string | null = null;
      do cursor = await this.subscriptionStreams.reconcile(each.id, cursor, 2, NOW, done);
      while (cursor !== null);
      await this.subscriptionStreams.reconciled(each);
    }
  }

  claimAll(now = NOW, free = 50): Promise<DeliveryStream[]> {
    return this.streams.claim('w1', now, 30_000, { free, perEndpoint: 100 });
  }

  /** The stream in hand, with a delivery made of entry 3. */
  async reachOne(stream: DeliveryStream): Promise<DeliveryStream> {
    const reached = { nextSeq: 4, cursor: LOG_START, deliveries: [deliveryOf(3)] };
    return inHand(await this.streams.advance(stream, reached, NOW, LEASE));
  }

  async statesOf(taskId: string): Promise<string[]> {
    const found = await this.deliveries.list({ taskId }, EVERYTHING, 10, null);
    return found.map(({ state }) => state);
  }
}
