import { type RequestHeaders, presentedKey } from './credential.js';
import type { Scope } from '../common/scope.js';

const CHALLENGE = 'Bearer realm="a2a-hub"';

/**
 * The `WWW-Authenticate` of a 401 (RFC 6750 §3): a caller that has shown a key learns that the key is at
 * fault, one that has shown none learns nothing more.
 */
export function challengeOf(headers: RequestHeaders): string {
  return presentedKey(headers) === undefined
    ? CHALLENGE
    : `${CHALLENGE}, error="invalid_token", error_description="The API key is not valid."`;
}

/** The `WWW-Authenticate` of a 403 to a key that lacks this scope (RFC 6750 §3.1). */
export function scopeChallenge(scope: Scope): string {
  return `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`;
}
