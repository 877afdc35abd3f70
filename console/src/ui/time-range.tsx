import { nameOfRange, type RangeName, type TimeRange } from '../api/time-span';
import { Field, Select } from './field';

const LABELS: Readonly<Record<RangeName, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  night: 'Last night (18:00–08:00)',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};
const CUSTOM = 'custom';

/** Which of the names a range has, in words: `last night`. */
export function rangeText(range: TimeRange): string {
  const name = nameOfRange(range);
  if (name !== undefined) return LABELS[name].toLowerCase();
  const { since, until } = range;
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
    ...Object.entries(LABELS).map(([name, text]) => ({ value: name, label: text })),
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
