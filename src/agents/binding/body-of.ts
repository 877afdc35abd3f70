import { jsonInTurns } from '../../common/json-in-turns.js';
import { isLong, longTurn } from '../../common/long-work.js';
import { sliceFor } from '../../common/slices.js';

/** JSON as the body of a request to an agent; a long one is written in turns of the event loop, one that is not small in a slice of one. */
export async function bodyOf(json: unknown): Promise<string | Buffer> {
  const slice = sliceFor(json);
  if (slice !== undefined) await slice;
  if (!isLong(json)) return JSON.stringify(json);
  await longTurn();
  return Buffer.concat(await jsonInTurns(json));
}
