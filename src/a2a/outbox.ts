import { HANDED_AT_ONCE } from './limits/answer-budget.js';

/** So many bytes may wait for a reader before it counts as behind. */
const AHEAD_BYTES = 16 * 1024;
/** How long a reader that is behind may take before the next chunk is queued on top. */
const CATCH_UP_MS = 250;

/** Where an {@link Outbox} writes. */
export interface Outlet<Chunk> {
  /** Whether nothing is to be written any more. */
  closed(): boolean;
  /** Writes all of them; calls back when the last has left for the reader. */
  write(chunks: readonly Chunk[], left: () => void): void;
  /** A chunk that is not small in pieces, so that it can be seen how far it has left; undefined where it has to go as a whole. */
  piecesOf(chunk: Chunk): Iterator<Buffer, void, undefined> | undefined;
  /** Writes a piece of one; calls back as `write` does. */
  writePiece(piece: Buffer, left: () => void): void;
  /** Called when the reader is too far behind: it is to be dropped. */
  overflow(): void;
}

/** What has not been handed over: the rest of the chunk that is under way, and those behind it. */
export interface Unwritten<Chunk> {
  readonly pieces: Iterable<Buffer>;
  readonly chunks: readonly Chunk[];
}

/**
 * What waits for the reader of a stream. One write is under way at a time, of what is small or of one piece; what comes meanwhile
 * waits here, up to a limit. Memory of a reader is bounded by that limit, what is under way and one chunk.
 */
export class Outbox<Chunk> {
  private waiting: Chunk[] = [];
  /** The bytes of each. */
  private sizes: number[] = [];
  private waitingBytes = 0;
  private writing = false;
  /** Of the chunk that is under way. */
  private pieces: Iterator<Buffer, void, undefined> | undefined;
  private writes = 0;
  private wake: (() => void) | undefined;

  constructor(
    private readonly outlet: Outlet<Chunk>,
    private readonly limitBytes: number,
  ) {}

  private get aheadBytes(): number {
    return Math.min(AHEAD_BYTES, this.limitBytes / 2);
  }

  /** True while the reader has not got all of it. */
  get busy(): boolean {
    return this.writing;
  }

  /** The number of the write that is under way; undefined when none is. */
  get underWay(): number | undefined {
    return this.writing ? this.writes : undefined;
  }

  push(chunk: Chunk, bytes: number): void {
    if (!this.writing) return this.begin(chunk, bytes);
    const isBehind = this.waitingBytes >= this.aheadBytes;
    this.waiting.push(chunk);
    this.sizes.push(bytes);
    this.waitingBytes += bytes;
    if (isBehind && this.waitingBytes > this.limitBytes) this.outlet.overflow();
  }

  /** The same of something in pieces, each at most {@link HANDED_AT_ONCE}; to be called when all has left, see {@link drained}. */
  pushPieces(pieces: Iterator<Buffer, void, undefined>): void {
    if (this.writing) throw new Error('something else is under way to the reader');
    this.pieces = pieces;
    this.next();
  }

  /**
   * When the next chunk may come: undefined, at once, for a reader that keeps up, else when it has caught
   * up or after a short pause.
   */
  ready(): Promise<void> | undefined {
    if (!this.writing || this.outlet.closed()) return undefined;
    if (this.waitingBytes < this.aheadBytes) return undefined;
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.wake?.(), CATCH_UP_MS);
      this.wake = (): void => {
        this.wake = undefined;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves when all has left, or nothing is to be written any more. */
  async drained(): Promise<void> {
    while (this.writing && !this.outlet.closed()) {
      await new Promise<void>((resolve) => {
        this.wake = (): void => {
          this.wake = undefined;
          resolve();
        };
      });
    }
  }

  /** Takes out what has not been handed over. */
  take(): Unwritten<Chunk> {
    const { pieces, waiting: chunks } = this;
    this.pieces = undefined;
    this.waiting = [];
    this.sizes = [];
    this.waitingBytes = 0;
    return { pieces: { [Symbol.iterator]: () => pieces ?? [].values() }, chunks };
  }

  /** Lets go who waits in {@link ready} or {@link drained}: the stream is over. */
  release(): void {
    this.wake?.();
  }

  private begin(chunk: Chunk, bytes: number): void {
    this.pieces = bytes > HANDED_AT_ONCE ? this.outlet.piecesOf(chunk) : undefined;
    if (this.pieces === undefined) this.write([chunk]);
    else this.next();
  }

  private write(chunks: readonly Chunk[]): void {
    this.writing = true;
    this.outlet.write(chunks, this.left);
  }

  private readonly left = (): void => {
    this.writes += 1;
    this.writing = false;
    if (this.outlet.closed()) this.wake?.();
    else this.next();
  };

  /** Hands over the next piece, or what waits. */
  private next(): void {
    const piece = this.pieces?.next();
    if (piece?.done === false) {
      this.writing = true;
      this.outlet.writePiece(piece.value, this.left);
      return;
    }
    this.pieces = undefined;
    const [bytes] = this.sizes;
    if (bytes === undefined) return this.wake?.();
    if (bytes > HANDED_AT_ONCE) this.begin(this.takeOut(1)[0]!, bytes);
    else this.write(this.takeOut(this.fitting()));
  }

  /** How many of those that wait are written at once. */
  private fitting(): number {
    if (this.waitingBytes <= HANDED_AT_ONCE) return this.waiting.length;
    let [bytes, count] = [0, 0];
    while (bytes + this.sizes[count]! <= HANDED_AT_ONCE) bytes += this.sizes[count++]!;
    return count;
  }

  private takeOut(count: number): Chunk[] {
    for (const bytes of this.sizes.splice(0, count)) this.waitingBytes -= bytes;
    return this.waiting.splice(0, count);
  }
}
