import { Button } from '../../../ui/button';
import { Field, Select, TextInput } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { EMPTY_ROW, type HeaderRow } from './header-rows';

const KINDS = [
  { value: 'value', label: 'Value' },
  { value: 'reference', label: 'Reference' },
];

/** Headers with their values, or references to secrets that are kept elsewhere. */
export function HeaderEditor({
  rows,
  onChange,
  error,
}: {
  readonly rows: readonly HeaderRow[];
  readonly onChange: (rows: readonly HeaderRow[]) => void;
  readonly error?: string | undefined;
}) {
  const set = (index: number, part: Partial<HeaderRow>) =>
    onChange(rows.map((row, each) => (each === index ? { ...row, ...part } : row)));
  return (
    <div className="agents-headers">
      {rows.map((row, index) => (
        <div className="agents-header" key={index} role="group" aria-label={`Header ${index + 1}`}>
          <Field label="Header">
            <TextInput
              placeholder="authorization"
              value={row.name}
              onChange={({ target }) => set(index, { name: target.value })}
            />
          </Field>
          <Field label="Kept">
            <Select
              options={KINDS}
              value={row.kind}
              onChange={({ target }) => set(index, { kind: target.value as HeaderRow['kind'] })}
            />
          </Field>
          {row.kind === 'reference' && (
            <Field label="Before it">
              <TextInput
                placeholder="Bearer "
                value={row.prefix}
                onChange={({ target }) => set(index, { prefix: target.value })}
              />
            </Field>
          )}
          <Field label={row.kind === 'value' ? 'Value' : 'Where it is'}>
            <TextInput
              type={row.kind === 'value' ? 'password' : 'text'}
              autoComplete="off"
              placeholder={placeholderOf(row)}
              value={row.value}
              onChange={({ target }) => set(index, { value: target.value })}
            />
          </Field>
          <Button
            kind="quiet"
            aria-label={`Take header ${index + 1} away`}
            icon={<Icon name="close" />}
            onClick={() => onChange(rows.filter((_row, each) => each !== index))}
          />
        </div>
      ))}
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button small icon={<Icon name="plus" />} onClick={() => onChange([...rows, EMPTY_ROW])}>
          Add a header
        </Button>
      </div>
    </div>
  );
}

function placeholderOf({ kind, name }: HeaderRow): string {
  if (kind === 'reference') return 'vault:agents/books#key';
  return ['', 'authorization'].includes(name.toLowerCase()) ? 'Bearer …' : '';
}
