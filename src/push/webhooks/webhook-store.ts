import { HubError } from '../../common/hub-error.js';
import type { WriteCheck, Visibility } from '../../auth/index.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Delivery, DeliveryAttempt } from '../delivery/delivery.js';
import type {
  TaskWebhook,
  TaskWebhookDraft,
  Webhook,
  WebhookChange,
  WebhookState,
} from '../registration/webhook.js';

export interface AttachOptions {
  readonly now: Date;
  /**
   * What to do when the same registration is there already. `present-state`: deliver the
   * task's present state once more. `leave`: nothing (clients repeat the inline config with every
   * message).
   */
  readonly repeated: 'present-state' | 'leave';
}

export interface TaskWebhookFilter {
  readonly taskId?: string | undefined;
  readonly principalId?: string | undefined;
  readonly organization?: string | undefined;
  readonly state?: WebhookState | undefined;
  /** `organization scheme://host:port`. */
  readonly endpoint?: string | undefined;
  readonly url?: string | undefined;
  readonly subscriptionId?: string | undefined;
}

/** The progress of a delivery stream. Deliveries that were pruned are not counted. */
export interface WebhookProgress {
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
 * The webhooks: those of one task each, and subscriptions, which are for many. Each task of a webhook
 * task has a delivery stream, by whose id it is found among the webhooks of tasks; the delivery stream points at the
 * webhook and copies nothing of it but where it goes. What is outside `visibility` does not exist for a
 * call: it gives undefined or false.
 */
export abstract class WebhookStore {
  /**
   * Sets a webhook on a task, in the caller's transaction, together with its delivery stream:
   * - a new task (its own creation's transaction): the delivery stream begins with the first event;
   * - a task that runs or has ended: the delivery stream begins with the task's present state, once;
   * - the same config id again: the webhook is replaced, and active again. Its delivery stream keeps what it has not
   *   delivered and tries at once; a delivery stream with nothing left, or a disabled one, begins with the present
   *   state. A claim made under the old one is over: it sends and records nothing more.
   *
   * What is sent to it is in the trace of the task; the draft's is that of a task which is created in the transaction.
   * A draft without an id takes the id of the task's webhook with the same URL, else a new one.
   * No event of the task, however close, is missed between reading its state and the delivery stream being there.
   * Throws HubError INVALID_PARAMS when the task has too many. The caller has checked the task.
   */
  abstract setIn(
    tx: Tx,
    taskId: string,
    draft: TaskWebhookDraft,
    options: AttachOptions,
  ): Work<TaskWebhook>;

  /** {@link setIn} in a transaction of its own, unless `admit` throws there. */
  abstract set(
    taskId: string,
    draft: TaskWebhookDraft,
    options: AttachOptions,
    admit?: WriteCheck,
  ): Promise<TaskWebhook>;

  /** That of a task only, by the id its client knows. */
  abstract ofTask(taskId: string, configId: string): Promise<TaskWebhook | undefined>;

  /** Those of a task only, by age, oldest first, after the stream `after`. */
  abstract listOfTask(taskId: string, limit: number, after: string | null): Promise<TaskWebhook[]>;

  /** {@link remove} of one of a task only, by the id its client knows. */
  abstract removeOfTask(taskId: string, configId: string, now: Date): Promise<boolean>;

  /** The webhooks of all tasks, subscriptions included: newest first, after the stream `cursor`. */
  abstract search(
    filter: TaskWebhookFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<TaskWebhook[]>;

  abstract find(streamId: string, visibility: Visibility): Promise<TaskWebhook | undefined>;

  abstract progress(webhook: TaskWebhook): Promise<WebhookProgress>;

  /**
   * Moves the delivery stream back, so that every event from there on is delivered again, with the `webhook-id` it had
   * and a new number. What is open of them is delivered once, in its order. An open snapshot or redelivery
   * goes first. It never moves a delivery stream forward. CONFLICT for a disabled one.
   */
  abstract replay(
    streamId: string,
    visibility: Visibility,
    from: ReplayStart,
    now: Date,
  ): Promise<Replay | undefined>;

  /** Stores an ended test with its attempt; undefined when the delivery stream is gone. */
  abstract recordTest(webhook: TaskWebhook, test: TestRecord): Promise<Delivery | undefined>;

  /**
   * Changes a webhook as `decide` says, which sees it as it is and may refuse by throwing; null changes
   * nothing. What waits is delivered with the changed registration from the next attempt on, with its
   * retries anew. `paused` sends nothing more; events gather, and an attempt under way is recorded as it
   * ends. `active` goes on with all that gathered; a webhook of one task that was disabled begins with
   * the task's present state. Streams of a subscription follow when they are claimed, or by
   * `SubscriptionStreamStore.reconcile`. Undefined when it is not there for `visibility`. Throws what `admit` throws.
   */
  abstract update(
    id: string,
    visibility: Visibility,
    decide: (present: Webhook) => WebhookChange | null,
    now: Date,
    admit?: WriteCheck,
  ): Promise<Webhook | undefined>;

  /**
   * Deletes a webhook at once: nothing more is sent for it. `allowed` sees it and may refuse by throwing.
   * What waits becomes dead letters: with it, or those of a subscription, whose secrets are gone, later
   * and piece by piece (`SubscriptionStreamStore.reconcile`). False when it is not there for `visibility`.
   */
  abstract remove(
    id: string,
    visibility: Visibility,
    allowed: (present: Webhook) => void,
    now: Date,
  ): Promise<boolean>;
}

/** Throws CONFLICT for the id of a subscription: what is its is changed there. */
export function refuseOfSubscription(id: string | null): void {
  if (id === null) return;
  const text = 'The webhook was made for a subscription; change the subscription instead.';
  throw new HubError('CONFLICT', text, { metadata: { subscriptionId: id } });
}
