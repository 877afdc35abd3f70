import { type FormEvent, useCallback, useRef, useState } from 'react';
import { asProblem, type FieldViolation } from '../api/problem';

/** Saves what a form holds, once at a time, and keeps what the hub has against it. */
export function useSave(save: () => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const saving = useRef(false);
  const run = async () => {
    setBusy(true);
    setError(null);
    saving.current = true;
    try {
      await save();
    } catch (thrown) {
      saving.current = false;
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  /** Whether the page may be left without a question: what it holds is saved. */
  const mayLeave = useCallback(() => saving.current, []);
  return {
    busy,
    error,
    run: () => void run(),
    submit: (event: FormEvent) => {
      event.preventDefault();
      void run();
    },
    /** Forgets what was wrong. */
    clear: () => setError(null),
    mayLeave,
  };
}

/** What is wrong by a check, and what the hub has refused beyond it. */
export function problemsOf(
  checked: readonly FieldViolation[],
  error: unknown,
): readonly FieldViolation[] {
  if (error === null) return checked;
  const known = new Set(checked.map(({ field }) => field));
  return [...checked, ...asProblem(error).violations.filter(({ field }) => !known.has(field))];
}
