import { jsonInTurns } from '../../common/json-in-turns.js';
import { isLong, longTurn } from '../../common/long-work.js';
import { sliceFor } from '../../common/slices.js';

/** The text of an answer, or its UTF-8 in blocks when it is long. */
export type AnswerText = string | readonly Buffer[];

/** JSON as the text of an answer; a long one is written in turns of the event loop, one that is not small in a slice of one. */
export async function answerText(json: unknown): Promise<AnswerText> {
  const slice = sliceFor(json);
  if (slice !== undefined) await slice;
  if (!isLong(json)) return JSON.stringify(json);
  await longTurn();
  return jsonInTurns(json);
}
