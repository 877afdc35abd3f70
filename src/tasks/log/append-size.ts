import { LONG } from '../../common/long-work.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import type { LiveTask } from './live-task.js';
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

/** Whether a text of it may be so large that it is stored apart, in pieces with a turn of long work each. */
export function isStoredInPieces(append: PreparedAppend): boolean {
  return sizeOf(append) >= LONG;
}

/** Characters of events after which an append takes no further decision. */
const FULL_APPEND = 1024 * 1024;

/** Whether what has been decided on a task fills its next append. */
export function isLongAppend(live: Pick<LiveTask, 'untakenSize'> | null): boolean {
  return (live?.untakenSize ?? 0) >= FULL_APPEND;
}
