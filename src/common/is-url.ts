/**
 * Whether a text is an absolute URL. Not `URL.canParse`: once it is compiled, that of Node 20 refuses texts with
 * letters beyond ASCII, such as international host names.
 */
export function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}
