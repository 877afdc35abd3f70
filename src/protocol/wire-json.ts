import { LONG } from '../common/long-work.js';
import { parseInTurns } from '../common/parse-in-turns.js';
import { nextSlice, SMALL } from '../common/slices.js';
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

/** What `fromJSON` reads of a text of wire JSON: a promise of it where that is not small; of a long one, see {@link parsedWire}. */
export function wireOf(json: string): unknown {
  if (isLongWire(json)) return parsedWire(json);
  return json.length > SMALL ? parsedInSlice(json) : JSON.parse(json);
}

async function parsedInSlice(json: string): Promise<unknown> {
  const slice = nextSlice();
  if (slice !== undefined) await slice;
  return JSON.parse(json);
}

/** The event that wire JSON holds: a promise of it where that is not small, see {@link wireOf}. */
export function eventOf(json: string): StreamResponse | Promise<StreamResponse> {
  const wire = wireOf(json);
  if (!(wire instanceof Promise)) return StreamResponse.fromJSON(wire);
  return wire.then((read: unknown) => StreamResponse.fromJSON(read));
}
