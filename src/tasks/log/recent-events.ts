import type { TaskEvent } from '../task.js';
import { textOf } from './text-of-events.js';

/** Events kept, and characters of them, so that readers at the head of the log find them without the database. */
const MAX_EVENTS = 32;
const MAX_SIZE = 16 * 1024;

/** The last committed events of one task, for readers that are at the head of its log or near it. */
export class RecentEvents {
  private events: TaskEvent[] = [];
  private characters = 0;

  /** `seq`: of the last event that was committed before these. */
  constructor(private seq: number) {}

  /** Memory they take, in characters. */
  get size(): number {
    return this.characters;
  }

  /** Takes what has been committed after the events it was given before. */
  add(committed: readonly TaskEvent[]): void {
    const last = committed.at(-1);
    if (last === undefined) return;
    this.seq = last.seq;
    for (const event of committed) this.events.push(event);
    this.characters += textOf(committed);
    let excess = 0;
    while (this.events.length - excess > MAX_EVENTS || this.characters > MAX_SIZE) {
      this.characters -= this.events[excess++]!.body.length;
    }
    if (excess > 0) this.events.splice(0, excess);
  }

  /** The events after `seq`, the first `limit` of them; undefined when not all of them are kept. */
  after(seq: number, limit: number): TaskEvent[] | undefined {
    const missing = this.seq - seq;
    if (missing <= 0) return [];
    if (missing > this.events.length) return undefined;
    const start = this.events.length - missing;
    return this.events.slice(start, start + limit);
  }
}
