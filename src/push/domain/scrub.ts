const HIDDEN = '***';
/** A shorter value would blot out ordinary text, and is no secret worth the name. */
const SHORTEST_SECRET = 4;
/** `Bearer xyz`, `Basic xyz` wherever a receiver echoes them. */
const CREDENTIALS = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/gi;

/**
 * Text of a stranger as it may be kept: without the secrets that were sent to it and without anything
 * that looks like credentials.
 */
export function scrub(text: string, secrets: readonly string[]): string {
  const longestFirst = [...secrets]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const without = longestFirst.reduce((kept, secret) => kept.replaceAll(secret, HIDDEN), text);
  return without.replace(CREDENTIALS, `$1 ${HIDDEN}`);
}
