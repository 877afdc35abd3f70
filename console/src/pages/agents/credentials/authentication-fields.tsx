import type { FieldViolation } from '../../../api/problem';
import { Checkbox, Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import {
  type AuthenticationField,
  AUTHENTICATIONS,
  type AuthenticationTexts,
  type AuthenticationType,
} from './authentication-form';

export type ChosenAuthentication = {
  readonly type: AuthenticationType | '';
  readonly texts: AuthenticationTexts;
};

export const NO_AUTHENTICATION: ChosenAuthentication = { type: '', texts: {} };

const TYPES = Object.entries(AUTHENTICATIONS).map(([value, { label }]) => ({ value, label }));

/** How the hub gets what proves its calls, with the fields of the type that is chosen. */
export function AuthenticationFields({
  chosen,
  onChange,
  violations,
  none = 'None: headers alone',
}: {
  readonly chosen: ChosenAuthentication;
  readonly onChange: (chosen: ChosenAuthentication) => void;
  readonly violations: readonly FieldViolation[];
  /** What it says while none is chosen. */
  readonly none?: string;
}) {
  const { type, texts } = chosen;
  return (
    <>
      <Field label="Authentication" error={exactViolation(violations)}>
        <Select
          options={[{ value: '', label: none }, ...TYPES]}
          value={type}
          onChange={({ target }) =>
            onChange({ type: target.value as ChosenAuthentication['type'], texts })
          }
        />
      </Field>
      {type !== '' && (
        <div className="agents-fields">
          {AUTHENTICATIONS[type].fields.map((field) => (
            <OneField
              key={field.name}
              field={field}
              value={texts[field.name] ?? ''}
              error={violationOf(violations, `authentication.${field.name}`)}
              onChange={(text) => onChange({ type, texts: { ...texts, [field.name]: text } })}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** What is wrong with the whole, not with one of its members. */
function exactViolation(violations: readonly FieldViolation[]): string | undefined {
  return violations.find(
    ({ field }) => field === 'authentication' || field === 'authentication.type',
  )?.description;
}

function OneField({
  field: { label, hint, kind },
  value,
  error,
  onChange,
}: {
  readonly field: AuthenticationField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  if (kind === 'flag') {
    return (
      <Checkbox
        label={label}
        checked={value === 'true'}
        onChange={({ target }) => onChange(target.checked ? 'true' : '')}
      />
    );
  }
  return (
    <Field label={label} hint={hint} error={error}>
      {kind === 'pem' ? (
        <TextArea value={value} onChange={({ target }) => onChange(target.value)} />
      ) : typeof kind !== 'string' ? (
        <Select
          options={[
            { value: '', label: 'As usual' },
            ...kind.map((each) => ({ value: each, label: each })),
          ]}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : (
        <TextInput
          type={kind === 'secret' ? 'password' : 'text'}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
