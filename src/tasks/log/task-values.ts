import { countValues, ValueCounter } from '../../common/json-limits.js';
import { LONG, TurnCounter } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';
import type { Checkpoint } from '../store/prepared-append.js';
import type { TaskEvent } from '../task.js';
import { piecesOf } from './text-of-events.js';

/**
 * The values that a task may hold: those of its newest checkpoint and of its log since, counted as
 * {@link countValues} does. Characters alone do not bound its memory: an empty object is two.
 */
export const MAX_TASK_VALUES = 500_000;

/** Memory that a value takes once it is parsed, roughly, in bytes. */
export const VALUE_BYTES = 64;

/** What a chunk of text has around what it adds to the task: ids, names and flags, which the task does not keep. */
const ENVELOPE_VALUES = 14;

/** Values that an event of the log adds to its task, at most: without what is around it, and never none. */
export function valuesOfEvent(event: Pick<TaskEvent, 'body' | 'pieces' | 'values'>): number {
  return Math.max(1, (event.values ?? countValues(...piecesOf(event))) - ENVELOPE_VALUES);
}

/**
 * Memory that an event of the log takes as a part of its task, roughly, in bytes: a character one. Of a long event, which
 * is counted in turns of the event loop, a promise.
 */
export function memoryOfEvent({
  body,
  values,
}: Pick<TaskEvent, 'body' | 'values'>): number | Promise<number> {
  const memoryWith = (counted: number): number =>
    body.length + VALUE_BYTES * valuesOfEvent({ body, values: counted });
  const counted = values ?? valuesOfText(body);
  return typeof counted === 'number' ? memoryWith(counted) : counted.then(memoryWith);
}

/** Values of a checkpoint. */
export function valuesOfCheckpoint({ task, held, written }: Checkpoint): number {
  return written?.values ?? countValues(task, held ?? '');
}

/** {@link countValues} of a text of any length, in turns of the event loop where it is long. */
export function valuesOfText(json: string): number | Promise<number> {
  return json.length > LONG ? countInTurns(json) : countValues(json);
}

async function countInTurns(json: string): Promise<number> {
  const counter = new ValueCounter();
  const turns = new TurnCounter(LONG);
  for (const slice of slicesOf(json, LONG / 2)) {
    counter.add(slice);
    const turn = turns.next(slice.length);
    if (turn !== undefined) await turn;
  }
  return counter.values;
}
