import { type InputHTMLAttributes, type Ref, useId } from 'react';
import { TextInput } from './field';

/** A value that is suggested, and what it stands for. */
export interface Suggestion {
  readonly value: string;
  readonly label?: string;
}

/** A text input that suggests values; others may be typed as well. */
export function Suggest({
  values,
  ...props
}: InputHTMLAttributes<HTMLInputElement> & {
  readonly values: readonly (string | Suggestion)[];
  readonly ref?: Ref<HTMLInputElement>;
}) {
  const list = useId();
  return (
    <>
      <TextInput {...props} list={list} />
      <datalist id={list}>
        {values
          .map((each): Suggestion => (typeof each === 'string' ? { value: each } : each))
          .map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
      </datalist>
    </>
  );
}
