import type { ReserveBytes } from '../store/task-store.js';

/**
 * The large tasks that are being loaded: together no more than `limit` bytes of log are read at once, first come, first
 * served. One that is larger is loaded alone.
 */
export class LargeLoads {
  private taken = 0;
  private readonly waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(private readonly limit: number) {}

  /** What `load` gives; it calls what it is given before it reads what is large. */
  async during<T>(load: (begin: ReserveBytes) => Promise<T>): Promise<T> {
    let taken = 0;
    try {
      return await load(async (bytes) => {
        await this.begin(bytes);
        taken += bytes;
      });
    } finally {
      this.taken -= taken;
      if (taken > 0) this.wake();
    }
  }

  private async begin(bytes: number): Promise<void> {
    if (this.waiting.length > 0 || !this.fits(bytes)) {
      await new Promise<void>((go) => this.waiting.push({ bytes, go }));
    } else {
      this.taken += bytes;
    }
  }

  private wake(): void {
    for (let next = this.waiting[0]; next && this.fits(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.taken += next.bytes;
      next.go();
    }
  }

  private fits(bytes: number): boolean {
    return this.taken === 0 || this.taken + bytes <= this.limit;
  }
}
