import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Suggest, type Suggestion } from './suggest';

const AFTER_CLICK_MS = 200;

export interface NamedInputProps {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
}

/** The id of something that may be typed by its name, too: that becomes the id when one leaves the input. */
export function NamedInput({
  value,
  onChange,
  meantBy,
  suggestions,
  ...props
}: NamedInputProps & {
  /** The id that is meant by a text, which is the text itself where none is. */
  readonly meantBy: (typed: string) => string;
  readonly suggestions: readonly Suggestion[];
}) {
  // Not while one types: a name may be the beginning of another.
  const settle = () => {
    const meant = meantBy(value);
    if (meant !== value) onChange(meant);
  };
  const latest = useRef(settle);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = settle;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Suggest
      {...props}
      values={suggestions}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      // A click that takes the focus away comes first: nothing moves under it.
      onBlur={() => {
        timer.current = setTimeout(() => latest.current(), AFTER_CLICK_MS);
      }}
      onKeyDown={({ key }: KeyboardEvent) => {
        if (key === 'Enter') settle();
      }}
    />
  );
}
