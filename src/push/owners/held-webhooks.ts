import { Injectable } from '@nestjs/common';
import { type Hold, PrincipalHolds } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import type { PushConfig } from '../configs/push-config.js';
import type { Subscription } from '../subscriptions/subscription.js';
import { OwnedWebhookStore } from './owned-webhook-store.js';

/** Why something is not sent because of its principal; null when it is not held back for that. */
export type HeldFor<T> = (each: T) => Hold | null;

/** What is held back at this moment because of how its principal stands, as views tell it. */
@Injectable()
export class HeldWebhooks {
  constructor(
    private readonly holds: PrincipalHolds,
    private readonly owned: OwnedWebhookStore,
    private readonly clock: Clock,
  ) {}

  /** Those of a subscription by that, others by who has set them. */
  async ofConfigs(configs: readonly PushConfig[]): Promise<HeldFor<PushConfig>> {
    const senders = await this.owned.senders(configs.map(({ uid }) => uid));
    const principals = [...senders.values()].map(({ principalId }) => principalId);
    const holdOf = await this.holds.held(principals, this.clock.now());
    return ({ uid, organization }) => {
      const sender = senders.get(uid);
      return sender === undefined
        ? null
        : holdOf(sender.principalId, { kind: sender.kind, organization });
    };
  }

  async ofSubscriptions(subscriptions: readonly Subscription[]): Promise<HeldFor<Subscription>> {
    const principals = subscriptions.map(({ principalId }) => principalId);
    const holdOf = await this.holds.held(principals, this.clock.now());
    return ({ principalId, scope, organization }) =>
      holdOf(principalId, { kind: scope, organization });
  }
}
