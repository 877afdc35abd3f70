/**
 * - `pending`: its body is made, it has not been tried (or is to be sent again);
 * - `retrying`: it has failed and waits for its next attempt;
 * - `delivered`, `dead`: ended.
 */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * What a delivery contains: a log entry as it is, an artifact whole as of that entry, or the task whole
 * as of that entry (a webhook registered on an existing task). `test`: no event; a test of the
 * webhook. It has ended when it is recorded, and has the number 0.
 */
export const DELIVERY_KINDS = ['event', 'artifact', 'snapshot', 'test'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** One event for one webhook. */
export interface Delivery {
  readonly id: string;
  /** The hub's own id of the webhook as its task has it; it may be gone. */
  readonly streamId: string;
  readonly taskId: string;
  /** The client's config id. */
  readonly configId: string;
  /** Organization, scheme, host and port it was made for. */
  readonly endpoint: string;
  readonly organization: string;
  readonly principalId: string;
  /** 1, 2, 3 … per webhook. */
  readonly number: number;
  /** The log entry it delivers. */
  readonly seq: number;
  readonly kind: DeliveryKind;
  /** For `artifact`. */
  readonly artifactId: string | null;
  /** The same for every attempt, and for the same event of the same webhook for ever. */
  readonly webhookId: string;
  readonly state: DeliveryState;
  /** All attempts so far. */
  readonly attempts: number;
  /** Attempts since it was made, redelivered or its webhook replaced. */
  readonly tries: number;
  /** Those of `tries` that the receiver answered with a rejection. */
  readonly rejections: number;
  /** It was asked for again after it had ended. */
  readonly redelivered: boolean;
  readonly contentType: string | null;
  readonly nextAttemptAt: Date | null;
  /** HTTP status of the last attempt. */
  readonly lastStatus: number | null;
  /** Why it is retrying or dead. */
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A delivery in hand, with its bytes; null when they have to be made (again). */
export type OpenDelivery = Delivery & { readonly body: string | null };

/** A delivery that can be sent. */
export type ReadyDelivery = OpenDelivery & {
  readonly body: string;
  readonly contentType: string;
};

/** A delivery that has just been made. */
export const UNTRIED = {
  state: 'pending',
  attempts: 0,
  tries: 0,
  rejections: 0,
  nextAttemptAt: null,
  lastStatus: null,
  reason: null,
} as const satisfies Partial<Delivery>;

/** A delivery as its stream makes it next: whoever makes it there gives it the same number. */
export function untried(
  { id: streamId, webhook, lastNumber }: Maker,
  draft: Pick<ReadyDelivery, 'seq' | 'kind' | 'artifactId' | 'webhookId' | 'body' | 'contentType'>,
  id: string,
  at: Date,
): ReadyDelivery {
  return {
    id,
    streamId,
    taskId: webhook.taskId,
    configId: webhook.configId,
    endpoint: webhook.endpoint,
    organization: webhook.organization,
    principalId: webhook.principalId,
    number: lastNumber + 1,
    seq: draft.seq,
    kind: draft.kind,
    artifactId: draft.artifactId,
    webhookId: draft.webhookId,
    state: UNTRIED.state,
    attempts: UNTRIED.attempts,
    tries: UNTRIED.tries,
    rejections: UNTRIED.rejections,
    redelivered: false,
    body: draft.body,
    contentType: draft.contentType,
    nextAttemptAt: UNTRIED.nextAttemptAt,
    lastStatus: UNTRIED.lastStatus,
    reason: UNTRIED.reason,
    createdAt: at,
    updatedAt: at,
  };
}

/** A stream, as far as its deliveries are of it. */
interface Maker {
  readonly id: string;
  readonly webhook: Pick<
    Delivery,
    'taskId' | 'configId' | 'endpoint' | 'organization' | 'principalId'
  >;
  readonly lastNumber: number;
}

/** One try. */
export interface DeliveryAttempt {
  /** 1, 2, 3 … per delivery. */
  readonly number: number;
  readonly at: Date;
  readonly durationMs: number;
  /** It is in whole seconds, rounded up: how fast such a receiver answers is not shown. */
  readonly isRounded: boolean;
  /** Null when no answer came. */
  readonly status: number | null;
  /** What kind of failure it was; null for a success. */
  readonly error: string | null;
  /** The beginning of the answer, without the secrets that were sent. */
  readonly response: string | null;
}
