import type { AuditEvent } from '../domain/audit-event.js';

/** An entry as one line of JSON, as the API shows it. */
export function lineOf(event: AuditEvent): string {
  return JSON.stringify(event);
}

/** NDJSON. */
export function linesOf(events: readonly AuditEvent[]): string {
  return events.map((event) => `${lineOf(event)}\n`).join('');
}
