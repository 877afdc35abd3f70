import { type InputHTMLAttributes, useId, useState } from 'react';
import { TextInput } from '../../../ui/field';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> & {
  readonly value: string | undefined;
  readonly onCommit: (value: string | undefined) => void;
  readonly suggestions?: readonly string[] | undefined;
};

/** An input that counts once it is left or Enter is pressed: what it is a filter of is asked for then. */
export function CommittedInput({ value = '', onCommit, suggestions, ...others }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const list = useId();
  const commit = (text: string) => {
    setDraft(null);
    if (text.trim() !== value) onCommit(text.trim() || undefined);
  };
  return (
    <>
      <TextInput
        {...others}
        value={draft ?? value}
        {...(suggestions && { list })}
        onChange={({ target, nativeEvent }) => {
          // One of the suggestions was taken: nothing is typed after it.
          const isTaken = !('inputType' in nativeEvent) || !nativeEvent.inputType;
          if (isTaken && suggestions?.includes(target.value)) commit(target.value);
          else setDraft(target.value);
        }}
        onBlur={() => draft !== null && commit(draft)}
        onKeyDown={(event) => event.key === 'Enter' && draft !== null && commit(draft)}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}
