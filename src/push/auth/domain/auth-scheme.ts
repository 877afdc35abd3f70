import { invalidField } from '../../../common/hub-error.js';
import { ID } from '../../../common/id-pattern.js';
import type { AuthenticationInfo } from '../../../protocol/a2a.js';
import { type SigningKeyKind, keysFault } from './standard-webhooks.js';

/** The ways a webhook request can prove itself (webhooks.md, "naming a scheme"). */
export type AuthScheme = 'bearer' | 'basic' | 'api-key' | 'hmac' | 'jwt' | 'profile';

/** How the hub proves itself to a webhook, as a client asked for it. */
export interface RequestedAuthentication {
  readonly scheme: AuthScheme;
  /** All scheme names as they were written; the first supported one is used. */
  readonly names: readonly string[];
  /** Null for `jwt` and `profile`, which need none. */
  readonly credentials: string | null;
  /** The name of the auth profile, for `profile`. */
  readonly profile: string | null;
}

const SCHEMES: ReadonlyMap<string, AuthScheme> = new Map([
  ['bearer', 'bearer'],
  ['basic', 'basic'],
  ['apikey', 'api-key'],
  ['api-key', 'api-key'],
  ['hmac', 'hmac'],
  ['jwt', 'jwt'],
  ['profile', 'profile'],
]);
const SUPPORTED = 'Bearer, Basic, ApiKey, HMAC, JWT, Profile';

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
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

const FIELD = 'authentication';

/**
 * Reads the authentication of a push config in any of its forms (webhooks.md, "naming a scheme"):
 * 1.0 `{scheme, credentials}`, 0.x `{schemes[], credentials}` and that of 0.2.5's fasta2a `{type, scheme}`
 * (`raw`, the member as the client wrote it, wins over the canonical one, which has lost all but the
 * first scheme). Null when none is asked for. Throws HubError INVALID_PARAMS naming the field.
 */
export function readAuthentication(
  canonical: AuthenticationInfo | undefined,
  raw?: unknown,
): RequestedAuthentication | null {
  const written = isRecord(raw) ? raw : undefined;
  const names = written ? namesOf(written) : namesOf({ scheme: canonical?.scheme });
  const credentials =
    textOf(written?.['credentials'], `${FIELD}.credentials`) ??
    (canonical?.credentials || undefined);
  if (names.length === 0) {
    if (credentials === undefined) return null;
    throw invalidField(`${FIELD}.scheme`, `is required with credentials (one of ${SUPPORTED})`);
  }
  for (const name of names) refuseControl(name, `${FIELD}.scheme`);
  const scheme = names.map((name) => SCHEMES.get(name.toLowerCase())).find((each) => each);
  if (!scheme) {
    throw invalidField(
      `${FIELD}.scheme`,
      `${names.join(', ')} is not supported; the hub knows ${SUPPORTED}`,
    );
  }
  return { ...resolved(scheme, names.join(', '), credentials), names };
}

/** Of the names that a client gave, that of the scheme which is used; undefined when there is none. */
export function usedName(names: readonly string[]): string | undefined {
  return names.find((name) => SCHEMES.has(name.toLowerCase())) ?? names[0];
}

/** The schemes whose credentials go into a header as they are. */
export type HeaderScheme = 'bearer' | 'basic' | 'api-key';

export function isHeaderScheme(scheme: AuthScheme | null): scheme is HeaderScheme {
  return scheme === 'bearer' || scheme === 'basic' || scheme === 'api-key';
}

/** The header that carries the credentials. */
export function authHeader(scheme: HeaderScheme, credentials: string): Record<string, string> {
  switch (scheme) {
    case 'bearer':
      return { authorization: `Bearer ${credentials}` };
    case 'basic': {
      // A pair has a colon, which base64 never has.
      const pair = credentials.includes(':');
      const encoded = pair ? Buffer.from(credentials, 'utf8').toString('base64') : credentials;
      return { authorization: `Basic ${encoded}` };
    }
    case 'api-key': {
      const { name, value } = apiKeyHeader(credentials);
      return { [name.toLowerCase()]: value };
    }
  }
}

/** The header that an API key goes into. */
export function keyHeaderOf(credentials: string): string {
  return apiKeyHeader(credentials).name;
}

/** The values that must never be shown, in the forms they are sent in and those a receiver could derive. */
export function secretForms(scheme: HeaderScheme, credentials: string): string[] {
  const sent = Object.values(authHeader(scheme, credentials));
  const forms = [credentials, ...sent.flatMap((value) => [value, value.replace(/^\S+ /, '')])];
  return scheme === 'basic' ? [...forms, ...basicForms(credentials)] : forms;
}

