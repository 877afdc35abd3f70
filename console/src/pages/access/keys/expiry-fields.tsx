import { Field, Select } from '../../../ui/field';
import { localText } from '../../../ui/time-range';

const DAY_MS = 86_400_000;

/** When a key ends: after some days, never, or at a time. */
export interface Expiry {
  readonly kind: string;
  readonly at: string;
}

const OPTIONS = [
  { value: '1', label: 'After a day' },
  { value: '7', label: 'After 7 days' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
  { value: 'at', label: 'At a time …' },
  { value: 'never', label: 'Never: until it is revoked' },
];

/** The time of an end, counted from now; undefined for never. */
export function expiryOf({ kind, at }: Expiry): string | undefined {
  if (kind === 'never') return undefined;
  if (kind === 'at') return at;
  return new Date(Date.now() + Number(kind) * DAY_MS).toISOString();
}

export function ExpiryFields({
  value,
  onChange,
  error,
}: {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
  readonly error: string | undefined;
}) {
  return (
    <>
      <Field label="Ends" error={error}>
        <Select
          value={value.kind}
          onChange={(event) => onChange({ ...value, kind: event.target.value })}
          options={OPTIONS}
        />
      </Field>
      {value.kind === 'at' && (
        <Field label="Ends at">
          <input
            className="input"
            type="datetime-local"
            required
            value={value.at === '' ? '' : localText(value.at)}
            onChange={({ target }) =>
              onChange({
                kind: 'at',
                at: target.value === '' ? '' : new Date(target.value).toISOString(),
              })
            }
          />
        </Field>
      )}
    </>
  );
}
