import { errors, type JWTPayload } from 'jose';
import { TokenRefused } from '../domain/caller-claims.js';

/** The latest time that a Date holds, in seconds. */
const LATEST_SECONDS = 8.64e12;

/** What is expected of a token, to tell its holder. */
interface Expected {
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
}

/** What is wrong with a token that jose refuses; undefined when the issuer is at fault. */
export function tokenFaultOf(error: unknown, expected: Expected): TokenRefused | undefined {
  if (error instanceof errors.JWTExpired) return expired(error.payload);
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaim(error, expected);
  if (error instanceof errors.JOSEAlgNotAllowed) {
    const allowed = expected.algorithms.join(', ');
    return new TokenRefused(
      `The access token is signed with an algorithm that is not allowed; allowed: ${allowed}.`,
      'wrong-algorithm',
    );
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    const text = 'The access token is signed with a key that its issuer does not publish.';
    return new TokenRefused(text, 'unpublished-key');
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    const text = 'The signature of the access token does not verify.';
    return new TokenRefused(text, 'wrong-signature');
  }
  const isMalformed =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSENotSupported;
  return isMalformed ? malformed() : undefined;
}

/** Whether a key of the issuer has signed the token that jose refuses: what it says is then said by that issuer. */
export function isSigned(error: unknown): boolean {
  return error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
}

function wrongClaim(
  { claim, payload }: errors.JWTClaimValidationFailed,
  { audiences }: Expected,
): TokenRefused {
  if (claim === 'aud') return wrongAudience(payload.aud, audiences);
  if (claim === 'nbf' && typeof payload.nbf === 'number') return early(payload.nbf);
  if (claim === 'exp' && payload.exp === undefined) {
    const text = 'The access token says no time of expiry: its claim exp is missing.';
    return new TokenRefused(text, 'no-expiry');
  }
  const text = `The claim ${claim} of the access token is missing or wrong.`;
  return new TokenRefused(text, 'wrong-claim');
}

export function wrongAudience(aud: unknown, audiences: readonly string[]): TokenRefused {
  const own = audiences.join(' or ');
  const isMissing = aud === undefined || (Array.isArray(aud) && aud.length === 0);
  return isMissing
    ? new TokenRefused(`The access token is for no audience; it must be for ${own}.`, 'no-audience')
    : new TokenRefused(
        `The access token is for another audience; it must be for ${own}.`,
        'wrong-audience',
      );
}

export function expired({ exp }: JWTPayload): TokenRefused {
  const at = exp === undefined ? '' : ` (${dateOf(exp).toISOString()})`;
  return new TokenRefused(`The access token has expired${at}: get a new one.`, 'expired-token');
}

export function early(nbf: number): TokenRefused {
  const from = dateOf(nbf).toISOString();
  return new TokenRefused(
    `The access token is not valid yet, but from ${from} on.`,
    'not-yet-valid',
  );
}

export function malformed(): TokenRefused {
  return new TokenRefused('The access token is malformed.', 'malformed-token');
}

export function dateOf(seconds: number): Date {
  return new Date(Math.min(seconds, LATEST_SECONDS) * 1000);
}
