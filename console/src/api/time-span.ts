/** A span of time as it stands in an address: one of the names, or two times. */
export interface TimeRange {
  readonly range?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Times of ISO 8601: what is not before `since` and is before `until`; absent: at any time. */
export interface Span {
  readonly since?: string;
  readonly until?: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const NAMED = {
  '15m': lately(15 * MINUTE_MS),
  '1h': lately(HOUR_MS),
  '6h': lately(6 * HOUR_MS),
  '24h': lately(24 * HOUR_MS),
  night: lastNight,
  '7d': lately(7 * 24 * HOUR_MS),
  '30d': lately(30 * 24 * HOUR_MS),
} satisfies Record<string, (now: Date) => Span>;

export type RangeName = keyof typeof NAMED;

/** The name that a range has, if it is one of those. */
export function nameOfRange({ range }: TimeRange): RangeName | undefined {
  return range !== undefined && Object.hasOwn(NAMED, range) ? (range as RangeName) : undefined;
}

/** The times that a range means now, to the minute: who asks with it in the same minute asks for the same. */
export function spanOf(range: TimeRange): Span {
  const name = nameOfRange(range);
  if (name === undefined) return { since: timeOf(range.since), until: timeOf(range.until) };
  return NAMED[name](new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS));
}

function lately(ms: number): (now: Date) => Span {
  return (now) => ({ since: new Date(now.getTime() - ms).toISOString() });
}

/** From six in the evening until eight in the morning, or until now. */
function lastNight(now: Date): Span {
  const end = new Date(now);
  end.setHours(8, 0, 0, 0);
  const begin = new Date(now);
  begin.setHours(18, 0, 0, 0);
  begin.setDate(begin.getDate() - 1);
  return {
    since: begin.toISOString(),
    ...(end.getTime() <= now.getTime() && { until: end.toISOString() }),
  };
}

/** A time of an address, which anybody may have written; undefined when it is none. */
function timeOf(text: string | undefined): string | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
