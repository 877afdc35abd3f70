const HIDDEN = '***';

/** Whether there is anything to look at: most texts have nothing of it, and this is a fraction of the work. */
const PERHAPS = /bearer|basic|authorization|api-key|cookie|eyJ|hub_|:\/\/|[?&]\w{1,30}=/i;

/**
 * What looks like a credential, and what stands in its place. None of them takes a quote or a backslash, so that the text
 * may be JSON and still is afterwards; each takes time in proportion to the text.
 */
const RULES: readonly (readonly [form: RegExp, shown: string])[] = [
  // `Bearer xyz`, `Basic xyz` wherever somebody echoes them.
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/gi, `$1 ${HIDDEN}`],
  // `authorization: xyz`, `"x-api-key":"xyz"`, also as JSON inside of JSON.
  [
    /((?:authorization|x-api-key|cookie)(?:\\?["'])?\s{0,9}[:=]\s{0,9}(?:\\?["'])?)(?!(?:bearer|basic) )[^\s"'\\,]{6,}/gi,
    `$1${HIDDEN}`,
  ],
  // JSON Web Tokens, whole or cut off: their header is an object in base64.
  [/eyJ[\w-]{12,}(?:\.[\w-]*)*/g, HIDDEN],
  // API keys of a hub: their ids may be seen.
  [/(?<!a2a_)(hub_[0-9a-z]{1,64}_)[\w-]{20,}/g, `$1${HIDDEN}`],
  // User and password in the address of a server.
  [/(:\/\/)[^\s/?#"'\\@]{1,1000}@/g, `$1${HIDDEN}@`],
  // Tokens and signatures in the query of an address.
  [
    /([?&](?:access_token|refresh_token|id_token|token|api_?key|key|secret|client_secret|password|signature|sig|code)=)[^\s&#"'\\]+/gi,
    `$1${HIDDEN}`,
  ],
];

/**
 * A text without anything that looks like a credential: authorization headers, JSON Web Tokens, API keys, credentials in
 * URLs. JSON stays JSON.
 */
export function withoutCredentials(text: string): string {
  if (!PERHAPS.test(text)) return text;
  let kept = text;
  for (const [form, shown] of RULES) kept = kept.replace(form, shown);
  return kept;
}
