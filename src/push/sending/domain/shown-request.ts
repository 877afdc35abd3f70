/** Characters of a body that are shown. */
const SHOWN_BODY = 16 * 1024;
const HIDDEN = '***';
/** Headers that hold credentials, whatever they look like. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'a2a-notification-token',
  'x-a2a-notification-token',
]);

/** A request to a webhook as its receiver's developer sees it: all that is signed, and no credential. */
export interface ShownRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body is longer than what is shown of it. */
  readonly isCut: boolean;
}

/** Signatures are shown; what proves by being known (tokens, passwords, keys in headers) is `***`. */
export function shownRequest(request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secrets: readonly string[];
}): ShownRequest {
  const { url, headers, body, secrets } = request;
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    shownHeader(name, value, secrets),
  ]);
  return {
    method: 'POST',
    url,
    headers: Object.fromEntries(shown),
    body: body.slice(0, SHOWN_BODY),
    isCut: body.length > SHOWN_BODY,
  };
}

function shownHeader(name: string, value: string, secrets: readonly string[]): string {
  if (CREDENTIALS.has(name.toLowerCase())) {
    const scheme = /^(Basic|Bearer|Digest|DPoP) /i.exec(value)?.[0] ?? '';
    return `${scheme}${HIDDEN}`;
  }
  return secrets.some((secret) => secret !== '' && value.includes(secret)) ? HIDDEN : value;
}
