import { Injectable } from '@nestjs/common';
import { type Principal, hasScope } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import { HubError } from '../../common/hub-error.js';
import { ID } from '../../common/id-pattern.js';
import { IdSource } from '../../common/ids.js';
import type { Page } from '../../common/page.js';
import { AppConfig } from '../../config/index.js';
import { seenBy } from '../configs/push-access.js';
import {
  WebhookRegistration,
  refuseCarried,
  refuseNoSecret,
} from '../configs/webhook-registration.js';
import type {
  CreateSubscriptionDto,
  PatchSubscriptionDto,
  RotateSubscriptionDto,
} from './subscription.dto.js';
import { SubscriptionDirectory } from './subscription-directory.js';
import {
  type SubscriptionChange,
  type SubscriptionQuery,
  SubscriptionStore,
} from './subscription-store.js';
import { SubscriptionUpkeep } from './subscription-upkeep.js';
import type { Subscription, SubscriptionScope } from './subscription.js';
import { filterOf, requestedOf, secretsOf, textOf } from './written-subscription.js';

/**
 * The standing subscriptions of the caller, of its organization with the scope `tasks:organization`, and
 * all of them for operators (`admin`). Any other is NOT_FOUND, like one that does not exist. Every change
 * holds for all tasks that begin after its answer, whichever process they begin in.
 */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly store: SubscriptionStore,
    private readonly directory: SubscriptionDirectory,
    private readonly upkeep: SubscriptionUpkeep,
    private readonly registration: WebhookRegistration,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly ids: IdSource,
  ) {}

  /**
   * Throws INVALID_PARAMS naming the field (an address the hub may not call, an unknown scheme, too many
   * subscriptions), PERMISSION_DENIED for tasks the caller does not see.
   */
  async create(asked: CreateSubscriptionDto, caller: Principal): Promise<Subscription> {
    const organization = organizationOf(asked, caller);
    const scope = scopeOf(asked, caller, organization);
    const checked = await this.registration.check(requestedOf(asked), organization, '');
    const draft = {
      ...checked,
      id: this.ids.next(),
      name: textOf(asked.name),
      source: 'api' as const,
      organization,
      principalId: caller.id,
      scope,
      events: asked.events ?? 'changes',
      filter: filterOf(asked.filter),
    };
    const limit = this.config.push.maxSubscriptions;
    const created = await this.store.create(draft, limit, this.clock.now());
    await this.directory.renew();
    return created;
  }

  async get(id: string, caller: Principal): Promise<Subscription> {
    return (await this.store.get(id, seenBy(caller))) ?? unknown();
  }

  /** Oldest first. */
  async list(
    query: SubscriptionQuery,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<Subscription>> {
    const after = cursor === undefined ? null : readCursor('subscriptions', cursor, isId);
    const found = await this.store.list(query, seenBy(caller), limit + 1, after);
    return pageOf('subscriptions', found, limit, (each) => each.id);
  }

  /** Members that are absent stay as they are; secrets do not go to another origin by themselves. */
  async patch(id: string, asked: PatchSubscriptionDto, caller: Principal): Promise<Subscription> {
    const present = await this.mine(id, caller);
    const change: SubscriptionChange = {
      ...(asked.name !== undefined && { name: textOf(asked.name) }),
      ...(asked.events !== undefined && { events: asked.events }),
      ...(asked.filter !== undefined && { filter: filterOf(asked.filter) }),
      ...(asked.url !== undefined &&
        (await this.registration.address(asked.url, present.organization, ''))),
      ...this.registration.given(secretsOf(asked)),
    };
    refuseCarried(present, change);
    return this.changed(present, change, caller);
  }

  /**
   * Puts new secrets in the place of the old ones; members that are absent stay. What waits is sent with
   * the new ones from the next attempt on.
   */
  async rotate(id: string, asked: RotateSubscriptionDto, caller: Principal): Promise<Subscription> {
    const secrets = secretsOf(asked);
    refuseNoSecret(secrets);
    const present = await this.mine(id, caller);
    const kept = asked.keepSigningKeys ? present.sealedSigningKeys : null;
    return this.changed(present, this.registration.given(secrets, kept), caller);
  }

  /** One that the caller may have sent to, declared or not; throws as {@link get}, or PERMISSION_DENIED. */
  async usable(id: string, caller: Principal): Promise<Subscription> {
    const present = await this.get(id, caller);
    refuseWider(present, caller);
    return present;
  }

  /** Sends nothing more until it is resumed; what happens meanwhile is told then. */
  pause(id: string, caller: Principal): Promise<Subscription> {
    return this.written(id, caller, (present) => {
      refuseDeclared(present);
      if (present.state === 'disabled') {
        throw new HubError('CONFLICT', 'The subscription is disabled; there is nothing to pause.');
      }
      return { state: 'paused', stateReason: null };
    });
  }

  /** Goes on where it was: a paused or disabled one with all that its tasks have to tell since. */
  resume(id: string, caller: Principal): Promise<Subscription> {
    return this.written(id, caller, (present) => {
      // What the file says is not undone here; what its receiver has brought about is.
      if (present.state !== 'disabled') refuseDeclared(present);
      return { state: 'active', stateReason: null };
    });
  }

  /** Nothing more is sent for it; what waits becomes dead letters. */
  async remove(id: string, caller: Principal): Promise<void> {
    const allowed = (present: Subscription): void => {
      refuseDeclared(present);
      refuseWider(present, caller);
    };
    const removed = await this.store.remove(id, seenBy(caller), allowed, this.clock.now());
    if (!removed) return unknown();
    await this.directory.renew();
    this.upkeep.ring();
  }

  /** One that the caller may change. */
  private async mine(id: string, caller: Principal): Promise<Subscription> {
    const present = await this.usable(id, caller);
    refuseDeclared(present);
    return present;
  }

  private async changed(
    seen: Subscription,
    change: SubscriptionChange,
    caller: Principal,
  ): Promise<Subscription> {
    await this.registration.requireProfile({ ...seen, ...change }, '');
    const fingerprint = await this.registration.fingerprint({ ...seen, ...change });
    return this.written(seen.id, caller, (present) => {
      refuseDeclared(present);
      // The secrets that stay were read with it.
      if (present.fingerprint !== seen.fingerprint) {
        throw new HubError('CONFLICT', 'The subscription was changed meanwhile; try again.');
      }
      return { ...change, fingerprint };
    });
  }

  private async written(
    id: string,
    caller: Principal,
    decide: (present: Subscription) => SubscriptionChange,
  ): Promise<Subscription> {
    const allowed = (present: Subscription): SubscriptionChange => {
      refuseWider(present, caller);
      return decide(present);
    };
    const changed = await this.store.update(id, seenBy(caller), allowed, this.clock.now());
    if (changed === undefined) return unknown();
    await this.directory.renew();
    this.upkeep.ring();
    return changed;
  }
}

