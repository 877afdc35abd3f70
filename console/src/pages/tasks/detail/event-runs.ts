import type { TaskEvent } from './task-query';

/** Events by their numbers, each once, oldest first. */
export function united(
  one: readonly TaskEvent[],
  other: readonly TaskEvent[],
): readonly TaskEvent[] {
  const bySeq = new Map([...one, ...other].map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** The newest events, as far back as none is missing. */
export function newestRun(events: readonly TaskEvent[]): readonly TaskEvent[] {
  let first = Math.max(0, events.length - 1);
  while (first > 0 && events[first - 1]!.seq === events[first]!.seq - 1) first -= 1;
  return events.slice(first);
}
