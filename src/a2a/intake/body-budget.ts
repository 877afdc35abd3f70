import { getHeapStatistics } from 'node:v8';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import { type Refusal, Shares } from './shares.js';

/** Bodies up to this are not counted and never refused for what others hold. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** How long a body waits for room. */
const MAX_WAIT_MS = 10_000;
/** Bodies that may wait, of all callers and of one. */
const MAX_WAITING = 1000;
const MAX_WAITING_OF_ONE = 64;
/** What one may have of the bodies being received. */
const RECEIVING = { principal: 0.25, organization: 0.5 };
/** A process with a small heap receives less than it is set to: this part of its heap. */
const PART_OF_HEAP = 1 / 16;
/** Messages of calls that are open may take so many times what is received at once. */
const HELD_FACTOR = 4;

/** The room a body has. */
export interface BodyRoom {
  /** The body is done with but for its call, which may stay open: others may be received. */
  taken(): void;
  /** Nothing holds it any more. */
  free(): void;
}

interface Waiter {
  readonly caller: Principal;
  readonly bytes: number;
  readonly settle: (refusal: Refusal | undefined) => void;
}

const NO_ROOM: BodyRoom = { taken: () => undefined, free: () => undefined };

/**
 * Bounds the bytes of large bodies that a process receives and works on at once (`server.maxBody`): a
 * principal may have a quarter of them, an organization half. What is over it waits a little, unread.
 */
@Injectable()
export class BodyBudget {
  private readonly receiving: Shares;
  private readonly held: Shares;
  private readonly waiting = new Set<Waiter>();

  constructor(config: AppConfig) {
    const heap = getHeapStatistics().heap_size_limit * PART_OF_HEAP;
    const whole = Math.min(config.server.maxBodyBytes, heap);
    this.receiving = new Shares(whole, RECEIVING);
    this.held = new Shares(HELD_FACTOR * whole);
  }

  /**
   * Room for a body of that many bytes. Rejects with RATE_LIMITED when the caller has its share and with
   * UNAVAILABLE when the process has no more, both after a while.
   */
  async room(caller: Principal, bytes: number): Promise<BodyRoom> {
    if (bytes <= SMALL_BODY_BYTES) return NO_ROOM;
    const refusal = this.take(caller, bytes) && (await this.wait(caller, bytes));
    if (refusal === undefined) return this.roomOf(caller, bytes);
    const options = { metadata: { retryAfterSeconds: '2' } };
    throw refusal === 'full'
      ? new HubError('UNAVAILABLE', 'This process works on too many large requests.', options)
      : new HubError('RATE_LIMITED', 'Too many of your large requests are under way.', options);
  }

  private take(caller: Principal, bytes: number): Refusal | undefined {
    const refusal = this.receiving.take(caller, bytes);
    if (refusal !== undefined) return refusal;
    const isHeld = this.held.take(caller, bytes);
    if (isHeld !== undefined) this.receiving.give(caller, bytes);
    return isHeld;
  }

  private roomOf(caller: Principal, bytes: number): BodyRoom {
    let isReceiving = true;
    let isHeld = true;
    const taken = (): void => {
      if (!isReceiving) return;
      isReceiving = false;
      this.receiving.give(caller, bytes);
      this.callWaiting();
    };
    return {
      taken,
      free: () => {
        taken();
        if (!isHeld) return;
        isHeld = false;
        this.held.give(caller, bytes);
        this.callWaiting();
      },
    };
  }

  private wait(caller: Principal, bytes: number): Promise<Refusal | undefined> {
    const ofOne = [...this.waiting].filter((other) => other.caller.id === caller.id).length;
    if (ofOne >= MAX_WAITING_OF_ONE) return Promise.resolve('share');
    if (this.waiting.size >= MAX_WAITING) return Promise.resolve('full');
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle('share'), MAX_WAIT_MS).unref();
      const settle = (refusal: Refusal | undefined): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
        resolve(refusal);
      };
      const waiter: Waiter = { caller, bytes, settle };
      this.waiting.add(waiter);
    });
  }

  /** Those who wait longest first; one that does not fit holds nobody up. */
  private callWaiting(): void {
    for (const { caller, bytes, settle } of this.waiting) {
      if (this.take(caller, bytes) === undefined) settle(undefined);
    }
  }
}
