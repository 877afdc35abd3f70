import { invalidField } from '../../../common/hub-error.js';

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * How the name of a header that carries an API key ends: `Authorization`, `X-API-Key`, `PRIVATE-TOKEN`,
 * `X-Acme-Auth` … Others may steer what a server or a proxy before it does (`X-HTTP-Method-Override`,
 * `X-Original-URL`, `Cookie`, `Origin`), and there is no list of all of those.
 */
const ENDINGS = [
  'Key',
  'Token',
  'Secret',
  'Auth',
  'Authorization',
  'Authentication',
  'Signature',
  'Password',
  'Credential',
  'Credentials',
];
const OF_A_KEY = new RegExp(`(?:^|[-_.])[a-z0-9]*(?:${ENDINGS.join('|')})$`, 'i');

/** How names begin that belong to HTTP, to proxies, to the services of a cloud or to the hub. */
const OTHERS =
  'Proxy- Sec- Content- Forwarded- X-Forwarded- X-Original- X-Rewrite- X-HTTP- X-Amz- X-AWS- X-Goog- X-Google- X-MS- Metadata Webhook- A2A- X-A2A-'.split(
    ' ',
  );
const RESERVED = new RegExp(`^(?:(?:${OTHERS.join('|')}).*|Idempotency-Key)$`, 'i');

/** Throws INVALID_PARAMS when a value that becomes a header could split it. */
export function refuseControl(value: string, field: string): void {
  if (CONTROL.test(value))
    throw invalidField(field, 'must not contain line breaks or control characters');
}

/** Controls of the direction of text, and halves of characters. */
const MISREAD = /[\p{Bidi_Control}\p{Surrogate}]/u;

/** Throws INVALID_PARAMS when a value that is shown to people would read as another, or cannot be kept. */
export function refuseMisread(value: string, field: string): void {
  if (!MISREAD.test(value)) return;
  const what = 'characters that change the direction of text, or half a character';
  throw invalidField(field, `must not contain ${what}`);
}

/** Throws INVALID_PARAMS when the value cannot stand in a header as it is. */
export function refuseUnprintable(value: string, field: string): void {
  refuseControl(value, field);
  if (!PRINTABLE.test(value)) throw invalidField(field, 'must be printable ASCII');
}

/** What is wrong with a header that {@link mayCarryKey} refuses, to follow its name. */
export const NO_KEY_HEADER = `cannot carry an API key; its name must have no blanks, its last word must end in ${listed(ENDINGS)}, it must not begin with ${listed(OTHERS)}, and must not be Idempotency-Key`;

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Whether it has only what names of headers have. */
export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** Whether a header of this name may carry an API key. */
export function mayCarryKey(name: string): boolean {
  return TOKEN.test(name) && OF_A_KEY.test(name) && !RESERVED.test(name);
}
