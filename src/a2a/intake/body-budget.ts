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
  /** Why it waits. */
  refusal: Refusal;
  readonly settle: (refusal: Refusal | undefined) => void;
}

/** The room of a body that is small, or of none. */
export const NO_ROOM: BodyRoom = { taken: () => undefined, free: () => undefined };

/**
 * Bounds the bytes of large bodies that a process receives and works on at once (`server.maxBody`): a
 * principal may have a quarter of them, an organization half. What is over it waits a little, unread.
 */
@Injectable()
export class BodyBudget {
  private readonly receiving: Shares;
  private readonly held: Shares;
  private readonly waiting = new Set<Waiter>();
  /** Who waits longest of those that have nothing: who has something gets no more before it. */
  private first: Waiter | undefined;

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
    let refusal = this.take(caller, bytes);
    if (refusal !== undefined) refusal = await this.wait(caller, bytes, refusal);
    if (refusal === undefined) return this.roomOf(caller, bytes);
    const options = { metadata: { retryAfterSeconds: '2' } };
    throw refusal === 'full'
      ? new HubError('UNAVAILABLE', 'This process works on too many large requests.', options)
      : new HubError('RATE_LIMITED', 'Too many of your large requests are under way.', options);
  }

  private take(caller: Principal, bytes: number): Refusal | undefined {
    const { first } = this;
    if (first !== undefined && !this.has(first.caller) && this.has(caller)) return 'full';
    const refusal = this.receiving.take(caller, bytes);
    if (refusal !== undefined) return refusal;
    const isHeld = this.held.take(caller, bytes);
    if (isHeld !== undefined) this.receiving.give(caller, bytes);
    return isHeld;
  }

  private has(caller: Principal): boolean {
    return this.receiving.has(caller) || this.held.has(caller);
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

  /** Resolves with why there was no room when it has waited too long. */
  private wait(caller: Principal, bytes: number, why: Refusal): Promise<Refusal | undefined> {
    const ofOne = [...this.waiting].filter((other) => other.caller.id === caller.id).length;
    if (ofOne >= MAX_WAITING_OF_ONE) return Promise.resolve('share');
    if (this.waiting.size >= MAX_WAITING) return Promise.resolve('full');
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        settle(waiter.refusal);
        // Room may have been kept for it.
        this.callWaiting();
      }, MAX_WAIT_MS).unref();
      const settle = (refusal: Refusal | undefined): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
        if (this.first === waiter) this.first = undefined;
        resolve(refusal);
      };
      const waiter: Waiter = { caller, bytes, refusal: why, settle };
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
        waiter.settle(undefined);
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
