import { jsonInTurns } from './json-in-turns.js';
import { isLong, LONG, longTurn, TurnCounter } from './long-work.js';
import { sliceFor, SMALL } from './slices.js';
import { slicesOf } from './text-slices.js';

/** Characters of a text of which a block is made at once. */
const PIECE = LONG / 2;

/** A text, or its UTF-8 in blocks when it is long. */
export type JsonText = string | readonly Buffer[];

/** The text that JSON.stringify gives; a long one is written in turns of the event loop, one that is not small in a slice of one. */
export async function jsonText(json: unknown): Promise<JsonText> {
  const slice = sliceFor(json);
  if (slice !== undefined) await slice;
  if (!isLong(json)) return JSON.stringify(json);
  await longTurn();
  return jsonInTurns(json);
}

/** The same at once where it is small, for what is written very often. */
export function quickJsonText(json: unknown): JsonText | Promise<JsonText> {
  return isLong(json, SMALL) ? jsonText(json) : JSON.stringify(json);
}

/** The UTF-8 of a text in blocks, none of which ends within a character; those of a long one are made in turns of the event loop. */
export async function blocksOf(text: string): Promise<Buffer[]> {
  if (text.length <= LONG) return [Buffer.from(text)];
  await longTurn();
  const blocks: Buffer[] = [];
  const turns = new TurnCounter();
  for (const slice of slicesOf(text, PIECE)) {
    blocks.push(Buffer.from(slice));
    const turn = turns.next(slice.length);
    if (turn !== undefined) await turn;
  }
  return blocks;
}

/** Bytes of a text as UTF-8. */
export function lengthOf(text: JsonText): number {
  return typeof text === 'string'
    ? Buffer.byteLength(text)
    : text.reduce((sum, { length }) => sum + length, 0);
}
