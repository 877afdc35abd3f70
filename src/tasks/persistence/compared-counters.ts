import type { Clock } from '../../common/clock.js';
import type { LimitRegistry } from '../../limits/index.js';

/**
 * A process that did not know a budget yet has spent beside its counter: after so long it is compared once more. By then all
 * processes know it.
 */
const AGAIN_MS = 60_000;

interface Compared {
  readonly period: number;
  readonly atMs: number;
  /** It was compared once more. */
  readonly isLast: boolean;
}

/** Which counters say all that was spent in their period: they were compared with it since the limits changed last, and a minute later. */
export class ComparedCounters {
  private readonly compared = new Map<string, Compared>();
  private known = NaN;

  constructor(
    private readonly registry: Pick<LimitRegistry, 'changes'>,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** Of which state of the limits a comparison is that begins now; to be given to {@link add}. */
  get changes(): number {
    return this.registry.changes;
  }

  has(counter: string, period: number): boolean {
    if (this.known !== this.changes) return false;
    const found = this.compared.get(counter);
    return found?.period === period && (found.isLast || !this.isLate(found));
  }

  private isLate({ atMs }: Compared): boolean {
    return this.clock.monotonicMs() - atMs >= AGAIN_MS;
  }

  /** Does nothing when the limits have changed meanwhile. */
  add(counter: string, period: number, changes: number): void {
    if (changes !== this.changes) return;
    if (this.known !== changes) this.compared.clear();
    this.known = changes;
    const before = this.compared.get(counter);
    const isLast = before?.period === period && this.isLate(before);
    this.compared.set(counter, { period, atMs: this.clock.monotonicMs(), isLast });
  }
}
