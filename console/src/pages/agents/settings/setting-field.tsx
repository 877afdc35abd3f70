import type { FieldViolation } from '../../../api/problem';
import { Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import type { Setting } from './setting-groups';

export function SettingField({
  setting: { label, hint, field, kind },
  value,
  violations,
  onChange,
}: {
  readonly setting: Setting;
  readonly value: string;
  readonly violations: readonly FieldViolation[];
  readonly onChange: (text: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={violationOf(violations, field)}>
      {typeof kind !== 'string' ? (
        <Select options={kind} value={value} onChange={({ target }) => onChange(target.value)} />
      ) : kind === 'json' ? (
        <TextArea value={value} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <TextInput
          value={value}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
