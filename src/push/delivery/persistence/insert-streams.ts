import { flatten, pieces, rowsOf } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { Webhook } from '../../registration/webhook.js';

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
  const at = now.getTime();
  for (const piece of pieces(streams)) {
    yield* tx.run(
      `INSERT INTO push_delivery_streams (id, task_id, webhook_uid, organization, endpoint, active,
         every_event, next_seq, head_seq, open, last_number, due_at, epoch, traceparent, state,
         created_at, updated_at)
       VALUES ${rowsOf(piece.length, 17)}`,
      flatten(piece, (params, { id, webhook, taskId, ...stream }) => {
        const snapshots = stream.hasSnapshot ? 1 : 0;
        params.push(id, taskId, webhook.id, webhook.organization, webhook.endpoint);
        // Active whatever the webhook is: the claim sees what that is now.
        params.push(1, webhook.events === 'all' ? 1 : 0);
        params.push(stream.nextSeq, stream.seq, snapshots, snapshots, stream.isDue ? at : null, 0);
        params.push(storable(stream.traceparent), 'active', at, at);
      }),
    );
  }
}
