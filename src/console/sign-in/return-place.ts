import { isUrl } from '../../common/is-url.js';

/** Below the hub's address. */
export const CONSOLE_PATH = '/console';

const MAX_LENGTH = 512;
const BASE = 'http://hub.invalid';

/**
 * Where a browser goes after a sign-in, as its page has asked: a path below `/console`, with what follows it. Whatever else is asked
 * for, it is the console itself.
 */
export function returnPlace(requested: string | null): string {
  const start = `${CONSOLE_PATH}/`;
  // A backslash is a slash to browsers.
  if (
    requested === null ||
    requested.length > MAX_LENGTH ||
    !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(requested)
  ) {
    return start;
  }
  if (!isUrl(BASE + requested)) return start;
  const { origin, pathname, search, hash } = new URL(BASE + requested);
  const isWithin = pathname.startsWith(start) && !pathname.startsWith(`${start}sign-`);
  return origin === BASE && isWithin ? pathname + search + hash : start;
}
