import type { Principal } from '../../auth/index.js';
import { heapShare } from '../../common/heap-share.js';
import { LONG } from '../../common/long-work.js';
import { type ByteReservation, ByteReservations, NO_RESERVATION } from './byte-reservations.js';

/** What all large answers may have together. */
const MAX_BYTES = 256 * 1024 * 1024;
/**
 * A process with a small heap has less: an answer that is made takes about twice its bytes of the heap (the
 * log it is read from, and the task), so that all of them take a quarter of it. What waits for its reader is
 * no part of the heap.
 */
const PART_OF_HEAP = 1 / 8;
/** In each of these spans a reader has to take a piece. */
const PATIENCE_MS = 60_000;
/** Bytes that are handed to a connection at once, so that its progress can be seen. */
const PIECE = 64 * 1024;

export interface AnswerRules {
  readonly bytes: number;
  readonly patienceMs: number;
}

export function answerRules(): AnswerRules {
  return { bytes: heapShare(PART_OF_HEAP, MAX_BYTES), patienceMs: PATIENCE_MS };
}

/** An answer on its way: its pieces, and what gives everything back when it has left or its reader is gone. */
export interface Departure {
  readonly pieces: Iterable<Buffer>;
  readonly left: () => void;
}

/**
 * Bounds the bytes of large answers (over a mebibyte) that a process makes, or keeps until their readers have
 * taken them: a principal may have a quarter of them, an organization half. What is over it waits a little.
 */
export class AnswerBudget {
  private readonly reservations: ByteReservations;

  constructor(readonly rules: AnswerRules) {
    this.reservations = new ByteReservations({
      bytes: rules.bytes,
      full: 'This process gives too many large answers.',
      share: 'Too many of your large answers are being made or read.',
      kind: 'largeAnswers',
    });
  }

  /** Bytes of large answers that are made or leave just now. */
  get held(): number {
    return this.reservations.taken;
  }

  /** The answer of one call. */
  begin(caller: Principal): AnswerReservation {
    return new AnswerReservation(this.reservations, this.rules, caller);
  }
}

/** What one answer has of the budget; nothing while it is small. */
export class AnswerReservation {
  private reservation: ByteReservation | undefined;
  private isOver = false;

  constructor(
    private readonly reservations: ByteReservations,
    private readonly rules: AnswerRules,
    private readonly caller: Principal,
  ) {}

  /** Whether it has taken room. */
  get isLarge(): boolean {
    return this.reservation !== undefined;
  }

  /**
   * Takes room for an answer that is going to have about so many bytes; the first time counts. Rejects with
   * RATE_LIMITED or UNAVAILABLE when there is none after a while.
   */
  readonly take = async (bytes: number): Promise<void> => {
    if (bytes <= LONG || this.reservation !== undefined || this.isOver) return;
    this.reservation = NO_RESERVATION;
    try {
      this.reservation = await this.reservations.reserve(this.caller, bytes);
    } catch (error) {
      this.reservation = undefined;
      throw error;
    }
    this.freeIfOver();
  };

  /**
   * The answer has been made and leaves in these blocks. When its reader takes nothing for a minute, `cut` is
   * called.
   */
  depart(blocks: readonly Buffer[], cut: () => void): Departure {
    const { patienceMs } = this.rules;
    this.reservation?.resize(blocks.reduce((sum, { length }) => sum + length, 0));
    const timer = setTimeout(cut, patienceMs).unref();
    return {
      pieces: piecesOf(blocks, () => {
        if (!this.isOver) timer.refresh();
      }),
      left: () => {
        clearTimeout(timer);
        this.end();
      },
    };
  }

  /** Nothing of it is held any more, or it came to no large answer. */
  end(): void {
    this.isOver = true;
    this.freeIfOver();
  }

  private freeIfOver(): void {
    if (this.isOver) this.reservation?.free();
  }
}

function* piecesOf(blocks: readonly Buffer[], progress: () => void): Generator<Buffer, void> {
  for (const block of blocks) {
    for (let from = 0; from < block.length; from += PIECE) {
      progress();
      yield block.subarray(from, from + PIECE);
    }
  }
}
