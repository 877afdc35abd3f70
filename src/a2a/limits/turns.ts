import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import { TurnQueue, type Waiter } from './turn-queue.js';

/** What is worked on at once, in requests of the usual size. */
const CAPACITY = 64;
/** A request weighs one more for so many bytes. */
const BYTES_PER_WEIGHT = 64 * 1024;
/** A request that is not done after this only waits for another party: its turn is over. */
const TURN_MS = 20;
/** The longest wait for a turn. */
const MAX_WAIT_MS = 30_000;
/** Requests that may wait in a process. */
const MAX_WAITING = 20_000;

/** Ends a turn; more than once does no harm. */
export type EndTurn = () => void;

interface Turn {
  readonly weight: number;
  readonly begun: number;
}

/**
 * Lets requests in, one after the other by organization and principal, as fast as the process gets them
 * done. Who is alone has all of it and may wait for it; who floods the process waits for its turn while others
 * get theirs at once, and is refused only when it has too many waiting (`server.rateLimit.maxWaiting`).
 */
@Injectable()
export class Turns implements OnModuleDestroy {
  private readonly queue = new TurnQueue();
  private readonly turns = new Set<Turn>();
  private weight = 0;
  private readonly maxWaiting: number;
  private sweep: NodeJS.Timeout | undefined;

  constructor(config: AppConfig) {
    this.maxWaiting = config.server.rateLimit.maxWaiting;
  }

  onModuleDestroy(): void {
    clearInterval(this.sweep);
  }

  /**
   * Waits for a turn of a request of that many bytes. Rejects with RATE_LIMITED when its principal has too
   * many waiting while others wait too, or when it has waited too long; with UNAVAILABLE when too many wait.
   */
  begin(caller: Principal, bytes: number, signal?: AbortSignal): EndTurn | Promise<EndTurn> {
    const weight = Math.min(CAPACITY, 1 + Math.floor(bytes / BYTES_PER_WEIGHT));
    if (this.queue.length === 0 && this.hasCapacity(weight)) return this.take(weight);
    if (this.queue.length >= MAX_WAITING) {
      throw new HubError('UNAVAILABLE', 'Too many requests wait in this process; try again.', {
        metadata: { retryAfterSeconds: '1' },
      });
    }
    if (this.queue.lengthOf(caller) >= this.maxWaiting && this.queue.hasOthersThan(caller)) {
      throw tooMany('Too many of your requests wait while others have requests, too');
    }
    return this.wait(caller, weight, signal);
  }

  private wait(caller: Principal, weight: number, signal?: AbortSignal): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const stop = (thrown: HubError): void => {
        leave();
        this.queue.remove(waiter);
        reject(thrown);
      };
      const timer = setTimeout(
        () => stop(tooMany('The request has waited too long for its turn')),
        MAX_WAIT_MS,
      ).unref();
      const gone = (): void => stop(new HubError('UNAVAILABLE', 'The caller is gone.'));
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
      };
      const waiter: Waiter = {
        caller,
        weight,
        go: () => {
          leave();
          resolve(this.take(weight));
        },
      };
      this.queue.add(waiter);
      signal?.addEventListener('abort', gone);
      if (signal?.aborted === true) gone();
    });
  }

  private take(weight: number): EndTurn {
    const turn = { weight, begun: performance.now() };
    this.turns.add(turn);
    this.weight += weight;
    this.sweep ??= setInterval(() => this.endOld(), TURN_MS).unref();
    return () => {
      if (this.end(turn)) this.callNext();
    };
  }

  private end(turn: Turn): boolean {
    if (!this.turns.delete(turn)) return false;
    this.weight -= turn.weight;
    return true;
  }

  private endOld(): void {
    const limit = performance.now() - TURN_MS;
    for (const turn of this.turns) {
      if (turn.begun > limit) break;
      this.end(turn);
    }
    this.callNext();
    if (this.turns.size > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }

  private callNext(): void {
    for (let next = this.queue.first(); next !== undefined; next = this.queue.first()) {
      if (!this.hasCapacity(next.weight)) return;
      this.queue.shift();
      next.go();
    }
  }

  /** A heavy request begins when half of the others are done. */
  private hasCapacity(weight: number): boolean {
    return this.weight + Math.min(weight, CAPACITY / 2) <= CAPACITY;
  }
}

function tooMany(why: string): HubError {
  return new HubError('RATE_LIMITED', `${why}; try again in 1 s.`, {
    metadata: { retryAfterSeconds: '1' },
    refusal: { limit: { kind: 'waitingRequests' } },
  });
}
