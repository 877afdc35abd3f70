import { randomUUID } from 'node:crypto';

/** The header, and the gRPC metadata, that names a request. */
export const REQUEST_ID = 'x-request-id';

/** What ids of requests look like: UUIDs, ULIDs, trace ids, base64. No blanks, quotes or control characters. */
const WELL_FORMED = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The id of a request: the one it brings, or a new one in the place of none or of one that is not well-formed. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}
