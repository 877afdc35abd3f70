import { withoutCredentials } from './credential-texts.js';

const HIDDEN = '***';
/** A shorter value would blot out ordinary text, and is no secret worth the name. */
const SHORTEST_SECRET = 4;

/**
 * Text of a stranger as it may be kept: without the secrets that were sent to it (whole, or cut off by
 * the end of the text) and without anything that looks like credentials.
 */
export function scrub(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  let kept = text;
  for (const secret of longestFirst) kept = withoutCut(kept.replaceAll(secret, HIDDEN), secret);
  return withoutCredentials(kept);
}

/** Hides the beginning of the secret that the text ends with. */
function withoutCut(text: string, secret: string): string {
  const longest = Math.min(secret.length - 1, text.length);
  for (let length = longest; length >= SHORTEST_SECRET; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN;
  }
  return text;
}
