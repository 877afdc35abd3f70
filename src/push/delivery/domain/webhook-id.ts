/**
 * The `webhook-id` of a delivery: the same for ever for one event of one webhook, so that a receiver
 * can drop what it has seen. `part` distinguishes deliveries of one log entry (artifacts that end with
 * it); the entry itself has none.
 */
export function eventWebhookId(streamId: string, seq: number, part?: number): string {
  return part === undefined ? `${streamId}.${seq}` : `${streamId}.${seq}.${part}`;
}

/** The id of a snapshot. Each is an event of its own: the client asked for it by registering. */
export function snapshotWebhookId(streamId: string, seq: number, number: number): string {
  return `${streamId}.${seq}.task${number}`;
}
