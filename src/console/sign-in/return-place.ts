/** Below the hub's address. */
export const CONSOLE_PATH = '/console';

const MAX_LENGTH = 512;
const BASE = 'http://hub.invalid';

/**
 * Where a browser goes after a sign-in, as its page has asked: a path below `/console`, with what follows it. Whatever else is asked
 * for, it is the console itself.
 */
export function returnPlace(asked: string | null): string {
  const start = `${CONSOLE_PATH}/`;
  // A backslash is a slash to browsers.
  if (asked === null || asked.length > MAX_LENGTH || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(asked)) {
    return start;
  }
  if (!URL.canParse(asked, BASE)) return start;
  const { origin, pathname, search, hash } = new URL(asked, BASE);
  const isWithin = pathname.startsWith(start) && !pathname.startsWith(`${start}sign-`);
  return origin === BASE && isWithin ? pathname + search + hash : start;
}
