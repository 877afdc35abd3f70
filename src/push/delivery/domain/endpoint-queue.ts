/**
 * When a stream is due, as `push_delivery_streams.due_at` says it: a time below {@link QUEUED_FROM} is when it is due;
 * from there on the stream is in the queue of its endpoint, and the rest is its position in that queue
 * (the time it was due). So the streams that wait for their endpoint are out of the way of all others,
 * however many they are.
 */
export const QUEUED_FROM = 1_000_000_000_000_000;

/** The `due_at` of a stream that waits in the queue of its endpoint, in the order of `at`. */
export function queuedAt(at: number): number {
  return QUEUED_FROM + Math.min(at, QUEUED_FROM - 1);
}

/** When a stream is (or was) due by itself, wherever it waits. */
export function dueTimeOf(dueAt: number): number {
  return dueAt >= QUEUED_FROM ? dueAt - QUEUED_FROM : dueAt;
}