/** The pair and its password, from either form. */
function basicForms(credentials: string): string[] {
  const pair = credentials.includes(':')
    ? credentials
    : Buffer.from(credentials, 'base64').toString('utf8');
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

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

/** The scheme with what it needs. `Bearer` without credentials is a token that the hub signs. */
function resolved(
  scheme: AuthScheme,
  names: string,
  credentials: string | undefined,
): Omit<RequestedAuthentication, 'names'> {
  const field = `${FIELD}.credentials`;
  if (scheme === 'jwt' && credentials !== undefined) {
    throw invalidField(
      field,
      'must be left out for JWT, which the hub signs itself; a token of your own goes with Bearer',
    );
  }
  if (scheme === 'jwt' || (scheme === 'bearer' && credentials === undefined)) {
    return { scheme: 'jwt', credentials: null, profile: null };
  }
  if (credentials === undefined) throw invalidField(field, `are required for ${names}`);
  if (scheme === 'profile') {
    if (!ID.test(credentials)) throw invalidField(field, 'must be the name of an auth profile');
    return { scheme, credentials: null, profile: credentials };
  }
  checkCredentials(scheme, credentials, field);
  return { scheme, credentials, profile: null };
}

/** Throws INVALID_PARAMS when these credentials cannot be used with the scheme. */
function checkCredentials(scheme: AuthScheme, credentials: string, field: string): void {
  refuseControl(credentials, field);
  if (scheme === 'basic' && credentials.includes(':')) return;
  refuseUnprintable(credentials, field);
  if (scheme === 'basic' && !isEncodedPair(credentials)) {
    throw invalidField(field, 'must be user:password, or its base64');
  }
  if (scheme === 'hmac') refuseBadKeys(credentials, 'hmac', field);
  if (scheme !== 'api-key') return;
  if (namesNoHeader(credentials)) throw invalidField(field, NO_HEADER);
  const { name, value } = apiKeyHeader(credentials);
  if (!mayCarryKey(name)) throw invalidField(field, `the header ${name} ${NO_KEY_HEADER}`);
  if (value === '') throw invalidField(field, `has no value for the header ${name}`);
}

/** Base64, padded or not, of `user:password` (RFC 7617 §2). */
function isEncodedPair(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isBase64 && bytes.includes(':');
}

/** Throws INVALID_PARAMS unless these are keys of Standard Webhooks, between spaces. */
export function refuseBadKeys(written: string, kind: SigningKeyKind, field: string): void {
  const fault = keysFault(written, kind);
  if (fault !== undefined) throw invalidField(field, fault);
}

/** What is wrong with a header that {@link mayCarryKey} refuses, to follow its name. */
export const NO_KEY_HEADER = `cannot carry an API key; its name must have no blanks, its last word must end in ${listed(ENDINGS)}, it must not begin with ${listed(OTHERS)}, and must not be Idempotency-Key`;

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

const NO_HEADER =
  'must be Header-Name: value, with a name that is not empty and has only what names of headers have, or a value alone (as X-API-Key: value where that begins like a header)';

/** It reads as a header, but what is before the colon cannot be the name of one. */
function namesNoHeader(credentials: string): boolean {
  const [, name, blank] = /^([^:]*):( ?)/.exec(credentials) ?? [];
  if (name === undefined || TOKEN.test(name)) return false;
  return blank === ' ' || name === '' || name.includes(' ');
}

/** Whether a header of this name may carry an API key. */
export function mayCarryKey(name: string): boolean {
  return TOKEN.test(name) && OF_A_KEY.test(name) && !RESERVED.test(name);
}

/**
 * `Header-Name: value`, or a bare value for `X-API-Key`. Without a space after the colon it is taken
 * for a header when the name looks like one (`X-Key:value`), so that a key `id:secret` stays whole.
 */
function apiKeyHeader(credentials: string): { name: string; value: string } {
  const colon = credentials.indexOf(':');
  const name = credentials.slice(0, Math.max(colon, 0));
  const rest = credentials.slice(colon + 1);
  const named = TOKEN.test(name) && (rest.startsWith(' ') || /-|^authorization$/i.test(name));
  return named ? { name, value: rest.trim() } : { name: 'X-API-Key', value: credentials };
}

function namesOf(info: Record<string, unknown>): string[] {
  if (info['schemes'] !== undefined && info['schemes'] !== null) {
    const { schemes } = info;
    if (!Array.isArray(schemes)) throw invalidField(`${FIELD}.schemes`, 'must be a list of names');
    return schemes.flatMap((each: unknown, i) => textOf(each, `${FIELD}.schemes[${i}]`) ?? []);
  }
  const type = textOf(info['type'], `${FIELD}.type`);
  const scheme = textOf(info['scheme'], `${FIELD}.scheme`);
  // An OpenAPI-like form: `type: http` needs its scheme, every other type names itself.
  if (type !== undefined && type.toLowerCase() !== 'http') return [type];
  return scheme === undefined ? [] : [scheme];
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidField(field, 'must be a string');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
