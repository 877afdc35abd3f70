import type { TaskEvent } from '../task.js';

/** Characters that these events of a log take as text. */
export function textOf(events: readonly TaskEvent[]): number {
  return events.reduce((sum, { body }) => sum + body.length, 0);
}

/** The body of an event, in one piece where it is not in several. */
export function piecesOf({ body, pieces }: Pick<TaskEvent, 'body' | 'pieces'>): readonly string[] {
  return pieces ?? [body];
}
