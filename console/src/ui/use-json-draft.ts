import { useState } from 'react';

/** A JSON object that is edited as a text and by a form; both show the same. */
export interface JsonDraft<T extends object> {
  readonly text: string;
  /** The object; while the text is none, the last one that was. */
  readonly value: T;
  /** Why the text is no JSON object. */
  readonly fault: string | null;
  /** Whether it is another than at first. */
  readonly isTouched: boolean;
  readonly setText: (text: string) => void;
  readonly setValue: (value: T) => void;
  /** Begins anew with what is saved by now. */
  readonly begin: (saved: T) => void;
}

/** `written`: what it begins with where that is another than `initial`, as if it had been typed already. */
export function useJsonDraft<T extends object>(initial: T, written = initial): JsonDraft<T> {
  const [first, setFirst] = useState(() => draftOf(initial));
  const [draft, setDraft] = useState(() => draftOf(written));
  return {
    ...draft,
    isTouched: draft.text !== first.text,
    setText: (text) => setDraft((before) => read(text, before.value)),
    setValue: (value) => setDraft(draftOf(value)),
    begin: (saved) => {
      setFirst(draftOf(saved));
      setDraft(draftOf(saved));
    },
  };
}

function draftOf<T extends object>(value: T) {
  return { value, text: JSON.stringify(value, null, 2), fault: null as string | null };
}

function read<T extends object>(text: string, last: T) {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { text, value: last, fault: 'must be an object: { … }' };
    }
    return { text, value: value as T, fault: null };
  } catch (thrown) {
    return { text, value: last, fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
