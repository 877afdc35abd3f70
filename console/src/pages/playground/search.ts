/** How one waits for what comes of a message. */
export const MODES = [
  { value: 'stream', label: 'Stream every event' },
  { value: 'wait', label: 'Wait for the result' },
  { value: 'return', label: 'Only begin it' },
] as const;

export type Mode = (typeof MODES)[number]['value'];

/** To whom one writes, and how; at most one of the first three. */
export interface PlaygroundSearch {
  readonly agent?: string;
  readonly skill?: string;
  /** With commas between them. */
  readonly tags?: string;
  readonly mode?: Mode;
}

export function isMode(value: unknown): value is Mode {
  return MODES.some((each) => each.value === value);
}
