import { HubError } from '../hub-error.js';

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
