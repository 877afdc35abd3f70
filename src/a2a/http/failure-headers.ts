import type { HubError } from '../../common/hub-error.js';
import { BODY_TYPES } from './body.js';

/** The headers HTTP wants beside an error's status (RFC 9110 §15.5), `challenge` being its `WWW-Authenticate`. */
export function failureHeaders(
  { reason, metadata }: HubError,
  challenge: string | undefined,
): Record<string, string> {
  const { retryAfterSeconds, allow } = metadata;
  return {
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
    ...(reason === 'UNSUPPORTED_MEDIA_TYPE' ? acceptable(metadata) : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': retryAfterSeconds }),
    ...(reason === 'METHOD_NOT_ALLOWED' && allow !== undefined ? { allow } : {}),
  };
}

function acceptable({ acceptEncoding }: HubError['metadata']): Record<string, string> {
  return acceptEncoding === undefined
    ? { accept: BODY_TYPES.join(', ') }
    : { 'accept-encoding': acceptEncoding };
}
