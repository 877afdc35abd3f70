import { useEffect, useRef, useState } from 'react';
import { Field } from './field';
import { Suggest, type Suggestion } from './suggest';

const PAUSE_MS = 400;

/** A filter that is typed: it counts when one stops typing. */
export function FilterInput({
  label,
  value,
  onChange,
  placeholder,
  suggestions = [],
  meantBy = asTyped,
  onType,
  warning,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
  readonly suggestions?: readonly (string | Suggestion)[] | undefined;
  /** The value that is meant by a text, which stays as it was typed. */
  readonly meantBy?: (typed: string) => string;
  /** Called at once with what is typed. */
  readonly onType?: (text: string) => void;
  readonly warning?: string | undefined;
}) {
  const given = value ?? '';
  const [typed, setTyped] = useState(given);
  const [last, setLast] = useState(given);
  if (last !== given) {
    setLast(given);
    if (meantBy(typed.trim()) !== given) setTyped(given);
  }
  const meant = meantBy(typed.trim());
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  });
  useEffect(() => {
    if (meant === given) return;
    const timer = setTimeout(() => report.current(meant || undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, meant, given]);
  return (
    <Field label={label} warning={warning}>
      <Suggest
        type="search"
        values={suggestions}
        value={typed}
        placeholder={placeholder}
        onChange={({ target }) => {
          setTyped(target.value);
          onType?.(target.value);
        }}
      />
    </Field>
  );
}

function asTyped(text: string): string {
  return text;
}
