import type { Principal } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
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
export const HANDED_AT_ONCE = 64 * 1024;
/** Answers up to this are not counted: as many of them as there may be open calls come to little. */
export const TINY = 8 * 1024;

/** What a connection takes in that time, in bytes, while somebody reads: less are signs of life of other kinds. */
const MIN_TAKEN = 1024;

const UNREAD =
  'The answer was made and cannot be returned: too many of your answers have not been read yet. Read those first. What you sent is not to be sent again: ask for its task.';

/** Who takes an answer. */
export interface Reader {
  /** How many bytes its connection has taken so far; undefined while the answer has no turn on it yet. */
  readonly taken: () => number | undefined;
  /** Closes what it does not read. */
  readonly cut: () => void;
}

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
  /** To be called when all pieces have been handed over, where {@link AnswerReservation.leaves} sees to the rest. */
  readonly handedOver: () => void;
  readonly left: () => void;
}

/**
 * Bounds the bytes of large answers (over a mebibyte) that a process makes, and of all but the tiniest that it keeps
 * until their readers have taken them: a principal may have a quarter of them, an organization half. A large
 * answer that is over it waits a little.
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

  /**
   * Waits until what was handed over has left, or its reader is gone. A reader that takes next to nothing in a minute is cut off.
   */
  async untilLeft(closed: Promise<void>, reader: Reader): Promise<void> {
    let taken = reader.taken();
    const timer = setInterval(() => {
      const now = reader.taken();
      const isStuck = taken !== undefined && now !== undefined && now - taken < MIN_TAKEN;
      taken = now;
      if (isStuck) reader.cut();
    }, this.rules.patienceMs).unref();
    await closed;
    clearInterval(timer);
  }

  /**
   * Cuts the reader of a stream once it has not taken in a minute what is under way to it. `underWay` gives another number for
   * each thing that is handed over, at most {@link HANDED_AT_ONCE} where it is not small, and undefined while there is nothing.
   * Gives what ends the watch.
   */
  watch(underWay: () => number | undefined, reader: Reader): () => void {
    let seen: number | undefined;
    const timer = setInterval(() => {
      const now = underWay();
      // One that has no turn on its connection yet is not what its reader leaves.
      const isStuck = now !== undefined && now === seen && reader.taken() !== undefined;
      seen = now;
      // A process that was held up itself hears only then of what has been taken.
      if (isStuck) setImmediate(() => underWay() === now && reader.cut());
    }, this.rules.patienceMs).unref();
    return () => clearInterval(timer);
  }

  /** The answer of one call. */
  begin(caller: Principal): AnswerReservation {
    return new AnswerReservation(this, this.reservations, this.rules, caller);
  }
}

/** What one answer has of the budget; nothing while it is small and has not been made. */
export class AnswerReservation {
  private reservation: ByteReservation | undefined;
  private isOver = false;

  constructor(
    private readonly budget: AnswerBudget,
    private readonly reservations: ByteReservations,
    private readonly rules: AnswerRules,
    private readonly caller: Principal,
  ) {}

  /** See {@link AnswerBudget.watch}. */
  watch(underWay: () => number | undefined, reader: Reader): () => void {
    return this.budget.watch(underWay, reader);
  }

  /** Whether it counts in the budget. */
  get isCounted(): boolean {
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
   * What comes next of a stream has been made and has so many bytes: they count until {@link release}. What is large waits for
   * room where it has none yet, as in {@link take}; what a stream begins with counts as an answer does, see {@link made}: what it
   * answers may be done.
   */
  async hold(bytes: number, isFirst: boolean): Promise<void> {
    if (isFirst) this.made(bytes);
    else await this.take(bytes);
    this.reservation?.resize(bytes);
  }

  /** Nothing of a stream is held just now: what is large of the rest is counted anew. */
  readonly release = (): void => {
    this.reservation?.free();
    this.reservation = undefined;
  };

  /**
   * The answer has been made and has so many bytes: counts it, if that was not done before. Throws UNAVAILABLE when
   * its caller leaves too many answers unread; without a time to try again, since what it asked for is done.
   */
  made(bytes: number): void {
    if (bytes <= TINY || this.isCounted || this.isOver) return;
    this.reservation = this.reservations.reserveNow(this.caller, bytes);
    if (this.reservation === undefined) throw new HubError('UNAVAILABLE', UNREAD);
  }

  /** The last of the answer has been handed over: keeps its room until {@link AnswerBudget.untilLeft} says that it has left. */
  async leaves(closed: Promise<void>, reader: Reader): Promise<void> {
    await this.budget.untilLeft(closed, reader);
    this.end();
  }

  /**
   * The answer has been made and leaves in these blocks. When its reader takes nothing for a minute, `cut` is
   * called, each minute anew.
   */
  depart(blocks: readonly Buffer[], cut: () => void): Departure {
    const { patienceMs } = this.rules;
    this.reservation?.resize(blocks.reduce((sum, { length }) => sum + length, 0));
    const timer = setInterval(cut, patienceMs).unref();
    return {
      pieces: piecesOf(blocks, () => {
        if (!this.isOver) timer.refresh();
      }),
      handedOver: () => clearInterval(timer),
      left: () => {
        clearInterval(timer);
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
  for (const piece of cutUp(blocks)) {
    progress();
    yield piece;
  }
}

/** Blocks in pieces of at most {@link HANDED_AT_ONCE}. */
export function* cutUp(blocks: Iterable<Buffer>): Generator<Buffer, void, undefined> {
  for (const block of blocks) {
    for (let from = 0; from < block.length; from += HANDED_AT_ONCE) {
      yield block.subarray(from, from + HANDED_AT_ONCE);
    }
  }
}
