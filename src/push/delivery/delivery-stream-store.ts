import type { DeliveryAttempt, DeliveryKind, OpenDelivery, ReadyDelivery } from './delivery.js';
import type { StreamCursor } from './domain/delivery-plan.js';
import type { ClaimLimits } from './domain/stream-choice.js';
import type { EndpointOutcome } from '../receivers/endpoint.js';
import type { TaskWebhook } from '../registration/webhook.js';

/** A delivery stream: one webhook's position in one task, as its present owner claimed it. */
export interface DeliveryStream {
  readonly id: string;
  readonly webhook: TaskWebhook;
  /** Where it sends to: what caps and the breaker go by. */
  readonly endpoint: string;
  /** Since when it was due when it was claimed; null later on. */
  readonly dueSince: Date | null;
  /**
   * Its endpoint is failing, and this stream has its half-open probe: until when others leave
   * that to it. Null for any other stream.
   */
  readonly probeUntil: Date | null;
  /** It is to try now, even if the schedule of its delivery says later. */
  readonly isEarly: boolean;
  /** It was leased to wait in its process for a permit of its endpoint; see `ClaimLimits.own`. */
  readonly isPrefetched: boolean;
  /** The claim; every later call for it is refused once another process has claimed the stream. */
  readonly epoch: number;
  readonly leaseUntil: Date;
  /** The log entry to look at next. */
  readonly nextSeq: number;
  /** The newest log entry known to be of interest, as of the last step. */
  readonly headSeq: number;
  /** What is known of the log before `nextSeq`; null: to be found out from the log. */
  readonly cursor: StreamCursor | null;
  /** How many deliveries are made and not ended; they go before the log. */
  readonly open: number;
  /** The number of the newest delivery it has made. */
  readonly lastNumber: number;
  /** The seq of the first event that was lost since the last success. */
  readonly gapSeq: number | null;
}

/** How far the log was read, and what is to be sent from there. */
export interface Reached {
  readonly nextSeq: number;
  /** Null while it is being found out from the log. */
  readonly cursor: StreamCursor | null;
  readonly deliveries: readonly DeliveryDraft[];
  /**
   * The one delivery, when it can be tried before it is stored: its bytes are those of the log entry, so whoever reads
   * the log from the stream's position again gets the same delivery with the same id, number and bytes.
   */
  readonly ready?: ReadyDelivery;
}

export interface DeliveryDraft {
  readonly seq: number;
  readonly kind: DeliveryKind;
  readonly artifactId: string | null;
  readonly webhookId: string;
  /** Null when the bytes cannot be made; the delivery then ends as a dead letter. */
  readonly body: string | null;
  readonly contentType: string | null;
}

/** How one attempt ended and what follows from it. */
export interface AttemptRecord {
  readonly delivery: OpenDelivery;
  /** How far the log was read for it, when it was tried before it was stored: both are stored now. */
  readonly reached?: Reached;
  /** Null when it could not even be tried (its bytes cannot be made any more). */
  readonly attempt: DeliveryAttempt | null;
  /** What it says about the endpoint; absent when the endpoint was not asked. */
  readonly outcome?: EndpointOutcome;
  /** It failed for a trouble of the hub's own, which says nothing of the webhook either. */
  readonly isHubTrouble?: boolean;
  readonly result:
    | { readonly state: 'delivered' }
    | {
        readonly state: 'retrying';
        readonly at: Date;
        readonly reason: string;
        /** It was tried before its time, which uses up none of its tries. */
        readonly isEarly?: boolean;
      }
    | { readonly state: 'dead'; readonly reason: string; readonly effect: WebhookEffect };
}

/** What a dead letter means for its webhook: nothing, that it is failing, or its end. */
type WebhookEffect = 'none' | 'failing' | 'disabled';

/**
 * The stream as it is after a step; `idle` when there is nothing more to do now and the claim has ended;
 * `lost` when another process has claimed it (or it is gone): nothing was written of it.
 */
export type StepResult = DeliveryStream | 'idle' | 'lost';

/** Counts over all endpoints and streams. */
export interface PushLoad {
  readonly openEndpoints: number;
  readonly failingEndpoints: number;
  readonly disabledEndpoints: number;
  /** Streams with something to deliver, up to 100,000. */
  readonly waitingStreams: number;
  /** Since when the longest waiting one is due that need not wait for its endpoint; null for none. */
  readonly oldestDueAt: Date | null;
  /** Since when that endpoint fails that has failed longest and has something waiting; null for none. */
  readonly oldestFailingSince: Date | null;
  /** Dead letters, up to 10,000. */
  readonly deadLetters: number;
}

