import { Clock } from '../../../src/common/clock.js';
import { IdSource } from '../../../src/common/ids.js';
import type { Random } from '../fleet/random.js';

/** Below this a sleep ends while others are still at work; a longer one finds them at rest. */
const SHORT_MS = 50;

interface Sleeper {
  readonly dueAt: number;
  readonly owner: object | undefined;
  readonly wake: () => void;
}

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

/** A clock that goes from one sleeper to the next, one at each {@link step}. */
export class SimClock extends Clock {
  private time = BEGIN;
  private readonly sleepers = new Set<Sleeper>();

  constructor(private readonly random: Random) {
    super();
  }

  now(): Date {
    return new Date(this.time);
  }

  monotonicMs(): number {
    return this.time - BEGIN;
  }

  sleep(ms: number, signal?: AbortSignal, owner?: object): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const wake = (): void => {
        this.sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      // Whole milliseconds, as timers have them.
      const sleeper: Sleeper = { dueAt: this.time + Math.ceil(ms), owner, wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  /** Whoever sleeps for this owner never wakes. */
  drop(owner: object): void {
    for (const each of this.sleepers) if (each.owner === owner) this.sleepers.delete(each);
  }

  /** Lets everybody work for some turns of the event loop, then wakes whoever is due first. */
  async step(): Promise<void> {
    const [least, most] = this.pause < SHORT_MS ? [1, 5] : [10, 20];
    const turns = this.random.between(least, most);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    const first = this.first();
    if (!first) return;
    this.time = Math.max(this.time, first.dueAt);
    first.wake();
  }

  private get pause(): number {
    return (this.first()?.dueAt ?? Infinity) - this.time;
  }

  private first(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const each of this.sleepers) if (!first || each.dueAt < first.dueAt) first = each;
    return first;
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Ids that grow, and chance, the same for the same seed. */
export class SimIds extends IdSource {
  private count = 0;

  constructor(private readonly random: Random) {
    super();
  }

  next(): string {
    const digits = (this.count += 1).toString(16).padStart(12, '0');
    return `01900000-0000-7000-8000-${digits}`;
  }

  secret(bytes: number): string {
    return Buffer.from(Array.from({ length: bytes }, () => this.random.between(0, 255))).toString(
      'base64url',
    );
  }

  jitter(): number {
    return this.random.next();
  }
}