function isId(text: string): boolean {
  return ID.test(text);
}

function organizationOf({ organization }: CreateSubscriptionDto, caller: Principal): string {
  if (organization === undefined || organization === caller.organization) {
    return caller.organization;
  }
  if (hasScope(caller, 'admin')) return organization;
  throw denied('organization', 'may be another than the key’s with the scope admin only');
}

function scopeOf(
  { scope }: CreateSubscriptionDto,
  caller: Principal,
  organization: string,
): SubscriptionScope {
  const mayAll = hasScope(caller, 'tasks:organization');
  if (scope === 'organization' && !mayAll) {
    throw denied('scope', 'organization needs a key with the scope tasks:organization');
  }
  if (scope === 'own' && organization !== caller.organization) {
    throw denied('scope', 'own is for tasks of the caller, who has none in another organization');
  }
  return scope ?? (mayAll ? 'organization' : 'own');
}

/** Who may not see an organization's tasks may not have them sent elsewhere either. */
function refuseWider({ scope }: Subscription, caller: Principal): void {
  if (scope === 'own' || hasScope(caller, 'tasks:organization')) return;
  throw new HubError(
    'PERMISSION_DENIED',
    'The subscription is for all tasks of the organization: changing it needs a key with the scope tasks:organization.',
  );
}

function refuseDeclared({ id, source }: Subscription): void {
  if (source === 'api') return;
  throw new HubError(
    'CONFLICT',
    `The subscription ${id} is declared in the configuration (subscriptions); change it there.`,
  );
}

function denied(field: string, description: string): HubError {
  const violations = [{ field, description }];
  return new HubError('PERMISSION_DENIED', `${field} ${description}`, { violations });
}

function unknown(): never {
  throw new HubError('NOT_FOUND', 'There is no such subscription.');
}
