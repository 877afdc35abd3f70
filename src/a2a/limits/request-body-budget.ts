import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { heapShare } from '../../common/heap-share.js';
import { AppConfig } from '../../config/index.js';
import { type ByteReservation, ByteReservations, NO_RESERVATION } from './byte-reservations.js';

/** Bodies up to this are not counted and never refused for what others hold. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** A process with a small heap receives less than it is set to: this part of its heap. */
const PART_OF_HEAP = 1 / 16;
/** Messages of calls that are open may take so many times what is received at once. */
const HELD_FACTOR = 4;

/**
 * Bounds the bytes of large bodies that a process receives and works on at once (`server.maxBody`): a
 * principal may have a quarter of them, an organization half. What is over it waits a little, unread.
 */
@Injectable()
export class RequestBodyBudget {
  private readonly reservations: ByteReservations;

  constructor(config: AppConfig) {
    const bytes = heapShare(PART_OF_HEAP, config.server.maxBodyBytes);
    this.reservations = new ByteReservations({
      bytes,
      heldBytes: HELD_FACTOR * bytes,
      full: 'This process works on too many large requests.',
      share: 'Too many of your large requests are under way.',
      kind: 'largeRequests',
    });
  }

  /** Room for a body of that many bytes; see {@link ByteReservations.reserve}. */
  async reserve(caller: Principal, bytes: number): Promise<ByteReservation> {
    return bytes <= SMALL_BODY_BYTES ? NO_RESERVATION : this.reservations.reserve(caller, bytes);
  }
}
