import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const NO_FILE: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** Whether something failed for the hub's own lack of file descriptors; a proxy's error has it as its cause. */
export function hasNoFile(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return NO_FILE.has((error as { code?: unknown }).code) || hasNoFile(error.cause);
}

/** Whether this process can open another file descriptor now. */
export function hasFileLeft(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    return !hasNoFile(error);
  }
}
