const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5,
  36e5, 72e5, 108e5, 216e5, 432e5, 864e5,
];
const DAY_MS = 864e5;
const MOST_MARKS = 6;

export interface TimeAxis {
  readonly from: number;
  readonly to: number;
  /** Distances from the begin that are labelled, in milliseconds. */
  readonly marks: readonly number[];
}

/** An axis that holds both times, with a few marks at round distances. */
export function axisOf(from: number, to: number): TimeAxis {
  const length = Math.max(10, to - from) * 1.02;
  const step =
    STEPS_MS.find((each) => length / each <= MOST_MARKS) ??
    Math.ceil(length / MOST_MARKS / DAY_MS) * DAY_MS;
  const marks: number[] = [];
  for (let at = 0; at <= length; at += step) marks.push(at);
  return { from, to: from + length, marks };
}

/** Where a time is on the axis, from 0 to 100. */
export function placeOf(at: number, { from, to }: TimeAxis): number {
  return Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));
}

/** A round distance: `0`, `200 ms`, `5 s`, `2 min`, `3 h`. */
export function markText(ms: number): string {
  if (ms === 0) return '0';
  if (ms < 1e3) return `${ms} ms`;
  if (ms < 6e4) return `${ms / 1e3} s`;
  if (ms < 36e5) return `${ms / 6e4} min`;
  return ms < DAY_MS ? `${ms / 36e5} h` : `${ms / DAY_MS} d`;
}
