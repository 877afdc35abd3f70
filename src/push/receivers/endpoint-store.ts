import type { Visibility } from '../../auth/index.js';
import type { ReceiverState } from './domain/receiver-state.js';
import type { Endpoint } from './endpoint.js';
import type { PushEvent, PushEventType } from './push-event.js';

export interface EndpointFilter {
  readonly organization?: string;
  readonly state?: ReceiverState;
  /** As `rejectsEvents` says. */
  readonly rejects?: boolean;
  /** `organization scheme://host:port`. */
  readonly endpoint?: string | undefined;
  /** Only these, of whom there are few. */
  readonly among?: readonly string[];
}

export interface EventFilter {
  readonly organization?: string;
  readonly type?: PushEventType;
  /** At this time or later. */
  readonly since?: Date | undefined;
  /** Before this time. */
  readonly until?: Date | undefined;
}

/** An endpoint with what waits for it, counted up to a limit. */
export interface EndpointView extends Endpoint {
  /** Streams that wait for it; at most `COUNT_LIMIT` are counted. */
  readonly waiting: number;
  /** When it answered the challenge; null when it has not. Epoch milliseconds, like the others. */
  readonly verifiedAt: number | null;
  /** Until when something was held back for what it may get, and why; the time may be over. */
  readonly heldUntil: number | null;
  readonly heldReason: string | null;
}

/** The health of endpoints, and its events. */
export abstract class EndpointStore {
  /** In the order of their names, after the endpoint `after`. Limited to what `visibility` shows. */
  abstract list(
    filter: EndpointFilter,
    visibility: Visibility,
    limit: number,
    after: string | null,
  ): Promise<EndpointView[]>;

  /** Newest first, before the event `before`. */
  abstract events(
    filter: EventFilter,
    visibility: Visibility,
    limit: number,
    before: number | null,
  ): Promise<PushEvent[]>;

  /** Oldest first, after the event `after`. */
  abstract eventsAfter(after: number, visibility: Visibility, limit: number): Promise<PushEvent[]>;

  /** The number of the newest event of all; 0 when there is none. */
  abstract newestEvent(): Promise<number>;

  /** Deletes events, and endpoints nothing is known of, older than `before`; at most `limit` of each. */
  abstract prune(before: Date, limit: number): Promise<number>;
}
