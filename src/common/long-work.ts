/** Characters or bytes from which work on them is long. */
export const LONG = 1024 * 1024;
/** Characters or bytes that are worked on in one turn. */
export const TURN = 2 * LONG;

/** Long work rests so many times as long as it took, unless the event loop has little else to do. */
const REST = 8;
/** What long work owes in rest, in milliseconds, before it is taken: a timer is no finer. */
const DEBT_MS = 2;
/** How often a rest looks whether others need it, and the share of the time from which they do. */
const LOOK_MS = 4;
const BUSY = 0.1;
/**
 * What was seen so long ago counts e times less. One look says little: between two requests of those who send
 * twenty a second it sees a loop that nobody needs.
 */
const MEMORY_MS = 500;
/** A rest is no longer than this, however long a piece of work took, and however much is done meanwhile. */
const MAX_REST_MS = 400;

/** The event loop, as far as long work needs it. */
export interface Loop {
  /** Milliseconds. */
  readonly now: () => number;
  readonly nextTurn: (call: () => void) => void;
  readonly after: (ms: number, call: () => void) => void;
  /** Gives what tells for which share of the time since then the loop was in use. */
  readonly watch: () => () => number;
}

const LOOP: Loop = {
  now: () => performance.now(),
  nextTurn: (call) => void setImmediate(call),
  after: (ms, call) => void setTimeout(call, ms),
  watch: () => {
    const before = performance.eventLoopUtilization();
    return () => performance.eventLoopUtilization(before).utilization;
  },
};

/** Characters or bytes of a stream between two of its turns. */
const STREAM_TURN = LONG / 4;
/** So many of them are read, stored and sent on in about a millisecond. */
const STREAMED_PER_MS = LONG / 8;

/**
 * Turns of the event loop for work that takes long, over the whole process: one piece of it runs in each,
 * so that what many ask for at once never adds up to one long stop. Who has a large text to parse, encode
 * or store waits for a turn before each such step.
 */
export class LongWork {
  /** Who waits, and who has the turn: each stays in its queue until it is done. */
  private readonly wholes: (() => void)[] = [];
  private readonly streams: (() => void)[] = [];
  private wasStream = false;
  private debtMs = 0;
  /** When that was what is owed. */
  private debtAt = 0;
  private readonly use = new AverageUse();

  constructor(private readonly loop: Loop) {}

  /** See {@link longTurn}. */
  turn(): Promise<void> {
    return this.turnOf(this.wholes);
  }

  /**
   * A turn for a stream. Streams and others take turns: a stream may have no end, and there may be thousands of them, while
   * the work on a body or a result ends.
   */
  streamTurn(): Promise<void> {
    return this.turnOf(this.streams);
  }

  private turnOf(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      this.payByRest();
      queue.push(resolve);
      if (this.waiting === 1) this.rest();
    });
  }

  private get waiting(): number {
    return this.wholes.length + this.streams.length;
  }

  /** See {@link tookLong}. */
  took(ms: number): void {
    this.payByRest();
    this.debtMs = Math.min(this.debtMs + REST * ms, MAX_REST_MS);
  }

  /** See {@link countWork}. */
  async count<T>(work: () => Promise<T>): Promise<T> {
    const { loop } = this;
    let hasWaited = false;
    loop.nextTurn(() => (hasWaited = true));
    const began = loop.now();
    const result = await work();
    if (!hasWaited) this.took(loop.now() - began);
    return result;
  }

  /** While nobody waits for a turn, long work rests. */
  private payByRest(): void {
    const now = this.loop.now();
    if (this.waiting === 0) this.debtMs = Math.max(0, this.debtMs - (now - this.debtAt));
    this.debtAt = now;
  }

  /** Runs the first of a queue. */
  private next(): void {
    const { loop } = this;
    const began = loop.now();
    const isStream = this.wholes.length === 0 || (this.streams.length > 0 && !this.wasStream);
    this.wasStream = isStream;
    const queue = isStream ? this.streams : this.wholes;
    queue[0]!();
    // Behind what the turn was waited for, before other callbacks.
    process.nextTick(() => queueMicrotask(() => this.took(loop.now() - began)));
    loop.nextTurn(() => {
      this.payByRest();
      queue.shift();
      if (this.waiting > 0) this.rest();
    });
  }

  /** Resumes the queue: at once when it owes no rest, else when it has rested or nothing needs it to. */
  private rest(): void {
    if (this.debtMs < DEBT_MS) return this.loop.nextTurn(() => this.next());
    const end = this.loop.now() + MAX_REST_MS;
    // In the next turn: what is left of this one, and what the last work has put behind it, are nobody else's.
    this.loop.nextTurn(() => this.look(end));
  }

  private look(end: number): void {
    const { loop } = this;
    const inUse = loop.watch();
    const began = loop.now();
    loop.after(Math.min(LOOK_MS, this.debtMs), () => {
      // By the clock: on a loop that is behind, a look takes much longer than was asked for.
      const now = loop.now();
      const isNeeded = this.use.add(inUse(), now) >= BUSY && now < end;
      this.debtMs = isNeeded ? this.debtMs - (now - began) : 0;
      if (this.debtMs < DEBT_MS) loop.nextTurn(() => this.next());
      else this.look(end);
    });
  }
}

