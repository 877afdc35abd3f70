import { textsInTurns } from '../../common/json-in-turns.js';
import { ValueCounter } from '../../common/json-limits.js';
import { isLong, TurnCounter } from '../../common/long-work.js';
import { StreamResponse } from '../../protocol/a2a.js';
import { withLateBytes } from '../../protocol/part-bytes.js';
import type { NewEvent, TaskChange } from '../task.js';

/** A text of JSON in pieces, and the values in it (`countValues`). */
export interface Written {
  readonly pieces: readonly string[];
  readonly values: number;
}

/** What the events of a change are logged as. */
export type Bodies = readonly Written[];

/** The JSON text of an event as the log has it. */
export function bodyOf(event: NewEvent): string {
  return JSON.stringify(wireOf(event));
}

/** Whether a change has an event that is long work to write down. */
export function isLongChange({ events }: TaskChange): boolean {
  return events.some(({ payload }) => isLong(payload));
}

/** What {@link bodyOf} gives of each, in pieces that are written in turns of long work. It begins in the turn of its caller. */
export async function bodiesInTurns(events: readonly NewEvent[]): Promise<Bodies> {
  const bodies: Written[] = [];
  const turns = new TurnCounter();
  for (const event of events) bodies.push(await writtenInTurns(() => wireOf(event), turns));
  return bodies;
}

/** The text of what `encode` makes of the SDK's types, written and counted in turns of long work. */
export async function writtenInTurns(encode: () => unknown, turns: TurnCounter): Promise<Written> {
  const pieces = await textsInTurns(withLateBytes(encode), turns);
  const counter = new ValueCounter();
  for (const piece of pieces) {
    counter.add(piece);
    const turn = turns.next(piece.length);
    if (turn !== undefined) await turn;
  }
  return { pieces, values: counter.values };
}

/** One text of pieces, by which V8 only notes what it is made of: they are copied when somebody looks into it. */
export function concatenated(pieces: readonly string[]): string {
  let text = '';
  for (const piece of pieces) text += piece;
  return text;
}

function wireOf({ payload, sentWith }: NewEvent): unknown {
  const wire = StreamResponse.toJSON({ payload });
  return sentWith ? { ...(wire as object), sentWith } : wire;
}
