import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useAgentNames } from './agent-names';
import { Suggest } from './suggest';

const AFTER_CLICK_MS = 200;

/** The id of an agent: those that there are are suggested by id and name, and a name that was typed becomes the id of its agent. */
export function AgentInput({
  value,
  onChange,
  ...props
}: {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
}) {
  const { suggestions, meantBy } = useAgentNames();
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

/** What to say of an agent that is named and not there; undefined: nothing. */
export function useMissingAgent(value: string | undefined): string | undefined {
  const { isMissing, meantBy } = useAgentNames();
  return value !== undefined && value !== '' && isMissing(meantBy(value))
    ? 'No agent has this id or name.'
    : undefined;
}
