import { isUtf8 } from 'node:buffer';
import { HubError } from '../hub-error.js';
import { JsonLimitError, MAX_NESTING, checkJsonLimits } from '../json-limits.js';

/** The values of one body of the admin API. */
const LIMITS = { maxValues: 50_000, maxNesting: MAX_NESTING };

/** Why a body is not parsed, whatever it says; undefined when it can be. */
export function limitFault(body: Uint8Array): HubError | undefined {
  if (!isUtf8(body)) return new HubError('PARSE_ERROR', 'The body is not UTF-8.');
  try {
    checkJsonLimits(body, LIMITS);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonLimitError)) throw error;
    return new HubError('INVALID_REQUEST', `The body ${error.message}.`);
  }
}

/**
 * Why a body was not taken that the framework has refused with `error`. It says that of one whose keys
 * reach for the prototype of an object as well, though that is JSON: its keys are at fault then.
 */
export function bodyFault(body: string, error: Error): Error {
  try {
    JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return error;
  }
  const keys = '"__proto__", or "constructor" with "prototype" in it';
  return new HubError(
    'INVALID_PARAMS',
    `The body has a key that no object may have here: ${keys}.`,
  );
}

/** Throws UNSUPPORTED_MEDIA_TYPE for a body with a `Content-Encoding`: nothing is inflated, so that a small body is never a large one. */
export function refuseEncoded(coding: string | undefined): void {
  if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return;
  throw new HubError('UNSUPPORTED_MEDIA_TYPE', 'A body must come without a Content-Encoding.', {
    metadata: { acceptEncoding: 'identity' },
  });
}
