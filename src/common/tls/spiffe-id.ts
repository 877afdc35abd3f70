/** SPIFFE-ID §2: a trust domain and a path of segments; no query, no empty or dotted segment, 2,048 bytes at most. */
const SPIFFE_ID = /^spiffe:\/\/[a-z0-9._-]{1,255}(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/;
const MAX_LENGTH = 2048;

export function isSpiffeId(text: string): boolean {
  return text.length <= MAX_LENGTH && SPIFFE_ID.test(text);
}

/** One id, or `spiffe://domain/path/*` for every id below a path. */
export function isSpiffePattern(text: string): boolean {
  return isSpiffeId(text.endsWith('/*') ? text.slice(0, -2) : text);
}

/** Whether an id fits a pattern of the form that {@link isSpiffePattern} takes. */
export function fitsSpiffe(id: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}
