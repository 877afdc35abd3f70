/**
 * Whether a hub may call: the answer to its challenge (CloudEvents, HTTP 1.1 Web Hooks, section 4).
 *
 * @param {{ method?: string | undefined, headers: Headers | Record<string, string | string[] | undefined> }} request
 * @param {string | readonly string[]} hubs host names of the hubs that may call; `*` for any
 * @returns {Record<string, string> | undefined} the headers of the answer, whose status is 200; undefined
 *   when it is no challenge, or one of a hub that may not call
 */
export function answerChallenge({ method, headers }, hubs) {
  if (method !== 'OPTIONS') return undefined;
  const name = 'webhook-request-origin';
  const origin = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof origin !== 'string' || origin === '') return undefined;
  const allowed = [hubs].flat().map((hub) => hub.toLowerCase());
  const isAllowed = allowed.includes('*') || allowed.includes(origin.toLowerCase());
  return isAllowed ? { 'WebHook-Allowed-Origin': origin, Allow: 'POST, OPTIONS' } : undefined;
}
