import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { idOfName, type Named, namesSeveral, severalCalled, suggestionsOf } from './id-of-name';
import { Suggest } from './suggest';

const AFTER_CLICK_MS = 200;

export interface NamedInputProps {
  readonly id?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
  /** The id of the form that it belongs to where it is not within it. */
  readonly form?: string;
  readonly 'aria-describedby'?: string;
}

/** The id of something that may be typed by its name, too: that becomes the id when one leaves the input, at the latest before its form is sent. */
export function NamedInput({
  value,
  onChange,
  kind,
  known,
  read,
  ...props
}: NamedInputProps & {
  /** What they are: `principals`. */
  readonly kind: string;
  /** Those that are suggested. */
  readonly known: readonly Named[];
  /** Reads those that may be called so. */
  readonly read: (typed: string) => Promise<readonly Named[]>;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [ambiguous, setAmbiguous] = useState<string | null>(null);
  const message = useId();
  const isAmbiguous = ambiguous === value && value !== '';
  // Not while one types: a name may be the beginning of another.
  const become = (among: readonly Named[]) => {
    const meant = idOfName(value, among);
    if (meant !== value) onChange(meant);
    if (namesSeveral(value, among)) setAmbiguous(value);
  };
  const latest = useRef(() => become(known));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = () => become(known);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const isId = value === '' || known.some(({ id }) => id === value);
  useSentOnceMeant(
    input,
    value,
    isId,
    async () => {
      const among = await read(value).catch(() => []);
      if (!namesSeveral(value, among)) return idOfName(value, among);
      setAmbiguous(value);
      input.current?.focus();
      return null;
    },
    onChange,
  );
  return (
    <>
      <Suggest
        {...props}
        ref={input}
        values={suggestionsOf(known)}
        value={value}
        {...(isAmbiguous && {
          'aria-invalid': true,
          'aria-describedby': [props['aria-describedby'], message].filter(Boolean).join(' '),
        })}
        onChange={({ target }) => onChange(target.value)}
        // A click that takes the focus away comes first: nothing moves under it.
        onBlur={() => {
          timer.current = setTimeout(() => latest.current(), AFTER_CLICK_MS);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter') return;
          become(known);
          if (props.form !== undefined) event.preventDefault();
        }}
      />
      {isAmbiguous && (
        <p className="field-error" id={message} role="alert">
          {severalCalled(value, kind)}
        </p>
      )}
    </>
  );
}

/**
 * Holds back the form of an input until it is known what its value means, and sends it once it has that value. `lookUp` gives what is
 * meant; null: it is not to be sent.
 */
function useSentOnceMeant(
  input: RefObject<HTMLInputElement | null>,
  value: string,
  isId: boolean,
  lookUp: () => Promise<string | null>,
  onChange: (value: string) => void,
): void {
  const [sendable, setSendable] = useState<{ readonly value: string } | null>(null);
  const current = useRef({ value, onChange });
  useEffect(() => {
    current.current = { value, onChange };
    const form = input.current?.form;
    const onSubmit = (event: SubmitEvent) => {
      if (isId) return;
      if (sendable?.value === value) return setSendable(null);
      event.preventDefault();
      event.stopImmediatePropagation();
      void lookUp().then((meant) => {
        // What was typed meanwhile is not sent unseen.
        const { value: now, onChange: change } = current.current;
        if (meant === null || (now !== value && now !== meant)) return;
        setSendable({ value: meant });
        if (now !== meant) change(meant);
      });
    };
    form?.addEventListener('submit', onSubmit);
    return () => form?.removeEventListener('submit', onSubmit);
  });
  useEffect(() => {
    if (sendable?.value !== value) return;
    // Not while the event is still dispatched by which it was held back: then the form takes no other.
    const timer = setTimeout(() => input.current?.form?.requestSubmit());
    return () => clearTimeout(timer);
  }, [sendable, value, input]);
}
