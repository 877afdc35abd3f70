/**
 * The reason of every abort that only means "no longer needed". Made once: an `AbortController` without
 * a reason makes an error with a stack trace at each abort, which is most of its cost.
 */
export const CANCELLED = new DOMException('no longer needed', 'AbortError');
