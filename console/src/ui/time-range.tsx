import { useSyncExternalStore } from 'react';
import { Field, Select } from './field';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOOK_MS = 5_000;

/** A span of time as it stands in an address: one of these names, or two times. */
export interface TimeRange {
  readonly range?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface Span {
  readonly since?: string;
  readonly until?: string;
}

const NAMED: Readonly<
  Record<string, { readonly label: string; readonly of: (now: Date) => Span }>
> = {
  '15m': { label: 'Last 15 minutes', of: (now) => ({ since: before(now, 15 * MINUTE_MS) }) },
  '1h': { label: 'Last hour', of: (now) => ({ since: before(now, HOUR_MS) }) },
  '6h': { label: 'Last 6 hours', of: (now) => ({ since: before(now, 6 * HOUR_MS) }) },
  '24h': { label: 'Last 24 hours', of: (now) => ({ since: before(now, 24 * HOUR_MS) }) },
  night: { label: 'Last night (18:00–08:00)', of: lastNight },
  '7d': { label: 'Last 7 days', of: (now) => ({ since: before(now, 7 * 24 * HOUR_MS) }) },
  '30d': { label: 'Last 30 days', of: (now) => ({ since: before(now, 30 * 24 * HOUR_MS) }) },
};
const CUSTOM = 'custom';

function before(now: Date, ms: number): string {
  return new Date(now.getTime() - ms).toISOString();
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

/** The times that a range means now, to the minute: lists are read anew by other times, not by those of each rendering. */
export function useSpan({ range, since, until }: TimeRange): Span {
  const minute = useSyncExternalStore(oftenInAMinute, minuteNow);
  const named = range === undefined ? undefined : NAMED[range];
  return named
    ? named.of(new Date(minute * MINUTE_MS))
    : { since: timeOf(since), until: timeOf(until) };
}

function minuteNow(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}

function oftenInAMinute(look: () => void): () => void {
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

/** A time of an address, which anybody may have written; undefined when it is none. */
function timeOf(text: string | undefined): string | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Which of the names a range has, in words: `last night`. */
export function rangeText({ range, since, until }: TimeRange): string {
  const named = range === undefined ? undefined : NAMED[range];
  if (named) return named.label.toLowerCase();
  if (!since && !until) return 'at any time';
  const text = (at: string) => new Date(at).toLocaleString();
  return [since && `from ${text(since)}`, until && `until ${text(until)}`]
    .filter(Boolean)
    .join(' ');
}

/** Chooses a span of time: one that has a name, or one by its begin and end. */
export function TimeRangeField({
  label = 'Time',
  value,
  onChange,
}: {
  readonly label?: string;
  readonly value: TimeRange;
  readonly onChange: (value: {
    range: string | undefined;
    since: string | undefined;
    until: string | undefined;
  }) => void;
}) {
  const { range, since, until } = value;
  const isCustom = range === CUSTOM || (range === undefined && Boolean(since ?? until));
  const shown = isCustom ? CUSTOM : (range ?? '');
  const options = [
    { value: '', label: 'Any time' },
    ...Object.entries(NAMED).map(([name, { label: text }]) => ({ value: name, label: text })),
    { value: CUSTOM, label: 'From … until …' },
  ];
  return (
    <>
      <Field label={label}>
        <Select
          options={options}
          value={shown}
          onChange={(event) =>
            onChange({ range: event.target.value || undefined, since: undefined, until: undefined })
          }
        />
      </Field>
      {isCustom && (
        <>
          <TimeField
            label="From"
            at={since}
            onChange={(at) => onChange({ range: CUSTOM, since: at, until })}
          />
          <TimeField
            label="Until"
            at={until}
            error={
              since && until && Date.parse(until) <= Date.parse(since)
                ? 'This is not later than “From”: nothing can be between them.'
                : undefined
            }
            onChange={(at) => onChange({ range: CUSTOM, since, until: at })}
          />
        </>
      )}
    </>
  );
}

function TimeField({
  label,
  at,
  error,
  onChange,
}: {
  readonly label: string;
  readonly at: string | undefined;
  readonly error?: string | undefined;
  readonly onChange: (at: string | undefined) => void;
}) {
  return (
    <Field label={label} error={error}>
      <input
        className="input"
        type="datetime-local"
        value={at ? localText(at) : ''}
        onChange={({ target }) =>
          onChange(target.value ? new Date(target.value).toISOString() : undefined)
        }
      />
    </Field>
  );
}

/** A time as `datetime-local` inputs have it: in the time zone of the browser, to the minute. */
export function localText(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
