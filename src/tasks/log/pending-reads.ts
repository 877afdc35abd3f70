/** Readers of one task that wait until no append of it is under way. */
export class PendingReads {
  private readers: (() => void)[] = [];

  /** What `look` gives at the next {@link answer}. */
  wait<T>(look: () => T): Promise<T> {
    return new Promise((resolve) => this.readers.push(() => resolve(look())));
  }

  answer(): void {
    for (const reader of this.readers.splice(0)) reader();
  }
}
