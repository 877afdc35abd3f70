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
  private readonly waiting: WaitingBodies;

  constructor(rules: Partial<Pick<ReadRules, 'limit' | 'share' | 'patienceMs'>> = {}) {
    this.budget = new ReadBudget({ ...rulesHere(), ...rules });
    this.waiting = new WaitingBodies(this.budget.rules);
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
        reserve: (bytes) => held(reading, reading.reserve(bytes)),
        reserveMade: (bytes) =>
          held(reading, this.waiting.during(reading, bytes, reading.reserve(bytes))),
      });
    } finally {
      reading.end();
    }
  }
}

interface WaitingBody {
  readonly reading: Reading;
  /** What counts of it: of one that is larger than an organization's share, that. */
  readonly bytes: number;
}

/**
 * Bodies that have been made and wait for the budget: as many bytes together as the budget has, and of one organization as many
 * as it may hold. One organization's keep out no other's.
 */
class WaitingBodies {
  /** By organization, none of which is empty; who came first is first. */
  private readonly byOrganization = new Map<string, Set<WaitingBody>>();

  constructor(private readonly rules: Pick<ReadRules, 'limit' | 'share'>) {}

  /** Counts a body while it waits; `granted` is what the budget said, undefined when it need not wait. */
  async during(reading: Reading, size: number, granted: Promise<void> | undefined): Promise<void> {
    if (granted === undefined) return;
    const body = { reading, bytes: Math.min(size, this.rules.share) };
    const { party } = reading;
    this.byOrganization.set(party, (this.byOrganization.get(party) ?? new Set()).add(body));
    this.makeWay();
    try {
      await granted;
    } finally {
      this.remove(body);
    }
  }

  /** While more wait than may, the newest of the organization that has most of them is turned away. */
  private makeWay(): void {
    for (;;) {
      let [all, most] = [0, 0];
      let newest: WaitingBody | undefined;
      for (const bodies of this.byOrganization.values()) {
        let bytes = 0;
        for (const body of bodies) bytes += body.bytes;
        all += bytes;
        if (bytes < most) continue;
        most = bytes;
        newest = [...bodies].at(-1);
      }
      if (newest === undefined || (all <= this.rules.limit && most <= this.rules.share)) return;
      this.remove(newest);
      newest.reading.giveUp();
    }
  }

  private remove(body: WaitingBody): void {
    const { party } = body.reading;
    const bodies = this.byOrganization.get(party);
    bodies?.delete(body);
    if (bodies?.size === 0) this.byOrganization.delete(party);
  }
}

/** The bytes that one attempt reserves for its body. Both reject with {@link OverBudgetError} when there are none in time. */
export interface BodyReservation {
  /** For a body that is going to be read. */
  readonly reserve: (bytes: number) => Promise<void>;
  /** For bodies that have been made. It rejects earlier when many wait, most of them of its organization. */
  readonly reserveMade: (bytes: number) => Promise<void>;
}

/** Waits for what the budget granted. */
async function held(reading: Reading, granted: Promise<void> | undefined): Promise<void> {
  try {
    await granted;
    reading.whole();
  } catch (error) {
    throw error instanceof ReadBudgetError ? new OverBudgetError() : error;
  }
}
