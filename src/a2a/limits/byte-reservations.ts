import type { Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { type Refusal, Shares } from './shares.js';

/** How long a reservation may wait. */
const MAX_WAIT_MS = 10_000;
/** Those who may wait, of all callers and of one. */
const MAX_WAITING = 1000;
const MAX_WAITING_OF_ONE = 64;
/** What one may have of the whole. */
const CEILINGS = { principal: 0.25, organization: 0.5 };
/** What one may have of the whole, in things that are there already, also where others have taken all; and what that may come to. */
const ALLOWANCE = 1 / 64;
const MOST_ALLOWED = 0.25;

/** What is shared, and the messages of refusals after the wait. */
export interface ReservationRules {
  readonly bytes: number;
  /** What may be held besides by those who have been taken in; default: any amount. */
  readonly heldBytes?: number;
  readonly full: string;
  readonly share: string;
  /** What the audit log calls it. */
  readonly kind: 'largeRequests' | 'largeAnswers';
}

/** The room something has. */
export interface ByteReservation {
  /** It is done with but for its call, which may stay open: others may have the room. */
  taken(): void;
  /** So many bytes they are in fact; that is counted, also where it is more than there is. */
  resize(bytes: number): void;
  /** Nothing holds it any more. */
  free(): void;
}

interface Waiter {
  readonly caller: Principal;
  readonly bytes: number;
  /** Why it waits. */
  refusal: Refusal;
  readonly finish: (refusal: Refusal | undefined) => void;
}

/** The room of what is small, or of nothing. */
export const NO_RESERVATION: ByteReservation = {
  taken: () => undefined,
  resize: () => undefined,
  free: () => undefined,
};

/**
 * Bytes that a process has in hand at once: a principal may have a quarter of them, an organization half;
 * something that is larger has its turn alone. What is over it waits a little.
 */
export class ByteReservations {
  private readonly shares: Shares;
  private readonly held: Shares;
  private readonly waiting = new Set<Waiter>();
  /** Who waits longest of those that have nothing: who has something gets no more before it. */
  private first: Waiter | undefined;

  constructor(private readonly rules: ReservationRules) {
    this.shares = new Shares(rules.bytes, CEILINGS);
    this.held = new Shares(rules.heldBytes ?? Infinity);
  }

  /** Bytes that have room now. */
  get taken(): number {
    return this.shares.taken;
  }

  /**
   * Room for so many bytes. Rejects with RATE_LIMITED when the caller has its share and with UNAVAILABLE
   * when the process has no more, both after a while.
   */
  async reserve(caller: Principal, bytes: number): Promise<ByteReservation> {
    let refusal = this.take(caller, bytes);
    if (refusal !== undefined) refusal = await this.wait(caller, bytes, refusal);
    if (refusal === undefined) return this.reservationOf(caller, bytes);
    const options = { metadata: { retryAfterSeconds: '2' } };
    const { full, share, kind } = this.rules;
    throw refusal === 'full'
      ? new HubError('UNAVAILABLE', full, options)
      : new HubError('RATE_LIMITED', share, { ...options, refusal: { limit: { kind } } });
  }

  /**
   * Room at once for bytes that are in memory already, ahead of those that wait. Who has little gets it also
   * where there is none, so that whoever lets go of it at once is not refused for what others hold; who has more
   * gets undefined then.
   */
  reserveNow(caller: Principal, bytes: number): ByteReservation | undefined {
    const { shares, held, rules } = this;
    if (shares.take(caller, bytes) !== undefined) {
      const isAllowed =
        shares.of(caller) < ALLOWANCE * rules.bytes &&
        shares.taken + bytes <= (1 + MOST_ALLOWED) * rules.bytes;
      if (!isAllowed) return undefined;
      shares.add(caller, bytes);
    }
    held.add(caller, bytes);
    return this.reservationOf(caller, bytes);
  }

  private take(caller: Principal, bytes: number): Refusal | undefined {
    const { first } = this;
    if (first !== undefined && !this.has(first.caller) && this.has(caller)) return 'full';
    const refusal = this.shares.take(caller, bytes);
    if (refusal !== undefined) return refusal;
    const isHeld = this.held.take(caller, bytes);
    if (isHeld !== undefined) this.shares.give(caller, bytes);
    return isHeld;
  }

  private has(caller: Principal): boolean {
    return this.shares.has(caller) || this.held.has(caller);
  }

  private reservationOf(caller: Principal, requested: number): ByteReservation {
    let bytes = requested;
    let isTaken = false;
    let isFree = false;
    const taken = (): void => {
      if (isTaken) return;
      isTaken = true;
      this.shares.give(caller, bytes);
      this.callWaiting();
    };
    return {
      taken,
      resize: (actual) => {
        const less = bytes - actual;
        if (isFree || less === 0) return;
        bytes = actual;
        if (!isTaken) this.shares.give(caller, less);
        this.held.give(caller, less);
        if (less > 0) this.callWaiting();
      },
      free: () => {
        taken();
        if (isFree) return;
        isFree = true;
        this.held.give(caller, bytes);
        this.callWaiting();
      },
    };
  }

  /** Resolves with why there was no room when it has waited too long. */
  private wait(caller: Principal, bytes: number, why: Refusal): Promise<Refusal | undefined> {
    const ofOne = [...this.waiting].filter((other) => other.caller.id === caller.id).length;
    if (ofOne >= MAX_WAITING_OF_ONE) return Promise.resolve('share');
    if (this.waiting.size >= MAX_WAITING) return Promise.resolve('full');
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        finish(waiter.refusal);
        // Room may have been kept for it.
        this.callWaiting();
      }, MAX_WAIT_MS).unref();
      const finish = (refusal: Refusal | undefined): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
        if (this.first === waiter) this.first = undefined;
        resolve(refusal);
      };
      const waiter: Waiter = { caller, bytes, refusal: why, finish };
      this.waiting.add(waiter);
      this.keepFor(waiter);
    });
  }

  /** Those who wait longest first. */
  private callWaiting(): void {
    this.first = undefined;
    for (const waiter of this.waiting) {
      const refusal = this.take(waiter.caller, waiter.bytes);
      if (refusal === undefined) {
        waiter.finish(undefined);
        continue;
      }
      waiter.refusal = refusal;
      this.keepFor(waiter);
    }
  }

  /** What becomes free is kept for the first one that has nothing, so that smaller ones do not always take it. */
  private keepFor(waiter: Waiter): void {
    if (waiter.refusal === 'full' && !this.has(waiter.caller)) this.first ??= waiter;
  }
}
