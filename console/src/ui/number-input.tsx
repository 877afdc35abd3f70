import type { InputHTMLAttributes } from 'react';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'type'>;

/** A number, or none. */
export function NumberInput({
  value,
  onChange,
  ...props
}: Props & {
  readonly value: number | null | undefined;
  readonly onChange: (value: number | undefined) => void;
}) {
  return (
    <input
      {...props}
      type="number"
      className="input"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
      // What is typed as 1e3 means 1000, and says so.
      onBlur={({ target }) => {
        if (target.value !== '') target.value = String(Number(target.value));
      }}
    />
  );
}
