import { Injectable } from '@nestjs/common';
import { PrincipalChanges, PrincipalStore } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { SubscriptionDirectory } from '../registration/subscription-directory.js';
import { type HandedOver, OwnedWebhookStore } from './owned-webhook-store.js';

/** Hands the webhooks and subscriptions of one principal over to another. */
@Injectable()
export class HandoverService {
  constructor(
    private readonly principals: PrincipalStore,
    private readonly owned: OwnedWebhookStore,
    private readonly directory: SubscriptionDirectory,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * See `OwnedWebhookStore.handOver`. What was held back because of `from` goes on for `to`, at once
   * here and within about a second elsewhere. NOT_FOUND when there is no `from`, INVALID_PARAMS when there
   * is no `to`, or when both are the same.
   */
  async give(from: string, to: string, callerId: string): Promise<HandedOver> {
    if ((await this.principals.get(from)) === undefined) {
      throw new HubError('NOT_FOUND', `There is no principal ${from}.`);
    }
    if (from === to) throw invalidField('to', 'must be another principal');
    if ((await this.principals.get(to)) === undefined) {
      throw invalidField('to', 'names no principal that there is');
    }
    try {
      const handed = await this.owned.handOver(from, to, this.clock.now());
      this.log.info(
        { from, to, by: callerId, ...handed },
        'the webhooks of a principal were handed over to another',
      );
      return handed;
    } finally {
      // Also what was moved before something went wrong.
      await this.principals.markUnreconciled(to).catch((err: unknown) => {
        this.log.warn({ err, principal: to }, 'what was handed over is not looked through at once');
      });
      await this.directory.follow();
      await this.changes.notify(to);
    }
  }
}
