import type { Clock } from './clock.js';
import { evictOldest } from './evict-oldest.js';

interface RecentAnswer<T> {
  readonly answer: T;
  /** When its reading began, epoch milliseconds. */
  readonly at: number;
}

/** An answer that was read, and whether it may be given to others. */
export interface ReadAnswer<T> {
  readonly answer: T;
  readonly isKept: boolean;
}

/**
 * Answers of the last seconds, for callers who take one that is not new: many people who look at the same page cost little more
 * than one.
 */
export class RecentAnswers<T> {
  private readonly kept = new Map<string, RecentAnswer<T>>();

  /** Keeps `most` of them. */
  constructor(
    private readonly most: number,
    private readonly clock: Clock,
  ) {}

  /** One that is `maxAgeMs` old at most, 0: new. `key`: all that it depends on, the rights of the caller among it. */
  async get(key: string, maxAgeMs: number, read: () => Promise<ReadAnswer<T>>): Promise<T> {
    const at = this.clock.now().getTime();
    const recent = this.kept.get(key);
    if (recent !== undefined && maxAgeMs > 0 && Math.abs(at - recent.at) <= maxAgeMs) {
      return recent.answer;
    }
    const { answer, isKept } = await read();
    this.kept.delete(key);
    if (isKept) {
      evictOldest(this.kept, this.most);
      this.kept.set(key, { answer, at });
    }
    return answer;
  }
}
