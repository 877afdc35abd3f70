import { Injectable } from '@nestjs/common';
import { PresentCallers, type Principal, type Visibility } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { invalidField } from '../../common/hub-error.js';
import { PushWakeup } from '../delivery/push-wakeup.js';
import type { SubscriptionFilter } from '../registration/domain/subscription-filter.js';
import { SubscriptionDirectory } from '../registration/subscription-directory.js';
import { SubscriptionReconciler } from '../delivery/subscription-reconciler.js';
import { changed, paused, resumed } from './webhook-decisions.js';
import {
  type GivenSecrets,
  WebhookRegistration,
  refuseCarried,
  refuseNoSecret,
} from '../registration/webhook-registration.js';
import { WebhookStore } from './webhook-store.js';
import type { EventChoice, Registration, Webhook, WebhookChange } from '../registration/webhook.js';

/** What may be changed of a webhook; absent members stay. */
export interface RequestedChange extends GivenSecrets {
  readonly name?: string | null | undefined;
  readonly url?: string | undefined;
  readonly events?: EventChoice | undefined;
  readonly filter?: SubscriptionFilter | undefined;
}

export interface NewSecrets extends GivenSecrets {
  /** The present signing keys go on signing behind the new ones. */
  readonly keepSigningKeys?: boolean | undefined;
}

/** A webhook that is to be changed. */
export interface Target {
  readonly id: string;
  readonly caller: Principal;
  readonly visibility: Visibility;
  /** Throws when the caller may not change it as it is by then. */
  readonly allowed: (present: Webhook) => void;
}

/** As the caller has read it. */
export type Seen = Registration & Pick<Webhook, 'organization'>;

/**
 * The changes of webhooks, whatever they are for; all hold from the next attempt on. Each gives undefined,
 * or false, when the webhook is gone; UNAUTHENTICATED when the caller is not valid any more by then.
 */
@Injectable()
export class WebhookChanges {
  constructor(
    private readonly store: WebhookStore,
    private readonly registration: WebhookRegistration,
    private readonly directory: SubscriptionDirectory,
    private readonly reconciler: SubscriptionReconciler,
    private readonly wakeup: PushWakeup,
    private readonly clock: Clock,
    private readonly present: PresentCallers,
  ) {}

  /**
   * What waits goes to the new address. Secrets do not go to another origin by themselves: they have to
   * be given with it, or taken away.
   */
  async patch(
    target: Target,
    seen: Seen,
    requested: RequestedChange,
  ): Promise<Webhook | undefined> {
    const { name, url, events, filter } = requested;
    const change: WebhookChange = {
      ...(name !== undefined && { name }),
      ...(events !== undefined && { events }),
      ...(filter !== undefined && { filter }),
      ...(url !== undefined && (await this.registration.address(url, seen.organization, ''))),
      ...this.registration.given(requested),
    };
    refuseCarried(seen, change);
    return this.change(target, seen, change);
  }

  /**
   * New secrets; absent ones stay. A body that waits goes with them. Once this has resolved, only requests
   * that were about to begin carry the old ones.
   */
  async rotate(target: Target, seen: Seen, requested: NewSecrets): Promise<Webhook | undefined> {
    const { signingKeys, keepSigningKeys = false } = requested;
    refuseNoSecret(requested);
    if (keepSigningKeys && !signingKeys?.length) {
      throw invalidField('keepSigningKeys', 'needs signingKeys');
    }
    const kept = keepSigningKeys ? seen.sealedSigningKeys : null;
    return this.change(target, seen, this.registration.given(requested, kept));
  }

  /** Sends nothing more until it is resumed; what happens meanwhile is delivered then. */
  pause(target: Target): Promise<Webhook | undefined> {
    return this.update(target, paused);
  }

  /** Goes on; see `WebhookStore.update`. */
  resume(target: Target): Promise<Webhook | undefined> {
    return this.update(target, resumed);
  }

  /** Nothing more is sent for it; what waits becomes dead letters. */
  async remove({ id, visibility, allowed }: Target): Promise<boolean> {
    const removed = await this.store.remove(id, visibility, allowed, this.clock.now());
    if (removed) await this.follow();
    return removed;
  }

  private async change(
    target: Target,
    seen: Seen,
    change: WebhookChange,
  ): Promise<Webhook | undefined> {
    await this.registration.requireProfile({ ...seen, ...change }, '');
    const fingerprint = await this.registration.fingerprint({ ...seen, ...change });
    return this.update(target, changed(seen.fingerprint, { ...change, fingerprint }));
  }

  private async update(
    { id, caller, visibility, allowed }: Target,
    decide: (present: Webhook) => WebhookChange | null,
  ): Promise<Webhook | undefined> {
    const decision = (present: Webhook): WebhookChange | null => {
      allowed(present);
      return decide(present);
    };
    const admit = this.present.writeCheckOf(caller);
    const next = await this.store.update(id, visibility, decision, this.clock.now(), admit);
    if (next !== undefined) await this.follow();
    return next;
  }

  /** Streams are looked at again, here at once. */
  private async follow(): Promise<void> {
    await this.directory.follow();
    this.reconciler.wake();
    this.wakeup.notify();
  }
}
