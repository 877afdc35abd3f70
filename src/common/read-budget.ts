/** How one process shares what it reads of others' long answers. */
export interface ReadRules {
  /** Bytes that all answers under way may hold together; one of them, at a time, may go beyond. */
  readonly limit: number;
  /** Of these, what the answers of one party may hold. */
  readonly share: number;
  /** What is left to parties that hold no more than half of it. */
  readonly reserved: number;
  /** Bytes of each answer that do not count: small answers never wait. */
  readonly free: number;
  /** Room is taken in steps of so many bytes. */
  readonly step: number;
  /** So long one answer waits for its turn, in all. */
  readonly patienceMs: number;
  /**
   * What an answer has to bring a second while others wait, on the average of its time after `graceMs`:
   * one that comes more slowly is broken off. The one that goes beyond has to bring more.
   */
  readonly bytesPerSecond: number;
  readonly bytesPerSecondBeyond: number;
  readonly graceMs: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** The rules for a budget of so many bytes. */
export function readRules(limit: number): ReadRules {
  return {
    limit,
    share: limit / 2,
    reserved: limit / 8,
    free: 64 * KIB,
    step: Math.min(MIB, limit / 8),
    patienceMs: 60_000,
    bytesPerSecond: 64 * KIB,
    bytesPerSecondBeyond: MIB,
    graceMs: 5000,
  };
}

/** The budget had nothing left for the answer in time, or it came too slowly while others waited. */
export class ReadBudgetError extends Error {
  override readonly name = 'ReadBudgetError';
}

/** How often is looked for answers that come too slowly, while others wait. */
const LOOK_EVERY_MS = 500;

/**
 * Bytes of answers that are being read, parsed or stored in this process, over all parties. Who needs more
 * waits: the party that holds least goes first, within a party who came first. No party takes more than its share,
 * and some is reserved for those that hold little; an answer that is larger goes
 * beyond the limit, one at a time, so that every answer gets its turn, none holds up the others by
 * coming slowly, and no more is held than the limit and one answer.
 */
export class ReadBudget {
  private taken = 0;
  private readonly byParty = new Map<string, number>();
  private readonly holders = new Set<Reading>();
  /** By party, none of which is empty. */
  private readonly waiting = new Map<string, Set<Waiter>>();
  /** What goes beyond the limit; its bytes are not among those taken. */
  private beyond: Reading | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(readonly rules: ReadRules) {}

  /** Bytes held now, those that are free left out. */
  get held(): number {
    return this.taken + (this.beyond?.taken ?? 0);
  }

  /** One answer of a party. `cut` is called when it is to be broken off, since it comes too slowly. */
  begin(party: string, cut: (error: Error) => void): Reading {
    return new Reading(this, party, cut);
  }

  /** @internal */
  resize(reading: Reading, bytes: number): Promise<void> | undefined {
    const { free, step } = this.rules;
    const wanted = Math.max(0, Math.ceil((bytes - free) / step) * step);
    if (wanted === reading.taken) return undefined;
    if (wanted < reading.taken || this.tryGrow(reading, wanted)) {
      this.set(reading, wanted);
      return undefined;
    }
    return this.wait(reading, wanted);
  }

  /** Whether it may hold so much now: what those who wait could have they have got. */
  private tryGrow(reading: Reading, wanted: number): boolean {
    if (reading === this.beyond || this.hasCapacity(reading, wanted)) return true;
    if (this.beyond !== undefined) return false;
    this.count(reading, -reading.taken);
    this.beyond = reading;
    return true;
  }

  private hasCapacity(reading: Reading, wanted: number): boolean {
    const { limit, reserved } = this.rules;
    const growth = wanted - reading.taken;
    const holdsLittle = this.heldBy(reading.party) + growth <= reserved / 2;
    const isWithin = this.taken + growth <= limit - (holdsLittle ? 0 : reserved);
    return isWithin && this.hasShare(reading, wanted);
  }

  private heldBy(party: string): number {
    const { beyond } = this;
    const more = beyond !== undefined && beyond.party === party ? beyond.taken : 0;
    return (this.byParty.get(party) ?? 0) + more;
  }

  private hasShare({ party, taken }: Reading, wanted: number): boolean {
    return (this.byParty.get(party) ?? 0) + wanted - taken <= this.rules.share;
  }

