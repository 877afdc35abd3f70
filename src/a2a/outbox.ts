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
  /** Called when the reader is too far behind: it is to be dropped. */
  overflow(): void;
}

/**
 * What waits for the reader of a stream. One write is under way at a time; what comes meanwhile waits
 * here, up to a limit. Memory of a reader is bounded by that limit, what is under way and one chunk.
 */
export class Outbox<Chunk> {
  private waiting: Chunk[] = [];
  private waitingBytes = 0;
  private writing = false;
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

  push(chunk: Chunk, bytes: number): void {
    if (!this.writing) return this.flush([chunk]);
    const isBehind = this.waitingBytes >= this.aheadBytes;
    this.waiting.push(chunk);
    this.waitingBytes += bytes;
    if (isBehind && this.waitingBytes > this.limitBytes) this.outlet.overflow();
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

  /** Takes out what waits. */
  take(): Chunk[] {
    const taken = this.waiting;
    this.waiting = [];
    this.waitingBytes = 0;
    return taken;
  }

  /** Lets go who waits in {@link ready}: the stream is over. */
  release(): void {
    this.wake?.();
  }

  private flush(chunks: readonly Chunk[]): void {
    this.writing = true;
    this.outlet.write(chunks, () => {
      this.writing = false;
      if (this.waiting.length > 0 && !this.outlet.closed()) this.flush(this.take());
      else this.wake?.();
    });
  }
}
