import {
  ReadBudget,
  ReadBudgetError,
  type Reading,
  type ReadRules,
} from '../../common/read-budget.js';
import { OverBudgetError } from '../../common/byte-budget.js';
import { heapShare } from '../../common/heap-share.js';

const KIB = 1024;
/** What all bodies that are sent, or about to be, may have together; one may go beyond. */
const MAX_BYTES = 64 * KIB * KIB;
/** A process with a small heap has less: a body that is sent takes about three times its bytes. */
const PART_OF_HEAP = 1 / 16;
/** How long a stream waits for the budget with its permit; then others get that. */
const PATIENCE_MS = 2000;

/** Bodies up to this size never wait. */
export const SMALL_BODY = 64 * KIB;

function rulesHere(): ReadRules {
  const limit = heapShare(PART_OF_HEAP, MAX_BYTES);
  return {
    limit,
    share: limit / 2,
    reserved: 0,
    free: SMALL_BODY,
    step: SMALL_BODY,
    patienceMs: PATIENCE_MS,
    // None is cut: the time of an attempt is limited.
    bytesPerSecond: 0,
    bytesPerSecondBeyond: 0,
    graceMs: 0,
  };
}

/**
 * Bounds the bytes of webhook bodies that a process holds to send them, from before they are read from the
 * database until their attempt has been recorded. An organization may have half of them.
 */
export class SendBudget {
  private readonly budget: ReadBudget;
  /** Of bodies that have been made and wait for the budget. */
  private waiting = 0;

  constructor(rules: Partial<Pick<ReadRules, 'limit' | 'share' | 'patienceMs'>> = {}) {
    this.budget = new ReadBudget({ ...rulesHere(), ...rules });
  }

  /** Bytes of bodies that are held now, small ones left out. */
  get held(): number {
    return this.budget.held;
  }

  /** Gives back what the work took when it has ended, however it does. */
  async during<T>(
    organization: string,
    work: (reservation: BodyReservation) => Promise<T>,
  ): Promise<T> {
    const reading = this.budget.begin(organization, () => undefined);
    try {
      return await work({
        reserve: (bytes) => hold(reading, bytes),
        reserveMade: (bytes) => this.reserveMade(reading, bytes),
      });
    } finally {
      reading.end();
    }
  }

  private async reserveMade(reading: Reading, bytes: number): Promise<void> {
    if (this.waiting + bytes > this.budget.rules.limit && this.waiting > 0)
      throw new OverBudgetError();
    this.waiting += bytes;
    try {
      await hold(reading, bytes);
    } finally {
      this.waiting -= bytes;
    }
  }
}

/** The bytes that one attempt reserves for its body. Both reject with {@link OverBudgetError} when there are none in time. */
export interface BodyReservation {
  /** For a body that is going to be read. */
  readonly reserve: (bytes: number) => Promise<void>;
  /** For bodies that have been made. When many wait already, it rejects at once. */
  readonly reserveMade: (bytes: number) => Promise<void>;
}

async function hold(reading: Reading, bytes: number): Promise<void> {
  try {
    await reading.reserve(bytes);
    reading.whole();
  } catch (error) {
    throw error instanceof ReadBudgetError ? new OverBudgetError() : error;
  }
}