  private set(reading: Reading, bytes: number): void {
    if (reading.taken === 0) reading.since = performance.now();
    const isLess = bytes < reading.taken;
    if (reading !== this.beyond) this.count(reading, bytes - reading.taken);
    reading.taken = bytes;
    if (bytes > 0) this.holders.add(reading);
    else {
      // A stream that goes on for days may wait anew for each of its events.
      reading.waitedMs = 0;
      this.holders.delete(reading);
      if (reading === this.beyond) this.beyond = undefined;
    }
    if (isLess) this.wake();
  }

  private count({ party }: Reading, bytes: number): void {
    this.taken += bytes;
    const ofParty = (this.byParty.get(party) ?? 0) + bytes;
    if (ofParty > 0) this.byParty.set(party, ofParty);
    else this.byParty.delete(party);
  }

  private wait(reading: Reading, wanted: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const end = (): void => {
        clearTimeout(timer);
        this.forget(waiter);
        reading.waiter = undefined;
        reading.waitedMs += performance.now() - began;
      };
      const waiter: Waiter = {
        reading,
        wanted,
        go: () => {
          end();
          this.set(reading, wanted);
          resolve();
        },
        drop: (why) => {
          end();
          reject(new ReadBudgetError(why));
        },
      };
      const patience = Math.max(0, this.rules.patienceMs - reading.waitedMs);
      const timer = setTimeout(
        () => waiter.drop('the read budget of the hub was used up'),
        patience,
      );
      reading.waiter = waiter;
      const { party } = reading;
      this.waiting.set(party, (this.waiting.get(party) ?? new Set()).add(waiter));
      this.watch();
    });
  }

  private forget(waiter: Waiter): void {
    const { party } = waiter.reading;
    const ofParty = this.waiting.get(party);
    ofParty?.delete(waiter);
    if (ofParty?.size === 0) this.waiting.delete(party);
  }

  private wake(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) next.go();
  }

  /** Who may go on now, of the party that holds least. */
  private next(): Waiter | undefined {
    const parties = [...this.waiting.keys()].sort((a, b) => this.heldBy(a) - this.heldBy(b));
    for (const party of parties) {
      const [first] = this.waiting.get(party)!;
      if (this.tryGrow(first!.reading, first!.wanted)) return first;
    }
    return undefined;
  }

  private watch(): void {
    this.timer ??= setInterval(() => {
      if (this.waiting.size > 0) {
        for (const reading of [...this.holders]) if (this.isSlow(reading)) cut(reading);
        return;
      }
      clearInterval(this.timer);
      this.timer = undefined;
    }, LOOK_EVERY_MS).unref();
  }

  private isSlow(reading: Reading): boolean {
    const { since, waitedMs, taken, waiter, isWhole } = reading;
    if (isWhole || waiter !== undefined) return false;
    const { graceMs, bytesPerSecond, bytesPerSecondBeyond } = this.rules;
    const ms = performance.now() - since - waitedMs - graceMs;
    const due = reading === this.beyond ? bytesPerSecondBeyond : bytesPerSecond;
    return ms > 0 && taken < (ms / 1000) * due;
  }
}

function cut(reading: Reading): void {
  reading.cut(new ReadBudgetError('it came too slowly while others waited to be read'));
}

interface Waiter {
  readonly reading: Reading;
  readonly wanted: number;
  readonly go: () => void;
  readonly drop: (why: string) => void;
}

/** One answer that is being read. It holds what was said last, until {@link end}. */
export class Reading {
  /** @internal */
  taken = 0;
  /** @internal */
  since = 0;
  /** @internal */
  waitedMs = 0;
  /** @internal */
  waiter: Waiter | undefined;
  /** @internal */
  isWhole = false;

  constructor(
    private readonly budget: ReadBudget,
    readonly party: string,
    readonly cut: (error: Error) => void,
  ) {}

  /**
   * Says how many bytes of it are held now. When the budget allows no more yet, what is returned resolves
   * in its turn, or rejects with {@link ReadBudgetError}.
   */
  reserve(bytes: number): Promise<void> | undefined {
    this.isWhole = false;
    return this.budget.resize(this, bytes);
  }

  /** All that is held has arrived: what takes time from now on is the hub itself. */
  whole(): void {
    this.isWhole = true;
  }

  /** Waits no more: what {@link reserve} returned rejects. What it holds it keeps. */
  giveUp(): void {
    this.waiter?.drop('others wait with less');
  }

  /** Gives everything back. Once is enough. */
  end(): void {
    this.waiter?.drop('it is not read any more');
    void this.budget.resize(this, 0);
  }
}
