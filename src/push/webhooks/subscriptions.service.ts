import { Injectable } from '@nestjs/common';
import { PresentCallers, type Principal, hasScope } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import { HubError } from '../../common/hub-error.js';
import { ID } from '../../common/id-pattern.js';
import { IdSource } from '../../common/ids.js';
import type { Page } from '../../common/page.js';
import { AppConfig } from '../../config/index.js';
import { seenBy } from '../receivers/push-access.js';
import { type Target, WebhookChanges } from './webhook-changes.js';
import { WebhookRegistration } from '../registration/webhook-registration.js';
import type { CreateSubscriptionDto, PatchSubscriptionDto } from './subscription.dto.js';
import { SubscriptionDirectory } from '../registration/subscription-directory.js';
import { type SubscriptionQuery, SubscriptionStore } from '../registration/subscription-store.js';
import {
  type Subscription,
  type SubscriptionScope,
  type Webhook,
  isSubscription,
} from '../registration/webhook.js';
import { type RotateWebhookDto, secretsOf } from './webhook-secrets.dto.js';
import { filterOf, requestedOf, textOf } from './written-subscription.js';
import { PolicyDecisionPoint } from '../../policies/index.js';

/**
 * The subscriptions of the caller, of its organization with the scope `tasks:organization`, and
 * all of them for operators (`admin`). Any other is NOT_FOUND, like one that does not exist. Every change
 * holds for all tasks that begin after its answer, whichever process they begin in.
 */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly store: SubscriptionStore,
    private readonly directory: SubscriptionDirectory,
    private readonly changes: WebhookChanges,
    private readonly registration: WebhookRegistration,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly policies: PolicyDecisionPoint,
    private readonly present: PresentCallers,
  ) {}

  /**
   * Throws INVALID_PARAMS naming the field (an address the hub may not call, an unknown scheme, too many
   * subscriptions), PERMISSION_DENIED for tasks the caller does not see, UNAUTHENTICATED when it is not valid any more by then.
   */
  async create(requested: CreateSubscriptionDto, caller: Principal): Promise<Subscription> {
    this.policies.refuseOperation(caller, 'CreateTaskPushNotificationConfig');
    const organization = organizationOf(requested, caller);
    const scope = scopeOf(requested, caller, organization);
    const checked = await this.registration.check(requestedOf(requested), organization, '');
    const draft = {
      ...checked,
      id: this.ids.next(),
      name: textOf(requested.name),
      source: 'api' as const,
      organization,
      principalId: caller.id,
      scope,
      events: requested.events ?? 'changes',
      filter: filterOf(requested.filter),
    };
    const limit = this.config.push.maxSubscriptions;
    const admit = this.present.writeCheckOf(caller);
    const created = await this.store.create(draft, limit, this.clock.now(), admit);
    await this.directory.follow();
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

  /** Members that are absent stay as they are; see `WebhookChanges`. */
  async patch(
    id: string,
    requested: PatchSubscriptionDto,
    caller: Principal,
  ): Promise<Subscription> {
    this.policies.refuseOperation(caller, 'CreateTaskPushNotificationConfig');
    const { name, events, filter, url } = requested;
    const present = await this.mine(id, caller);
    const change = {
      ...secretsOf(requested),
      url,
      events,
      ...(name !== undefined && { name: textOf(name) }),
      ...(filter !== undefined && { filter: filterOf(filter) }),
    };
    return known(await this.changes.patch(targetOf(id, caller), present, change));
  }

  async rotate(id: string, requested: RotateWebhookDto, caller: Principal): Promise<Subscription> {
    const { keepSigningKeys } = requested;
    const secrets = { ...secretsOf(requested), keepSigningKeys };
    const present = await this.mine(id, caller);
    return known(await this.changes.rotate(targetOf(id, caller), present, secrets));
  }

  /** One that the caller may have sent to, declared or not; throws as {@link get}, or PERMISSION_DENIED. */
  async usable(id: string, caller: Principal): Promise<Subscription> {
    const present = await this.get(id, caller);
    refuseWider(present, caller);
    return present;
  }

  async pause(id: string, caller: Principal): Promise<Subscription> {
    return known(await this.changes.pause(targetOf(id, caller)));
  }

  /** Goes on where it was: a paused or disabled one with all events of its tasks since. */
  async resume(id: string, caller: Principal): Promise<Subscription> {
    const target = targetOf(id, caller, ({ state }) => state === 'disabled');
    return known(await this.changes.resume(target));
  }

  /** Nothing more is sent for it; what waits becomes dead letters. */
  async remove(id: string, caller: Principal): Promise<void> {
    if (!(await this.changes.remove(targetOf(id, caller)))) unknown();
  }

  /** One that the caller may change. */
  private async mine(id: string, caller: Principal): Promise<Subscription> {
    const present = await this.usable(id, caller);
    refuseDeclared(present);
    return present;
  }
}

/** What the file says is not undone here, but for `undone`: what its receiver has brought about. */
function targetOf(
  id: string,
  caller: Principal,
  undone: (present: Webhook) => boolean = () => false,
): Target {
  const allowed = (present: Webhook): void => {
    if (!isSubscription(present)) return unknown();
    refuseWider(present, caller);
    if (!undone(present)) refuseDeclared(present);
  };
  return { id, caller, visibility: seenBy(caller), allowed };
}

function known(changed: Webhook | undefined): Subscription {
  return changed !== undefined && isSubscription(changed) ? changed : unknown();
}

function isId(text: string): boolean {
  return ID.test(text);
}

function organizationOf({ organization }: CreateSubscriptionDto, caller: Principal): string {
  if (organization === undefined || organization === caller.organization) {
    return caller.organization;
  }
  if (hasScope(caller, 'push:all')) return organization;
  throw denied('organization', 'may be another than the key’s with the scope push:all only');
}

function scopeOf(
  { scope }: CreateSubscriptionDto,
  caller: Principal,
  organization: string,
): SubscriptionScope {
  const mayAll = hasScope(caller, 'tasks:organization');
  if (scope === 'organization' && !mayAll) {
    throw denied('scope', 'organization needs a key or token with the scope tasks:organization');
  }
  const wanted = scope ?? (mayAll ? 'organization' : 'own');
  if (wanted === 'own' && organization !== caller.organization) {
    throw denied(
      'scope',
      scope === 'own'
        ? 'own is for tasks of the caller, who has none in another organization'
        : 'organization, for tasks of another organization, needs a key or token with the scope tasks:organization',
    );
  }
  return wanted;
}

/** A caller that may not see an organization's tasks may not have them sent elsewhere either. */
function refuseWider({ scope }: Subscription, caller: Principal): void {
  if (scope === 'own' || hasScope(caller, 'tasks:organization')) return;
  throw new HubError(
    'PERMISSION_DENIED',
    'The subscription is for all tasks of the organization: changing it needs a key or token with the scope tasks:organization.',
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
