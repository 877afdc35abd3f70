import type { Clock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import type { LeasedRate } from './domain/leased-rate.js';
import type { RateAsk } from './domain/rate.js';
import type { RateStore } from './rate-store.js';

/**
 * A take that has not been answered for so long counts as none, until it is. Waited for in turns, so that an event loop
 * that was held up is not taken for a database that is silent.
 */
const PATIENCE_MS = 500;
const PATIENCE_TURNS = 10;
/** After a take that failed none is tried for so long. */
const PAUSE_MS = 1000;
/** Asks of one transaction at most. */
const ASKS = 512;

interface Open extends RateAsk {
  readonly rate: LeasedRate;
}

/** Takes points of rates from the database for this process: one transaction at a time, with all that is asked for by then. */
export class RateLeases {
  private readonly open = new Map<string, Open>();
  private readonly underWay = new Set<string>();
  private isTaking = false;
  /** The take under way has not been answered for too long. */
  private isLate = false;
  private pausedUntil = -Infinity;
  private hasFailed = false;
  /** How far the clock of the database is ahead of this one. */
  private offsetMs = 0;
  private answered: PromiseWithResolve = withResolve();

  constructor(
    private readonly store: Pick<RateStore, 'take'>,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn' | 'info'>,
  ) {}

  /** Milliseconds since the epoch, by the clock of the database. */
  now(): number {
    return this.clock.now().getTime() + this.offsetMs;
  }

  /** The database gives no points at the moment: it failed a moment ago, or has not answered for some time. */
  get isAway(): boolean {
    return this.isLate || this.clock.monotonicMs() < this.pausedUntil;
  }

  /** Has points of it taken, beside what else is done. */
  ask(rate: LeasedRate, isAhead: boolean): void {
    const id = `${isAhead} ${rate.key}`;
    if (this.open.has(id) || this.underWay.has(id)) return;
    const { key, max, need: wanted } = rate;
    this.open.set(id, { rate, key, max, wanted, isAhead });
    if (!this.isTaking) void this.takeAll();
  }

  /** Resolves when the take under way was answered, or has not been for too long. */
  answer(): Promise<void> {
    return this.answered.promise;
  }

  /**
   * The database reported its time between then and now. What is known of its clock stays where that fits: after a slow answer the
   * present second would be taken for the next one, and its points be given up.
   */
  private compare(reported: number, startedAt: number): void {
    const [least, most] = [reported - this.clock.now().getTime(), reported - startedAt];
    this.offsetMs = Math.min(Math.max(this.offsetMs, least), most);
  }

  /** Never rejects. */
  private async takeAll(): Promise<void> {
    this.isTaking = true;
    while (this.open.size > 0) {
      const batch = [...this.open].slice(0, ASKS);
      for (const [id] of batch) {
        this.open.delete(id);
        this.underWay.add(id);
      }
      await this.take(batch.map(([, each]) => each));
      this.underWay.clear();
      this.wakeAll();
    }
    this.isTaking = false;
  }

  private wakeAll(): void {
    this.answered.resolve();
    this.answered = withResolve();
  }

  /** What it gives ends the wait. */
  private waitForTake(): () => void {
    let turns = 0;
    const turn = (): (() => void) =>
      this.clock.after(PATIENCE_MS / PATIENCE_TURNS, () => {
        turns += 1;
        if (turns < PATIENCE_TURNS) cancel = turn();
        else {
          this.isLate = true;
          this.wakeAll();
        }
      });
    let cancel = turn();
    return () => cancel();
  }

  private async take(batch: readonly Open[]): Promise<void> {
    const startedAt = this.clock.now().getTime();
    const endWait = this.waitForTake();
    try {
      const { leases, now } = await this.store.take(
        batch.map(({ key, max, wanted, isAhead }) => ({ key, max, wanted, isAhead })),
      );
      if (!this.isLate) this.compare(now.getTime(), startedAt);
      leases.forEach(({ second, points }, index) => {
        const { rate, isAhead } = batch[index]!;
        rate.take(second, points, isAhead);
      });
      if (this.hasFailed) this.log.info({}, 'request rates are shared by all processes again');
      this.hasFailed = false;
    } catch (error) {
      this.pausedUntil = this.clock.monotonicMs() + PAUSE_MS;
      this.open.clear();
      if (!this.hasFailed) {
        const text =
          'request rates cannot be shared: each process keeps its part of them by itself until the database is back';
        this.log.warn({ err: error }, text);
      }
      this.hasFailed = true;
    } finally {
      endWait();
      this.isLate = false;
    }
  }
}

interface PromiseWithResolve {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function withResolve(): PromiseWithResolve {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
