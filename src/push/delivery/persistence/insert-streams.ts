import type { Tx, Work } from '../../../database/sql.js';
import type { Webhook } from '../../registration/webhook.js';
import { INSERT_STREAMS } from './delivery-rows.js';

/** A stream that is to be made. */
export interface NewStream {
  readonly id: string;
  readonly webhook: Pick<Webhook, 'id' | 'organization' | 'endpoint' | 'events'>;
  readonly taskId: string;
  readonly traceparent: string | null;
  /** The log entry to begin with. */
  readonly nextSeq: number;
  /** The newest entry of the log. */
  readonly seq: number;
  /** It begins with a snapshot of the task, which the caller inserts. */
  readonly hasSnapshot: boolean;
  /** Whether there is something to deliver now. */
  readonly isDue: boolean;
}

/** Makes streams: each row of `push_delivery_streams` is inserted here. */
export function* insertStreams(tx: Tx, streams: readonly NewStream[], now: Date): Work<void> {
  const rows = streams.map(
    ({ id, webhook, taskId, traceparent, nextSeq, seq, hasSnapshot, isDue }) => ({
      id,
      taskId,
      webhookUid: webhook.id,
      organization: webhook.organization,
      endpoint: webhook.endpoint,
      // Active whatever the webhook is: the claim sees what that is now.
      active: 1,
      everyEvent: webhook.events === 'all',
      nextSeq,
      headSeq: seq,
      cursor: null,
      lastState: null,
      open: hasSnapshot ? 1 : 0,
      lastNumber: hasSnapshot ? 1 : 0,
      gapSeq: null,
      dueAt: isDue ? now.getTime() : null,
      owner: null,
      leaseUntil: null,
      epoch: 0,
      traceparent,
      state: 'active' as const,
      stateReason: null,
      failingSince: null,
      lastFailureAt: null,
      createdAt: now,
      updatedAt: now,
    }),
  );
  yield* INSERT_STREAMS.apply(tx, rows);
}
