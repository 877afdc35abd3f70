import { longTurn } from '../../src/common/long-work.js';

/** Keeps many turns of long work waiting before any that is requested now, until it is stopped. */
export class BusyTurns {
  private ran = 0;
  private isOver = false;

  constructor(private readonly waiting = 3000) {
    for (let n = 0; n < waiting; n += 1) void this.wait();
  }

  stop(): void {
    this.isOver = true;
  }

  /** How often something has waited behind all the others. */
  async waitsOf(work: () => Promise<unknown>): Promise<number> {
    const before = this.ran;
    await work();
    return Math.floor((this.ran - before) / this.waiting);
  }

  private async wait(): Promise<void> {
    while (!this.isOver) {
      await longTurn();
      this.ran += 1;
    }
  }
}
