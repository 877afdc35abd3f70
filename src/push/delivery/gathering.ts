/** How long is waited for more. */
const MOMENT_MS = 5;
/** So many need not wait for more. */
const MANY = 32;

/** Lets many do at once what costs as much for all of them as for one: a commit. */
export class Gathering {
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** Resolves with all others that have joined: after a moment, or when there are many. */
  join(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length >= MANY) this.go();
      else this.timer ??= setTimeout(() => this.go(), MOMENT_MS);
    });
  }

  private go(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
