/** How values spread, counted in buckets: what a histogram of Prometheus is made of. */
export class Spread {
  private readonly counts: number[];
  private total = 0;
  private added = 0;

  /** `bounds`: the upper ends of the buckets, ascending; values above the last one are counted as well. */
  constructor(readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.total += 1;
    this.added += value;
    const { bounds } = this;
    for (let i = 0; i < bounds.length; i++) {
      if (value > bounds[i]!) continue;
      this.counts[i]! += 1;
      return;
    }
  }

  /** Adds what another one of the same bounds has counted. */
  add(other: Spread): void {
    this.total += other.total;
    this.added += other.added;
    other.counts.forEach((count, i) => (this.counts[i]! += count));
  }

  get count(): number {
    return this.total;
  }

  get sum(): number {
    return this.added;
  }

  /** How many values each bucket holds with those below it. */
  cumulative(): number[] {
    let sum = 0;
    return this.counts.map((count) => (sum += count));
  }
}
