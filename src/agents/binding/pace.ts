/**
 * Lets one thing through at a time, when the one before is done with: the streams of gRPC's library take 16
 * messages ahead of their reader.
 */
export class Pace {
  private isFree = true;
  private hasEnded = false;
  private waiting: (() => void) | undefined;

  /** Calls it as soon as the one before is done with. */
  take(then: () => void): void {
    this.waiting = then;
    if (this.isFree || this.hasEnded) this.next();
  }

  /** What was let through is done with. */
  next(): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.isFree = waiting === undefined;
    waiting?.();
  }

  /** Reading has ended: nothing is held back any more. */
  end(): void {
    this.hasEnded = true;
    this.next();
  }
}
