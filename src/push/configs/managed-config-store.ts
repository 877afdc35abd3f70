import { HubError } from '../../common/hub-error.js';
import type { Visibility } from '../../auth/index.js';
import type { Delivery, DeliveryAttempt } from '../deliveries/delivery.js';
import type { PushConfig, PushConfigState } from './push-config.js';

export interface ConfigFilter {
  readonly taskId?: string | undefined;
  readonly principalId?: string | undefined;
  readonly organization?: string | undefined;
  readonly state?: PushConfigState | undefined;
  /** `organization scheme://host:port`. */
  readonly endpoint?: string | undefined;
  readonly url?: string | undefined;
  readonly subscriptionId?: string | undefined;
}

/** How far a webhook has been told. Deliveries that were pruned are not counted. */
export interface ConfigProgress {
  /** Made and not ended: the one that is tried, and those behind it. */
  readonly pending: number;
  readonly delivered: number;
  readonly dead: number;
  /** Entries of the task's log that it has not looked at; not all of them become deliveries. */
  readonly entriesBehind: number;
  readonly lastAttempt: DeliveryAttempt | null;
  /** Null when nothing is to be sent, or nothing may be (paused, disabled). */
  readonly nextAttemptAt: Date | null;
}

/** What an owner may change; members that are absent stay. */
export type ConfigChange = Partial<
  Pick<
    PushConfig,
    | 'url'
    | 'endpoint'
    | 'verified'
    | 'events'
    | 'authScheme'
    | 'authNames'
    | 'authProfile'
    | 'sealedCredentials'
    | 'sealedToken'
    | 'sealedSigningKeys'
    | 'fingerprint'
  >
>;

/** Where a replay begins: at that entry of the log, or at the first one not older than a time. */
export type ReplayStart = { readonly sequence: number } | { readonly since: Date };

export interface Replay {
  /** The entry that is looked at next; null when the log has none since that time. */
  readonly fromSequence: number | null;
  /** The newest entry of the log. */
  readonly toSequence: number;
}

/** A test send, as it is recorded. */
export interface TestRecord {
  readonly id: string;
  readonly webhookId: string;
  readonly seq: number;
  readonly delivered: boolean;
  readonly reason: string | null;
  readonly attempt: DeliveryAttempt;
}

/**
 * All webhooks of all tasks, those of standing subscriptions included, by the hub's own id (`uid`), for
 * their owners and for operators. A config outside `visibility` does not exist for a call: it gives
 * undefined or false. One made for a subscription shows what that says now; changing it throws HubError
 * CONFLICT, because the subscription is what has to change.
 */
export abstract class ManagedConfigStore {
  /** Newest first, after the one with uid `cursor`. */
  abstract search(
    filter: ConfigFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<PushConfig[]>;

  abstract find(uid: string, visibility: Visibility): Promise<PushConfig | undefined>;

  abstract progress(config: PushConfig): Promise<ConfigProgress>;

  /**
   * Changes a config and has what waits sent under it at once, with its retries anew; a paused or
   * disabled one stays so. A claim made under the old config is over. CONFLICT when the config is not
   * the one with fingerprint `expected` any more.
   */
  abstract change(
    uid: string,
    visibility: Visibility,
    expected: string,
    change: ConfigChange,
    now: Date,
  ): Promise<PushConfig | undefined>;

  /**
   * Sends nothing more until it is resumed; events gather. An attempt under way ends as it ends and is
   * recorded. CONFLICT for a disabled one.
   */
  abstract pause(uid: string, visibility: Visibility, now: Date): Promise<PushConfig | undefined>;

  /**
   * Goes on: a paused one with everything that gathered, a disabled one with the task's present state; a
   * failing one tries at once. What waits gets its retries anew.
   */
  abstract resume(uid: string, visibility: Visibility, now: Date): Promise<PushConfig | undefined>;

  /**
   * Moves the lane back, so that every event from there on is told again, with the `webhook-id` it had
   * and a new number. What is open of them is told once, in its place. An open snapshot or redelivery
   * goes first. It never moves a lane forward. CONFLICT for a disabled one.
   */
  abstract replay(
    uid: string,
    visibility: Visibility,
    from: ReplayStart,
    now: Date,
  ): Promise<Replay | undefined>;

  /** Removes config and lane; what was open becomes dead letters. */
  abstract remove(uid: string, visibility: Visibility, now: Date): Promise<boolean>;

  /** Stores an ended test with its attempt; undefined when the config is gone. */
  abstract recordTest(config: PushConfig, test: TestRecord): Promise<Delivery | undefined>;
}

/** Throws CONFLICT for the id of a subscription: what is its is changed there. */
export function refuseOfSubscription(id: string | null): void {
  if (id === null) return;
  const text = 'The webhook was made for a subscription; change the subscription instead.';
  throw new HubError('CONFLICT', text, { metadata: { subscriptionId: id } });
}
