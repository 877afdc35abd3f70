import { type InputHTMLAttributes, useState } from 'react';
import { betweenCommas } from './lists';
import { Suggest } from './suggest';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'>;

/** Several values in one input, with commas between them. */
export function ListInput({
  values,
  onChange,
  suggestions = [],
  ...props
}: Props & {
  readonly values: readonly string[];
  readonly onChange: (values: string[]) => void;
  readonly suggestions?: readonly string[];
}) {
  const [typed, setTyped] = useState<string | null>(null);
  // What is typed stays as it is for as long as it means the same values.
  const shown = typed !== null && same(betweenCommas(typed), values) ? typed : values.join(', ');
  const begun = shown.slice(0, shown.lastIndexOf(',') + 1).trim();
  return (
    <Suggest
      {...props}
      value={shown}
      values={suggestions
        .filter((each) => !values.includes(each))
        .map((each) => (begun === '' ? each : `${begun} ${each}`))}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(betweenCommas(target.value));
      }}
    />
  );
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
