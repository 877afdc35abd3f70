import { sizeOf } from '../../common/long-work.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { Checkpoint } from '../store/prepared-append.js';
import type { Delegation, TaskEvent, TaskRecord } from '../task.js';
import type { UsageChange } from '../store/usage.js';
import { piecesOf } from './text-of-events.js';

/** What rows take beside what they hold, roughly, their entries in indexes included. */
const EVENT_BYTES = 100;
const TASK_BYTES = 1024;
const DELEGATION_BYTES = 512;

/** What an append writes, and the delegations that the task has with it. */
interface Written {
  readonly record: TaskRecord;
  readonly events: readonly TaskEvent[];
  readonly checkpoint: Checkpoint | null;
  readonly delegations: readonly Delegation[];
}

/** What an append to a task, which was like this `before`, adds to its owner's usage. */
export function usageOf(
  isNew: boolean,
  before: Pick<TaskRecord, 'state' | 'cancelMetadata'>,
  { record, events, checkpoint, delegations }: Written,
): UsageChange {
  let storedBytes = 0;
  for (const event of events) storedBytes += EVENT_BYTES + bytesOf(piecesOf(event));
  if (checkpoint !== null) {
    const { task, held, written } = checkpoint;
    storedBytes += EVENT_BYTES + bytesOf(written?.task ?? [task]);
    if (held !== null) storedBytes += bytesOf(written?.held ?? [held]);
  }
  const isOpen = !isTerminal(record.state);
  const ended = isOpen ? undefined : new Map([[record.state, 1]]);
  if (!isNew) {
    const hasEnded = !isOpen && !isTerminal(before.state);
    if (record.cancelMetadata !== before.cancelMetadata) {
      storedBytes += sizeOfCancel(record) - sizeOfCancel(before);
    }
    return { openTasks: hasEnded ? -1 : 0, begun: 0, storedBytes, ...(hasEnded && { ended }) };
  }
  storedBytes += TASK_BYTES + DELEGATION_BYTES * delegations.length;
  storedBytes += sizeOfRecord(record);
  return { openTasks: isOpen ? 1 : 0, begun: 1, storedBytes, ...(ended && { ended }) };
}

/**
 * What a task's record has of its request, the one to cancel it and its route, by {@link sizeOf}: a client and its agents decide how
 * much.
 */
export function sizeOfRecord(
  record: Pick<
    TaskRecord,
    'route' | 'requestMetadata' | 'extensions' | 'acceptedOutputModes' | 'cancelMetadata'
  >,
): number {
  const { route, requestMetadata, extensions, acceptedOutputModes } = record;
  return sizeOf([route, requestMetadata, extensions, acceptedOutputModes]) + sizeOfCancel(record);
}

function sizeOfCancel({ cancelMetadata }: Pick<TaskRecord, 'cancelMetadata'>): number {
  return cancelMetadata === null ? 0 : sizeOf(cancelMetadata);
}

function bytesOf(pieces: readonly string[]): number {
  return pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0);
}
