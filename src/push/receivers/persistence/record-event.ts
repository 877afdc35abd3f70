import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { PushEvent, PushEventDraft, PushEventType } from '../push-event.js';

interface EventRow {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly organization: string;
  readonly principal_id: string | null;
  readonly endpoint: string;
  readonly task_id: string | null;
  readonly config_id: string | null;
  readonly reason: string | null;
  readonly since: number | null;
}

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
  const id = Number(counter!.last);
  const reason = storable(event.reason);
  yield* tx.run(
    `INSERT INTO push_events (id, at, type, organization, principal_id, endpoint, task_id, config_id,
       reason, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      event.at.getTime(),
      event.type,
      event.organization,
      event.principalId,
      event.endpoint,
      event.taskId,
      event.configId,
      reason,
      event.since?.getTime() ?? null,
    ],
  );
  return { ...event, reason, id };
}

export function toEvent(row: EventRow): PushEvent {
  return {
    id: Number(row.id),
    at: new Date(Number(row.at)),
    type: row.type as PushEventType,
    organization: row.organization,
    principalId: row.principal_id,
    endpoint: row.endpoint,
    taskId: row.task_id,
    configId: row.config_id,
    reason: row.reason,
    since: row.since === null ? null : new Date(Number(row.since)),
  };
}

export type { EventRow };
