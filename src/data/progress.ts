import type { DataProgress } from './data-job.js';

/** How far a job is, by kind. */
export class Progress {
  private readonly kinds: Map<string, { counted: number; done: number }>;

  constructor(begun: DataProgress = {}) {
    this.kinds = new Map(Object.entries(begun).map(([kind, each]) => [kind, { ...each }]));
  }

  get value(): DataProgress {
    return Object.fromEntries(this.kinds);
  }

  counted(kind: string, count: number): void {
    this.of(kind).counted = count;
  }

  /** There are so many now: of those that were counted before, the others are gone, also where that could not be noted. */
  found(kind: string, count: number): void {
    const each = this.kinds.get(kind);
    if (each === undefined) return this.counted(kind, count);
    each.done = Math.max(each.done, each.counted - count);
  }

  done(kind: string, count: number): void {
    const each = this.of(kind);
    each.done += count;
    each.counted = Math.max(each.counted, each.done);
  }

  private of(kind: string): { counted: number; done: number } {
    let each = this.kinds.get(kind);
    if (each === undefined) this.kinds.set(kind, (each = { counted: 0, done: 0 }));
    return each;
  }
}
