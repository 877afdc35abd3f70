import { type InputHTMLAttributes, useId } from 'react';
import { TextInput } from './field';

/** A text input that suggests values; others may be typed as well. */
export function Suggest({
  values,
  ...props
}: InputHTMLAttributes<HTMLInputElement> & { readonly values: readonly string[] }) {
  const list = useId();
  return (
    <>
      <TextInput {...props} list={list} />
      <datalist id={list}>
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}
