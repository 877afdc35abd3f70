import { setImmediate as othersTurn } from 'node:timers/promises';

/** Work that is done before others have their turn. */
const SLICE_MS = 2;

/** Takes turns with other work: {@link next} is called between the pieces of what is done. */
export class Turns {
  private until = performance.now() + SLICE_MS;

  /** When the next piece may be begun; undefined when it may at once. */
  next(): Promise<void> | undefined {
    return performance.now() < this.until ? undefined : this.pass();
  }

  private async pass(): Promise<void> {
    await othersTurn();
    this.until = performance.now() + SLICE_MS;
  }
}
