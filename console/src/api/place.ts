/** Where the console is: `document.baseURI` ends in `/console/`, below whatever path a proxy serves the hub at. */
export const CONSOLE_URL = new URL('.', document.baseURI);

/** The hub's own address, with a slash at its end. */
export const HUB_URL = new URL('..', CONSOLE_URL);

/** The address of a path of the hub, such as `api/v1/tasks`. */
export function hubUrl(path: string): URL {
  return new URL(path.replace(/^\//, ''), HUB_URL);
}
