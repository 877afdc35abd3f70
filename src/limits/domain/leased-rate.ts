import { MOST_AHEAD } from './rate.js';

/** The lease of a process is at least this part of the limit, so that a slow caller costs one take a second. */
const SMALLEST_LEASE = 16;

/** What one process lets through of one rate, second by second: the points that it has taken, and how many it spends. */
export class LeasedRate {
  private second = -1;
  /** Taken and not spent yet, by second. */
  private readonly points = new Map<number, number>();
  /** Seconds of which the database gave nothing more. */
  private readonly usedUp = new Set<number>();
  private beganAheadIn = -1;
  private spentNow = 0;
  private wantedNow = 0;

  /** `key` names it in the database. */
  constructor(
    readonly key: string,
    public max: number,
  ) {}

  /** To be told of the present second before anything else is asked. */
  turnTo(second: number): void {
    if (second === this.second) return;
    this.second = second;
    this.spentNow = 0;
    this.wantedNow = 0;
    // What is further ahead was taken before a clock was set back.
    const isOver = (each: number): boolean => each < second || each > second + MOST_AHEAD;
    for (const each of this.points.keys()) if (isOver(each)) this.points.delete(each);
    for (const each of this.usedUp) if (isOver(each)) this.usedUp.delete(each);
  }

  /** Points for this second that were taken and are not spent. */
  get left(): number {
    return this.points.get(this.second) ?? 0;
  }

  /** How many were let through in this second. */
  get spent(): number {
    return this.spentNow;
  }

  /** The database has no points left for this second. */
  get isUsedUp(): boolean {
    return this.usedUp.has(this.second);
  }

  /** So many it should take at once: as many as are known to be wanted in this second. */
  get need(): number {
    return Math.max(this.wantedNow, Math.ceil(this.max / SMALLEST_LEASE));
  }

  /** Few points are left beside what is spent: more are taken before the last is gone. */
  get isLow(): boolean {
    return !this.isUsedUp && this.left * 4 <= this.spentNow;
  }

  /** True once in each second: points for the next one are to be taken. */
  beginsAhead(): boolean {
    const isFirst = this.beganAheadIn !== this.second;
    this.beganAheadIn = this.second;
    return isFirst;
  }

  want(): void {
    this.wantedNow += 1;
  }

  /** Lets one through; what it gives takes that back, as long as its second lasts. */
  spend(): () => void {
    const { second, left } = this;
    this.spentNow += 1;
    if (left > 0) this.points.set(second, left - 1);
    return () => {
      if (second !== this.second) return;
      this.spentNow -= 1;
      if (left > 0) this.points.set(second, this.left + 1);
    };
  }

  /** Points that were taken for this second, or ahead for it; none: it is used up. */
  take(second: number, points: number, isAhead: boolean): void {
    if (points > 0) {
      this.points.set(second, (this.points.get(second) ?? 0) + points);
      return;
    }
    this.usedUp.add(second);
    // The database may give points of a later second than the one that is known here, and has none for this one then.
    if (!isAhead && second > this.second) this.usedUp.add(this.second);
  }
}
