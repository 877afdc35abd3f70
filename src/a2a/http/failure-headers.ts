import type { IncomingHttpHeaders } from 'node:http';
import { challengeOf, scopeChallenge } from '../../auth/index.js';
import type { Scope } from '../../common/scope.js';
import type { HubError } from '../../common/hub-error.js';
import { BODY_TYPES } from './body.js';

/** The headers HTTP wants beside an error's status (RFC 9110 §15.5, RFC 6750 §3). */
export function failureHeaders(
  { reason, metadata }: HubError,
  request: IncomingHttpHeaders,
): Record<string, string> {
  const { retryAfterSeconds, allow, scope } = metadata;
  return {
    ...(reason === 'UNAUTHENTICATED' ? { 'www-authenticate': challengeOf(request) } : {}),
    ...(reason === 'PERMISSION_DENIED' && scope !== undefined
      ? { 'www-authenticate': scopeChallenge(scope as Scope) }
      : {}),
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
