import { Injectable } from '@nestjs/common';
import { type Hold, PrincipalHolds } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { type Sent, senderOf, sendersOf } from '../registration/webhook.js';

/** Why something is not sent because of its principal; null when it is not held back for that. */
export type HeldFor<T> = (each: T) => Hold | null;

/** What is held back at this moment because of its principal, as views show it. */
@Injectable()
export class HeldWebhooks {
  constructor(
    private readonly holds: PrincipalHolds,
    private readonly clock: Clock,
  ) {}

  async of<T extends Sent>(webhooks: readonly T[]): Promise<HeldFor<T>> {
    const holdOf = await this.holds.held(sendersOf(webhooks), this.clock.now());
    return (each) => holdOf(senderOf(each), each);
  }
}
