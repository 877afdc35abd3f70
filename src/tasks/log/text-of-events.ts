import type { TaskEvent } from '../task.js';

/** Characters that these events of a log take as text. */
export function textOf(events: readonly TaskEvent[]): number {
  return events.reduce((sum, { body }) => sum + body.length, 0);
}
