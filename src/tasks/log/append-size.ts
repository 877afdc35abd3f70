import type { PreparedAppend } from '../store/task-store.js';
import { textOf } from './text-of-events.js';

/** Characters of an append from which it is long work: it is committed alone, and small ones do not wait for it. */
export const LARGE_APPEND = 256 * 1024;

/** Characters of the events and the checkpoint of an append. */
export function sizeOf({ events, checkpoint }: PreparedAppend): number {
  return textOf(events) + (checkpoint?.task.length ?? 0) + (checkpoint?.held?.length ?? 0);
}

export function isLarge(append: PreparedAppend): boolean {
  return sizeOf(append) >= LARGE_APPEND;
}
