import type { IncomingHttpHeaders } from 'node:http';
import type { JWTVerifyGetKey } from 'jose';

/** One secret, or several while they rotate: any of them counts. */
type OneOrMany = string | readonly string[];

/**
 * What a request has to prove. All that is given must hold; at least one must be given. A member that is
 * undefined is not given; an empty text is refused.
 */
export interface VerifierOptions {
  /** HMAC secrets, `whsec_…`. */
  readonly secrets?: OneOrMany;
  /** Public keys of ed25519 signatures, `whpk_…`. */
  readonly publicKeys?: OneOrMany;
  /** A JWT signed by the hub. */
  readonly jwt?: JwtOptions;
  /** `Authorization: Bearer`. */
  readonly bearer?: OneOrMany;
  /** `Authorization: Basic`, each `user:password`. */
  readonly basic?: OneOrMany;
  /** A key in a header of its own; default `X-API-Key`. */
  readonly apiKey?: { readonly header?: string; readonly keys: OneOrMany };
  /** The token of the push notification config (`A2A-Notification-Token`). */
  readonly token?: OneOrMany;
  /** How far `webhook-timestamp` may be from now, either way, in seconds. Default 300. */
  readonly toleranceSeconds?: number;
  /** The time; for tests. */
  readonly now?: () => Date;
}

export interface JwtOptions {
  /** The hub's public address. */
  readonly issuer: string;
  /** The origin the webhook was registered under, such as `https://client.example`. */
  readonly audience: string;
  /** Yours, as the hub names it. Others may register your address too, and the hub signs for them as well. */
  readonly organization: string;
  /** `https://…/.well-known/jwks.json` of the hub. Its keys are kept, and read again when a new one signs. */
  readonly jwksUrl?: string;
  /** In the place of `jwksUrl`: where the keys come from. */
  readonly keys?: JWTVerifyGetKey;
}

/** A request as it came: its headers, and its body before anybody has parsed it. */
export interface WebhookRequest {
  readonly headers: IncomingHttpHeaders | Headers | Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | string;
}

/** A request that is what the hub has sent. */
export interface Delivery {
  /** `webhook-id`: the same for every attempt of one event. */
  readonly id: string;
  /** When this attempt was made, to the second. */
  readonly timestamp: Date;
  readonly taskId: string;
  /** What is told in order and numbered together: the task, for a subscription with its id before it. */
  readonly stream: string;
  /** The event's number in the task's log; several deliveries can share one. */
  readonly sequence: number | undefined;
  /** 1, 2, 3 … in the stream; 0 for a test. */
  readonly deliveryNumber: number | undefined;
  /** 1, 2, 3 … of this event. */
  readonly attempt: number | undefined;
  /** The sequence of the first event that could not be delivered since the last success. */
  readonly gap: number | undefined;
  /** The standing subscription that it is sent for. */
  readonly subscriptionId: string | undefined;
  /** Somebody tries the webhook: nothing has happened. Answer 2xx, and use nothing of it. */
  readonly isTest: boolean;
  /** The body was too large: ask the hub for the task (GetTask). */
  readonly isThin: boolean;
  /** `1.0`: the event is a StreamResponse. `0.3`: it is a Task. */
  readonly version: string | undefined;
  /** The parsed body. */
  readonly event: unknown;
}

export type VerifyWebhook = (request: WebhookRequest) => Promise<Delivery>;

/**
 * Makes the function that verifies requests. It resolves to the delivery, and rejects with
 * {@link WebhookVerificationError} when the request is not to be trusted: answer 401 then, and nothing else.
 * Any other error, such as a JWKS that cannot be read, is trouble of the receiver: answer 500.
 * Throws TypeError when nothing would be verified, or when a secret is not of its form.
 */
export function createVerifier(options: VerifierOptions): VerifyWebhook;

export type VerificationErrorCode =
  | 'header'
  | 'timestamp'
  | 'signature'
  | 'authorization'
  | 'token'
  | 'body';

/** Why a request is not to be trusted. The message never holds a secret. */
export class WebhookVerificationError extends Error {
  readonly code: VerificationErrorCode;
}

/** What has been seen of one stream; JSON, to be kept beside what the receiver knows of the task. */
export interface Seen {
  readonly sequence: number;
  readonly number: number;
  readonly ids: readonly string[];
}

export interface Verdict {
  /**
   * `new`: use it. `duplicate`: it was used already; answer 2xx. `late`: something older than what was used,
   * sent again; use only what nothing newer has replaced. `test`: somebody tries the webhook; answer 2xx.
   */
  readonly kind: 'new' | 'duplicate' | 'late' | 'test';
  /** Something before it never came: ask the hub for the task (GetTask). */
  readonly isMissing: boolean;
  /** What has been seen with this one. */
  readonly seen: Seen;
}

/** What a delivery is to somebody who has `seen` those before it; pure. */
export function classify(
  delivery: Pick<Delivery, 'id' | 'sequence' | 'deliveryNumber' | 'gap'> & {
    readonly isTest?: boolean;
  },
  seen?: Seen,
): Verdict;

/** Where an {@link Inbox} keeps what it has seen. */
export interface InboxStore {
  load(stream: string): Seen | undefined | Promise<Seen | undefined>;
  save(stream: string, seen: Seen): void | Promise<void>;
}

/**
 * Takes each delivery once and in order, one at a time for each stream of one webhook address. Without a store
 * it remembers in memory, of the 10,000 streams heard of last.
 */
export class Inbox {
  constructor(store?: InboxStore);
  /**
   * Calls `handle` unless the delivery is a duplicate or a test, then remembers it. When `handle` rejects nothing is
   * remembered: answer 5xx, and the hub sends it again.
   */
  take(delivery: Delivery, handle: (verdict: Verdict) => void | Promise<void>): Promise<Verdict>;
}

/**
 * The answer to a hub that asks whether it may call: the headers to send with status 200. Undefined when the
 * request is no such challenge, or when the hub may not call. `hubs` are host names, `*` for any.
 */
export function answerChallenge(
  request: {
    readonly method?: string | undefined;
    readonly headers: IncomingHttpHeaders | Headers | Readonly<Record<string, string | undefined>>;
  },
  hubs: OneOrMany,
): Record<string, string> | undefined;
