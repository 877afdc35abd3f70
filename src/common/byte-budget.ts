export interface BudgetRules {
  /** What all work under way may have together; the oldest of it alone may go beyond. */
  readonly limit: number;
  /** What each may have besides, uncounted: ordinary tasks never wait. */
  readonly free: number;
  /** It is taken in steps, so that few are begun and ended, not many begun. */
  readonly step: number;
  /** How long one piece of work waits for bytes, in all; Infinity: as long as it takes. */
  readonly patienceMs: number;
}

/** Others have the memory that this would need; it should be tried again in a moment. */
export class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';

  constructor() {
    super('others have the memory that this would need');
  }
}

/** What one piece of work holds, by part. */
export interface ByteReservation {
  /** Sets how much the part takes; false, and nothing changed, when the budget has not so much yet. */
  tryResize(part: string, bytes: number): boolean;
  /** The same, in its turn. Throws {@link OverBudgetError} when that does not come in time. */
  resize(part: string, bytes: number): Promise<void>;
}

/** Bytes that work under way in this process may have. Work that needs more waits, first come, first served. */
export class ByteBudget {
  private taken = 0;
  /** Those that have taken some, oldest first. */
  private readonly holders = new Set<CountedReservation>();
  private readonly waiting = new Set<Waiter>();

  constructor(readonly rules: BudgetRules) {}

  /** Gives everything back when the work has ended, however it does. */
  async during<T>(work: (reservation: ByteReservation) => Promise<T>): Promise<T> {
    const reservation = new CountedReservation(this);
    try {
      return await work(reservation);
    } finally {
      this.reserve(reservation, 0);
      this.holders.delete(reservation);
      this.wake();
    }
  }

  tryTake(reservation: CountedReservation, total: number): boolean {
    const wanted = this.wanted(total);
    const needsMore = wanted > reservation.reserved;
    if (needsMore && !this.isOldest(reservation)) {
      if (this.waiting.size > 0 || !this.hasCapacity(reservation, wanted)) return false;
    }
    this.reserve(reservation, wanted);
    if (!needsMore) this.wake();
    return true;
  }

  /** Resolves when the reservation has what it wants. */
  async take(reservation: CountedReservation, total: number): Promise<void> {
    if (this.tryTake(reservation, total)) return;
    const wanted = this.wanted(total);
    const left = reservation.patienceLeft(this.rules.patienceMs);
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.waiting.delete(waiter);
        this.wake();
        reject(new OverBudgetError());
      };
      const timer = left === Infinity ? undefined : setTimeout(giveUp, left);
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter: Waiter = { reservation, wanted, go };
      this.waiting.add(waiter);
    });
  }

  /** What counts of so many bytes, in whole steps. */
  private wanted(total: number): number {
    const { free, step } = this.rules;
    return Math.max(0, Math.ceil((total - free) / step) * step);
  }

  private wake(): void {
    for (const waiter of this.waiting) {
      const { reservation, wanted, go } = waiter;
      const [head] = this.waiting;
      const isNext = waiter === head && this.hasCapacity(reservation, wanted);
      if (!isNext && !this.isOldest(reservation)) continue;
      this.waiting.delete(waiter);
      this.reserve(reservation, wanted);
      go();
    }
  }

  private reserve(reservation: CountedReservation, bytes: number): void {
    this.taken += bytes - reservation.reserved;
    reservation.reserved = bytes;
    if (bytes > 0) this.holders.add(reservation);
  }

  private hasCapacity(reservation: CountedReservation, wanted: number): boolean {
    return this.taken - reservation.reserved + wanted <= this.rules.limit;
  }

  /** The oldest holder waits for no other: it always goes on, and so all others do in the end. */
  private isOldest(reservation: CountedReservation): boolean {
    const [oldest = reservation] = this.holders;
    return oldest === reservation;
  }
}

interface Waiter {
  readonly reservation: CountedReservation;
  readonly wanted: number;
  readonly go: () => void;
}

class CountedReservation implements ByteReservation {
  reserved = 0;
  private readonly parts = new Map<string, number>();
  private deadline: number | undefined;

  constructor(private readonly budget: ByteBudget) {}

  tryResize(part: string, bytes: number): boolean {
    if (!this.budget.tryTake(this, this.totalWith(part, bytes))) return false;
    this.parts.set(part, bytes);
    return true;
  }

  async resize(part: string, bytes: number): Promise<void> {
    await this.budget.take(this, this.totalWith(part, bytes));
    this.parts.set(part, bytes);
  }

  patienceLeft(patienceMs: number): number {
    const now = performance.now();
    this.deadline ??= now + patienceMs;
    return Math.max(0, this.deadline - now);
  }

  private totalWith(part: string, bytes: number): number {
    let total = bytes;
    for (const [other, held] of this.parts) if (other !== part) total += held;
    return total;
  }
}
