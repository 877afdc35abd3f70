import { HubError } from '../../common/hub-error.js';

/** Media types of a request body, at every door. */
export const BODY_TYPES = ['application/json', 'application/a2a+json'];

/** Reads a body; throws PARSE_ERROR when it is not JSON. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new HubError('PARSE_ERROR', 'The request body is not valid JSON.');
  }
}
