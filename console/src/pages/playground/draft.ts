/** A message that is being written. */
export interface PlaygroundDraft {
  readonly text: string;
  /** JSON, as it was typed. */
  readonly data: string;
  /** JSON, as it was typed. */
  readonly metadata: string;
  /** Media types that are accepted. */
  readonly modes: readonly string[];
  readonly files: readonly File[];
}

export const EMPTY_DRAFT: PlaygroundDraft = {
  text: '',
  data: '',
  metadata: '',
  modes: [],
  files: [],
};

/** Whether nothing of a message is written that would be sent. */
export function isUnwritten({ text, data, files }: PlaygroundDraft): boolean {
  return text === '' && data === '' && files.length === 0;
}

const NO_JSON = { value: undefined, fault: null } as const;

/** What a text says as JSON; nothing when it is empty. */
export function jsonOf(text: string, isObject = false): { value: unknown; fault: string | null } {
  if (text.trim() === '') return NO_JSON;
  try {
    const value: unknown = JSON.parse(text);
    const fits =
      !isObject || (typeof value === 'object' && value !== null && !Array.isArray(value));
    return fits ? { value, fault: null } : { value: undefined, fault: 'must be an object: { … }' };
  } catch (thrown) {
    return { value: undefined, fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
