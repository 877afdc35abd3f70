import { useRef, useState } from 'react';
import { asProblem } from '../api/problem';
import type { Saved, WaysOn } from './save-fault';
import { sortedJson } from './sorted-json';
import type { JsonDraft } from './use-json-draft';
import { useSave } from './use-save';

/** What a draft of something that is saved already was begun from. */
export interface Begun<T> {
  readonly from: Saved<T>;
  /** Reads what is saved by now. */
  readonly read: () => Promise<Saved<T>>;
  /** What becomes of a draft that is saved over another version than it was written from; none: it stays as it is. */
  readonly over?: (draft: T, saved: T, writtenFrom: T) => T;
}

/**
 * Saves a draft over the version that it was begun from and no other, with ways on when there is another by then. `save` gets
 * the version that it is saved over, and the one that what is in it was written from: they differ after such a way. What the
 * hub has refused of a draft is no longer said of another one.
 */
export function useVersionedSave<T extends object>(
  draft: JsonDraft<T>,
  begun: Begun<T> | undefined,
  save: (
    draft: T,
    over: Saved<T> | undefined,
    writtenFrom: Saved<T> | undefined,
  ) => Promise<unknown>,
) {
  const over = useRef(begun?.from);
  const writtenFrom = useRef(begun?.from);
  const [aside, setAside] = useState<{
    readonly text: string;
    readonly version: number;
    readonly writtenFrom: Saved<T> | undefined;
  } | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  const saving = useSave(() => {
    setSent(draft.text);
    return save(draft.value, over.current, writtenFrom.current);
  });
  const mineOver = (saved: Saved<T>): T =>
    begun?.over && writtenFrom.current
      ? begun.over(draft.value, saved.written, writtenFrom.current.written)
      : draft.value;
  const ways: WaysOn<T> | undefined = begun && {
    mineOver,
    read: begun.read,
    onLoad: (saved) => {
      // What is saved already needs no way back.
      const isSame = sortedJson(mineOver(saved)) === sortedJson(saved.written);
      const { text } = draft;
      setAside(isSame ? null : { text, version: saved.version, writtenFrom: writtenFrom.current });
      over.current = saved;
      writtenFrom.current = saved;
      draft.begin(saved.written);
      saving.clear();
    },
    onOverwrite: (saved) => {
      over.current = saved;
      saving.run();
    },
  };
  return {
    ...saving,
    error: sent !== draft.text && isOfContent(saving.error) ? null : saving.error,
    ways,
    /** What was written before a saved version took its place. */
    aside: aside && {
      version: aside.version,
      onRestore: () => {
        draft.setText(aside.text);
        writtenFrom.current = aside.writtenFrom;
        setAside(null);
      },
    },
  };
}

/** Whether what was written is refused, and not because of who saves, when, or over which version. */
function isOfContent(error: unknown): boolean {
  const { status, metadata } = asProblem(error);
  return [400, 409, 422].includes(status) && metadata['version'] === undefined;
}
