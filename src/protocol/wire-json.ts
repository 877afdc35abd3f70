import { LONG } from '../common/long-work.js';
import { parseInTurns } from '../common/parse-in-turns.js';
import { StreamResponse } from './a2a.js';
import { decodeBytes } from './part-bytes.js';

/** Whether {@link parsedWire} should read a text of wire JSON, rather than JSON.parse. */
export function isLongWire(json: string): boolean {
  return json.length > LONG;
}

/** What `fromJSON` reads of a long text of wire JSON, which is parsed in turns of the event loop, as are the bytes in it. */
export async function parsedWire(json: string): Promise<unknown> {
  const wire = await parseInTurns(json);
  await decodeBytes(wire);
  return wire;
}

/** What `fromJSON` reads of a text of wire JSON; of a long one, see {@link parsedWire}. */
export function wireOf(json: string): unknown {
  return isLongWire(json) ? parsedWire(json) : JSON.parse(json);
}

/** The event that wire JSON holds; a long one is read in turns of the event loop. */
export function eventOf(json: string): StreamResponse | Promise<StreamResponse> {
  const wire = wireOf(json);
  if (!(wire instanceof Promise)) return StreamResponse.fromJSON(wire);
  return wire.then((read: unknown) => StreamResponse.fromJSON(read));
}