/** For which share of the time the event loop was in use while long work rested, of late. */
class AverageUse {
  private share = 0;
  private seenAt = -Infinity;

  /** Adds what a look has seen that ended at `now`, in milliseconds, and gives the average. */
  add(share: number, now: number): number {
    const kept = Math.exp((this.seenAt - now) / MEMORY_MS);
    this.share = kept * this.share + (1 - kept) * share;
    this.seenAt = now;
    return this.share;
  }
}

const WORK = new LongWork(LOOP);

/**
 * Resolves in a turn of the event loop that no other long work has; first come, first served, but that streams ({@link LongStream})
 * have every second one at most while others wait. After long
 * work the queue rests while the loop is busy, so that what is short has most of it.
 */
export function longTurn(): Promise<void> {
  return WORK.turn();
}

/** Says that long work, outside of such a turn or beyond it, took so long. */
export function tookLong(ms: number): void {
  WORK.took(ms);
}

/**
 * Calls `work`, a short step of long work in a turn that has several, and says how long it took where it held the event loop
 * all the while, as reads of SQLite do. What waits meanwhile, for a database or for turns of its own, is not counted.
 */
export function countWork<T>(work: () => Promise<T>): Promise<T> {
  return WORK.count(work);
}

/**
 * A stream that may bring much in small pieces, none of which is long work: it is when they are taken
 * together, with all that is done with them.
 */
export class LongStream {
  private size = 0;

  constructor(private readonly work = WORK) {}

  /** When a piece of this size may be worked on; undefined when it may at once. */
  next(size: number): Promise<void> | undefined {
    this.size += size;
    if (this.size <= STREAM_TURN) return undefined;
    this.work.took(this.size / STREAMED_PER_MS);
    this.size = 0;
    return this.work.streamTurn();
  }
}

/** Counts what is worked on in small steps, so that they give way to other work each `turn` characters or bytes. */
export class TurnCounter {
  private size = 0;

  constructor(private readonly turn = TURN) {}

  /** Counts work that is a part of the next step. */
  add(size: number): void {
    this.size += size;
  }

  /** After a step on so many characters or bytes: when the next one may begin; undefined when it may at once. */
  next(size: number): Promise<void> | undefined {
    this.size += size;
    if (this.size < this.turn) return undefined;
    this.size = 0;
    return longTurn();
  }
}

/** Runs steps of work, each of which gives on how many values it was, with turns between them; gives what comes of all. */
export async function inTurns<T>(
  steps: Generator<number, T, undefined>,
  turns: TurnCounter,
): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = turns.next(step.value * VALUE_SIZE);
    if (turn !== undefined) await turn;
  }
}

/** What a value takes beside its characters or bytes: many small ones are as long to work on as a large one. */
export const VALUE_SIZE = 32;

/** Characters of all texts and names and bytes of all data in a value, and 32 for each value in it. */
export function sizeOf(value: unknown): number {
  return -left(value, 0, -Infinity);
}

/** Whether a value is long by {@link sizeOf}. */
export function isLong(value: unknown, limit = LONG): boolean {
  return left(value, limit) < 0;
}

/** What of `limit` it leaves; looks no further when less than `least` is left. */
function left(value: unknown, limit: number, least = 0): number {
  let rest = limit - VALUE_SIZE;
  if (typeof value === 'string') return rest - value.length;
  if (typeof value !== 'object' || value === null) return rest;
  if (value instanceof Uint8Array) return rest - value.byteLength;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= least; i++) rest = left(value[i], rest, least);
    return rest;
  }
  // Values of JSON and of the SDK's types, which inherit nothing that would be counted.
  for (const key in value) {
    if (rest < least) break;
    rest = left((value as Record<string, unknown>)[key], rest - key.length, least);
  }
  return rest;
}
