/** How far apart two looks are at least. */
const LOOK_MS = 1000;

/** The counters of the event loop, and the time, in milliseconds. */
export interface LoopTimes {
  readonly now: number;
  /** In which it worked, since the process began. */
  readonly active: number;
}

function loopTimes(): LoopTimes {
  return { now: performance.now(), active: performance.eventLoopUtilization().active };
}

/** How busy the event loop of this process is. */
export class LoopLoad {
  private last: LoopTimes;
  private share = 0;

  constructor(private readonly times: () => LoopTimes = loopTimes) {
    this.last = times();
  }

  /** The share of the last second in which it worked, or of the time since this was asked for last, if that is longer; 0 to 1. */
  get load(): number {
    const { last } = this;
    const next = this.times();
    const since = next.now - last.now;
    if (since >= LOOK_MS) {
      this.share = Math.min(1, (next.active - last.active) / since);
      this.last = next;
    }
    return this.share;
  }
}
