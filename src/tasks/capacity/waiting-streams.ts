/** Of the delegations that may run at once, so many more may keep a stream while they wait for their clients. */
const SHARE = 1 / 8;

/** A stream that an agent keeps open, and how to do without it. */
interface WaitingStream {
  readonly agentId: string;
  readonly end: () => void;
}

/**
 * The streams that agents keep open while their delegations wait for clients. Such a delegation holds no permit, and
 * there may be very many: beyond the limit a stream ends, the oldest of the agent that has most of them, and its task
 * is polled.
 */
export class WaitingStreams {
  private readonly byAgent = new Map<string, Set<WaitingStream>>();
  private count = 0;
  private readonly max: number;

  /** `runs`: how many delegations may run at once. */
  constructor(runs: number) {
    this.max = Math.ceil(runs * SHARE);
  }

  /** Counts one until what is returned is called. `end` is called, once and not at once, when it has to make room. */
  add(agentId: string, end: () => void): () => void {
    const stream = { agentId, end };
    const streams = this.byAgent.get(agentId) ?? new Set();
    this.byAgent.set(agentId, streams.add(stream));
    this.count++;
    if (this.count > this.max) this.endOne();
    return () => this.remove(stream);
  }

  private endOne(): void {
    let most: Set<WaitingStream> = new Set();
    for (const streams of this.byAgent.values()) if (streams.size > most.size) most = streams;
    for (const oldest of most) {
      this.remove(oldest);
      return queueMicrotask(oldest.end);
    }
  }

  private remove(stream: WaitingStream): void {
    const streams = this.byAgent.get(stream.agentId);
    if (!streams?.delete(stream)) return;
    this.count--;
    if (streams.size === 0) this.byAgent.delete(stream.agentId);
  }
}

/** The open stream of one run, counted while its delegation waits for its client. */
export class OpenStream {
  private leave: (() => void) | undefined;
  private isClosed = false;

  constructor(
    private readonly all: WaitingStreams,
    private readonly agentId: string,
    private readonly end: () => void,
  ) {}

  adapt(waits: boolean): void {
    if (this.isClosed) return;
    if (waits) {
      this.leave ??= this.all.add(this.agentId, this.end);
    } else {
      this.leave?.();
      this.leave = undefined;
    }
  }

  close(): void {
    this.isClosed = true;
    this.leave?.();
  }
}
