import { isRecord } from '../../common/is-record.js';
import { isUtf8 } from 'node:buffer';
import { HubError } from '../../common/hub-error.js';

/** Media types of a request body, over every binding. */
export const BODY_TYPES = ['application/json', 'application/a2a+json'];

/** The text of a body; a PARSE_ERROR when its bytes are not UTF-8 (RFC 8259 §8.1). */
export function textOf(body: Buffer): [error: HubError | null, text?: string] {
  if (isUtf8(body)) return [null, body.toString()];
  return [new HubError('PARSE_ERROR', 'The request body is not valid UTF-8.')];
}

/** Reads a body; throws PARSE_ERROR when it is not JSON. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new HubError('PARSE_ERROR', 'The request body is not valid JSON.');
  }
}

/**
 * The members of a body that is an object; one that may be left out has none. Throws PARSE_ERROR, and
 * INVALID_PARAMS for another kind of JSON.
 */
export function readFields(
  body: string | undefined,
  optional: boolean,
): Readonly<Record<string, unknown>> {
  // Go clients send the JSON text null where there is nothing to say.
  const json = body === undefined || body === '' ? null : parseBody(body);
  if (json === null && optional) return {};
  if (isRecord(json)) return json;
  throw new HubError('INVALID_PARAMS', 'The body must be a JSON object.');
}
