import type { FieldViolation } from '../../../api/problem';
import { Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import { betweenCommas } from '../../../ui/lists';
import { OrganizationsInput } from '../../../ui/organization-inputs';
import { useMissingOrganizations } from '../../../ui/organization-names';
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
  const missing = useMissingOrganizations(kind === 'organizations' ? betweenCommas(value) : []);
  return (
    <Field label={label} hint={hint} warning={missing} error={violationOf(violations, field)}>
      {typeof kind !== 'string' ? (
        <Select options={kind} value={value} onChange={({ target }) => onChange(target.value)} />
      ) : kind === 'json' ? (
        <TextArea value={value} onChange={({ target }) => onChange(target.value)} />
      ) : kind === 'organizations' ? (
        <OrganizationsInput value={value} onChange={onChange} />
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
