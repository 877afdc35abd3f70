import type { DeliveryStream } from './delivery-stream-store.js';
import type { OwnPermits } from './domain/stream-choice.js';
import { TURN_MS, TURN_STEPS } from './stream-turn.js';

/** Streams of one receiver that wait here for a permit, so that a free one is used at once. */
const PREFETCH = 64;
/** And so many for each permit. */
const PER_PERMIT = 8;
/** With so many left, more are leased. */
const LOW_WATER = 24;
/** All receivers together. */
const MAX_WAITING = 2000;
/** Only of receivers that answered so quickly last time: what is leased here must not wait long. */
const QUICK_MS = 100;
/** After so long a stream that waits is given back. */
const MAX_WAIT_MS = 1000;

/**
 * The permits of one process: each is an attempt that may be under way at a receiver. A claim grants it with a
 * stream. While the outcome of a stream's attempt is recorded, its permit goes on to a stream of the same
 * receiver that waits here, leased already: so neither the database nor the disk holds up a receiver
 * that answers quickly, and it never gets more at once than was granted.
 */
export class SendPermits implements OwnPermits {
  private readonly endpoints = new Map<string, EndpointPermits>();
  private readonly quick = new Set<string>();
  private waiting = 0;
  private isStopped = false;
  /** Permits in use. */
  inUse = 0;

  /** `wake`: a permit is free, or more streams could be leased. */
  constructor(
    private readonly total: number,
    private readonly wake: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  at(endpoint: string): number {
    return this.endpoints.get(endpoint)?.inUse ?? 0;
  }

  prefetchOf(endpoint: string): number {
    const permits = this.endpoints.get(endpoint);
    if (permits === undefined || !this.quick.has(endpoint)) return 0;
    const waiting = permits.waiting.size;
    const most = Math.min(PREFETCH, PER_PERMIT * permits.inUse);
    return waiting > LOW_WATER ? 0 : Math.max(0, most - waiting);
  }

  get prefetchLeft(): number {
    return Math.max(0, MAX_WAITING - this.waiting);
  }

  /** The permit of a stream that was claimed; of one that was prefetched it comes when one is passed on. */
  of({ endpoint, isPrefetched }: PermitHolder): SendPermit {
    let permits = this.endpoints.get(endpoint);
    if (permits === undefined) this.endpoints.set(endpoint, (permits = new EndpointPermits()));
    // Those it was to wait for have ended meanwhile; they count as granted still.
    const isHeld = !isPrefetched || permits.inUse === 0;
    if (isHeld) this.take(permits);
    return new SendPermit(this, endpoint, permits, isHeld);
  }

  /** Gives back streams that have waited for too long. */
  endLongWaits(): void {
    const before = this.now() - MAX_WAIT_MS;
    for (const permits of this.endpoints.values()) {
      for (const waiter of permits.waiting) {
        if (waiter.since > before) break;
        this.dismiss(permits, waiter);
      }
    }
  }

  /** Nothing begins any more: what waits is given back. */
  stop(): void {
    this.isStopped = true;
    for (const permits of this.endpoints.values()) this.dismissAll(permits);
  }

  /** @internal */
  wait(permits: EndpointPermits): Promise<boolean> {
    if (this.isStopped || permits.inUse === 0) return Promise.resolve(false);
    this.waiting += 1;
    return new Promise((resolve) => permits.waiting.add({ since: this.now(), resolve }));
  }

  /** @internal Gives the permit to the next that waits; false when none does. */
  pass(endpoint: string, permits: EndpointPermits): boolean {
    const [next] = permits.waiting;
    if (next === undefined) return false;
    permits.waiting.delete(next);
    this.waiting -= 1;
    next.resolve(true);
    if (permits.waiting.size === LOW_WATER && this.quick.has(endpoint)) this.wake();
    return true;
  }

  /** @internal */
  drop(endpoint: string, permits: EndpointPermits): void {
    this.inUse -= 1;
    permits.inUse -= 1;
    if (permits.inUse === 0) {
      this.dismissAll(permits);
      this.endpoints.delete(endpoint);
      this.quick.delete(endpoint);
    }
    this.wake();
  }

  /** @internal The receiver has answered, in so much time; null: it failed. */
  answered(endpoint: string, permits: EndpointPermits, durationMs: number | null): void {
    if (durationMs === null) this.dismissAll(permits);
    if (durationMs !== null && durationMs <= QUICK_MS) this.quick.add(endpoint);
    else this.quick.delete(endpoint);
  }

  private take(permits: EndpointPermits): void {
    this.inUse += 1;
    permits.inUse += 1;
  }

  /**
   * @internal Whether a permit of the endpoint is to be granted anew, as the process has no other left: asked once it has
   * gone from stream to stream for as long as a stream may keep one.
   */
  isTurnOver(permits: EndpointPermits): boolean {
    permits.steps += 1;
    const isOver = permits.steps > TURN_STEPS || this.now() - permits.since >= TURN_MS;
    if (!isOver) return false;
    permits.steps = 0;
    permits.since = this.now();
    return this.inUse >= this.total;
  }

  private dismissAll(permits: EndpointPermits): void {
    for (const waiter of permits.waiting) this.dismiss(permits, waiter);
  }

  private dismiss(permits: EndpointPermits, waiter: Waiter): void {
    permits.waiting.delete(waiter);
    this.waiting -= 1;
    waiter.resolve(false);
  }
}

/** A stream that was claimed. */
type PermitHolder = Pick<DeliveryStream, 'endpoint' | 'isPrefetched'>;

interface Waiter {
  readonly since: number;
  /** With whether it has the permit now; false: it is to be given back. */
  readonly resolve: (isPermitted: boolean) => void;
}

/** The permits of one endpoint, and what waits for them, longest first. */
class EndpointPermits {
  inUse = 0;
  readonly waiting = new Set<Waiter>();
  /** Of the turn of these permits. */
  steps = 0;
  since = performance.now();
}

/** What one stream has of the permits. */
export class SendPermit {
  /** Its stream has waited in vain, and is given back. */
  isDismissed = false;
  /** It holds one that is to be granted anew. */
  private isOver = false;

  constructor(
    private readonly owner: SendPermits,
    private readonly endpoint: string,
    private readonly permits: EndpointPermits,
    private isHeld: boolean,
  ) {}

  /** Whether the stream may send; false: it is to be given back. To be asked before each attempt. */
  regain(): boolean | Promise<boolean> {
    if (this.isHeld) return !this.isOver;
    return this.owner.wait(this.permits).then((isPermitted) => {
      this.isDismissed = !isPermitted;
      return (this.isHeld = isPermitted);
    });
  }

  /**
   * Its attempt was answered, in so much time (null: it failed): another stream may send meanwhile. Whether one
   * does.
   */
  lend(durationMs: number | null): boolean {
    this.owner.answered(this.endpoint, this.permits, durationMs);
    this.isOver = this.owner.isTurnOver(this.permits);
    if (this.isHeld && !this.isOver) this.isHeld = !this.owner.pass(this.endpoint, this.permits);
    return !this.isHeld;
  }

  /** The stream ends here. */
  end(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    const isPassed = !this.isOver && this.owner.pass(this.endpoint, this.permits);
    if (!isPassed) this.owner.drop(this.endpoint, this.permits);
  }
}
