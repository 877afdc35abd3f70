import { jsonInTurns } from '../../common/json-in-turns.js';
import { isLong, longTurn } from '../../common/long-work.js';

/** JSON as the body of a request to an agent; a long one is written in turns of the event loop. */
export async function bodyOf(json: unknown): Promise<string | Buffer> {
  if (!isLong(json)) return JSON.stringify(json);
  await longTurn();
  return Buffer.concat(await jsonInTurns(json));
}