/** The streams, their open deliveries and what became of them. */
export abstract class DeliveryStreamStore {
  /**
   * Claims due streams that are not claimed (or whose lease has run out), never more than `caps` allow with what
   * is leased already. Organizations take turns, those that hold fewer streams first, whatever their
   * backlog; in each its endpoints do, and in an endpoint the longest due goes first. While the breaker
   * of an endpoint is open one stream is given at a time, as a probe, when its time has come. Two
   * claimers never get the same stream. The cost does not grow with the backlog of any endpoint.
   * Streams named in `except` are not claimed, even if their lease has run out: the owner works on them.
   * With `caps.own` an endpoint that has answered gets streams beyond its limit, which are
   * `isPrefetched`: they send only what others of the same owner do not, and count as sending for all other owners.
   */
  abstract claim(
    owner: string,
    now: Date,
    leaseMs: number,
    caps: ClaimLimits,
    except?: readonly string[],
  ): Promise<DeliveryStream[]>;

  /**
   * When the next unclaimed stream is due, or the queue of an endpoint; null when none is. With `later` those
   * do not count that are due at `now` already.
   */
  abstract nextDueAt(now: Date, later?: 'later'): Promise<Date | null>;

  /**
   * The open delivery with the lowest number; with an `epoch` only while that claim holds. A body that is not small
   * is read after `reserve` has resolved for its bytes; rejects with what that rejects with.
   */
  abstract firstOpen(
    streamId: string,
    epoch?: number,
    reserve?: (bytes: number) => Promise<void>,
  ): Promise<OpenDelivery | undefined>;

  /**
   * Counts the open deliveries of a stream anew, when none was found that should be there, and extends the
   * lease to `leaseUntil`. With none and nothing more in the log, the stream is idle.
   */
  abstract recount(stream: DeliveryStream, now: Date, leaseUntil: Date): Promise<StepResult>;

  /**
   * Moves the stream to where the log was read and numbers and stores what is to be sent, with its
   * bytes; extends the lease to `leaseUntil`. With nothing to send and nothing more in the log, the
   * stream is idle.
   */
  abstract advance(
    stream: DeliveryStream,
    reached: Reached,
    now: Date,
    leaseUntil: Date,
  ): Promise<StepResult>;

  /** Whether the claim still holds and the stream is active. */
  abstract isClaimed(stream: DeliveryStream): Promise<boolean>;

  /** Stores bytes that were made again for a delivery. False when the claim is over. */
  abstract keepBody(
    stream: DeliveryStream,
    deliveryId: string,
    body: string,
    contentType: string,
  ): Promise<boolean>;

  /**
   * Records an attempt and what follows for delivery, stream, webhook and endpoint, with the events that
   * operators see. The claim holds while the stream has more to do at once; else it is idle.
   * A delivery that was not stored is, together with the stream's new position in the log.
   * Called again for the same attempt (a commit whose answer was lost) it writes nothing: `lost`.
   * A claim that is over made its probe all the same: its outcome still counts for the endpoint.
   */
  abstract recordAttempt(
    stream: DeliveryStream,
    attemptRecord: AttemptRecord,
    now: Date,
    leaseUntil: Date,
  ): Promise<StepResult>;

  /**
   * A test of a webhook was delivered: what the endpoint's failures led to ends, with the event that operators see; its breaker
   * closes. Not when it failed after the test began, nor when it is disabled: its webhooks stay so until they are resumed.
   */
  abstract recordTest(
    webhook: Pick<TaskWebhook, 'organization' | 'endpoint'>,
    begunAt: Date,
    now: Date,
  ): Promise<void>;

  /**
   * Gives a stream back; anyone may take it from `dueAt` on. Its probe is given back too, although the claim
   * is over.
   */
  abstract release(stream: DeliveryStream, dueAt: Date): Promise<void>;

  /**
   * Gives a stream back whose endpoint is to get nothing before `until`: it and the others of the endpoint
   * wait, then one of them tries, as after a `Retry-After`. It is no failure.
   */
  abstract postpone(stream: DeliveryStream, until: Date, now: Date): Promise<void>;

  /** Ends every lease of other owners (SQLite at boot: the file lock proves them dead). */
  abstract releaseOthers(owner: string): Promise<number>;

  /** See {@link PushLoad}. */
  abstract load(): Promise<PushLoad>;
}
