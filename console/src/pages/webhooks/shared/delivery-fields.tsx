import type { Schema } from '../../../api/client';
import type { FieldViolation } from '../../../api/problem';
import { Field, Select, TextInput, violationOf } from '../../../ui/field';

type Webhook = Schema<'WebhookDto'>;

interface Props<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly violations: readonly FieldViolation[];
}

/** Where webhooks are sent. */
export function AddressField({ value, onChange, violations }: Props<string>) {
  return (
    <Field label="Address" error={violationOf(violations, 'url')}>
      <TextInput
        required
        inputMode="url"
        placeholder="https://hooks.example/a2a"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** Which events are sent. */
export function EventsField({ value, onChange, violations }: Props<Webhook['events']>) {
  return (
    <Field label="Events" error={violationOf(violations, 'events')}>
      <Select
        value={value}
        onChange={(event) => onChange(event.target.value as Webhook['events'])}
        options={[
          { value: 'changes', label: 'Changes of state, whole artifacts' },
          { value: 'all', label: 'Every event of the stream' },
        ]}
      />
    </Field>
  );
}

/** In the form of which version of A2A. */
export function BodiesField({ value, onChange, violations }: Props<Webhook['version']>) {
  return (
    <Field label="Bodies" error={violationOf(violations, 'version')}>
      <Select
        value={value}
        onChange={(event) => onChange(event.target.value as Webhook['version'])}
        options={[
          { value: '1.0', label: 'A2A 1.0: each event' },
          { value: '0.3', label: 'A2A 0.3: the whole task' },
        ]}
      />
    </Field>
  );
}
