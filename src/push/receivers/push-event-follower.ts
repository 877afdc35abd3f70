import type { Clock } from '../../common/clock.js';
import type { PushEvent } from './push-event.js';

/** Events of other processes are found within this time. */
const LOOK_EVERY_MS = 1000;
const PAGE = 100;

/** Where a follower reads. */
export interface EventSource {
  /** Oldest first. */
  after(id: number, limit: number): Promise<PushEvent[]>;
  /** Calls `listener` when there may be more, until the returned function is called. */
  onNews(listener: () => void): () => void;
}

/**
 * Gives every event after `after`, in order and once, until `signal` aborts. Rejects when the events
 * cannot be read.
 */
export async function followEvents(
  source: EventSource,
  after: number,
  give: (event: PushEvent) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let last = after;
  let news = new AbortController();
  const stop = source.onNews(() => news.abort());
  const end = (): void => news.abort();
  signal.addEventListener('abort', end);
  try {
    while (!signal.aborted) {
      news = new AbortController();
      const events = await source.after(last, PAGE);
      for (const event of events) {
        if (signal.aborted) return;
        give(event);
        last = event.id;
      }
      if (events.length < PAGE && !signal.aborted) await clock.sleep(LOOK_EVERY_MS, news.signal);
    }
  } finally {
    stop();
    signal.removeEventListener('abort', end);
  }
}
