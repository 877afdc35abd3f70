import { jsonInTurns } from '../../common/json-in-turns.js';
import { isLong } from '../../common/long-work.js';

/** JSON as the body of a request to an agent; a long one is written in turns of the event loop. */
export async function bodyOf(json: unknown): Promise<string | Buffer> {
  return isLong(json) ? Buffer.concat(await jsonInTurns(json)) : JSON.stringify(json);
}
