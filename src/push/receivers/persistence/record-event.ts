import type { Tx, Work } from '../../../database/sql.js';
import { Table } from '../../../database/table.js';
import { storable } from '../../../database/text.js';
import type { PushEvent, PushEventDraft } from '../push-event.js';
import { PushEventEntity } from './endpoint.entity.js';

const EVENTS = new Table(PushEventEntity);
export const EVENT = EVENTS.select();
const INSERT = EVENTS.insert();

/** {@link recordEvent} for each. */
export function* recordEvents(tx: Tx, drafts: readonly PushEventDraft[]): Work<PushEvent[]> {
  const events: PushEvent[] = [];
  for (const draft of drafts) events.push(yield* recordEvent(tx, draft));
  return events;
}

/**
 * Writes an event, together with the change it reports. Its number comes from one row that is held until the
 * commit, so numbers become visible in their order and a reader that has seen one misses none before
 * it. Last in a transaction, after every other lock.
 */
function* recordEvent(tx: Tx, event: PushEventDraft): Work<PushEvent> {
  const [counter] = yield* tx.all<{ last: number }>(
    'UPDATE push_event_counter SET last = last + 1 WHERE id = 1 RETURNING last',
  );
  const written = { ...event, reason: storable(event.reason), id: counter!.last };
  yield* INSERT.one(tx, written);
  return written;
}
