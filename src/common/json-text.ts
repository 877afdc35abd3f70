import { jsonInTurns } from './json-in-turns.js';
import { isLong, longTurn } from './long-work.js';
import { sliceFor } from './slices.js';

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
