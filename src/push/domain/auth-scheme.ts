import { invalidField } from '../../common/hub-error.js';
import type { AuthenticationInfo } from '../../protocol/a2a.js';
import type { AuthScheme } from '../push-config.js';

/** How the hub proves itself to a webhook, as a client asked for it. */
export interface RequestedAuthentication {
  readonly scheme: AuthScheme;
  /** All scheme names as they were written; the first supported one is used. */
  readonly names: readonly string[];
  readonly credentials: string;
}

const SCHEMES: ReadonlyMap<string, AuthScheme> = new Map([
  ['bearer', 'bearer'],
  ['basic', 'basic'],
  ['apikey', 'api-key'],
  ['api-key', 'api-key'],
]);
const SUPPORTED = 'Bearer, Basic, ApiKey';

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Headers that belong to HTTP or to the hub; an API key in one of them would break the request. */
const RESERVED =
  /^(host|connection|content-.*|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept-encoding|proxy-.*|user-agent|webhook-.*|a2a-.*|x-a2a-.*|traceparent)$/i;

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
  if (credentials === undefined) {
    throw invalidField(`${FIELD}.credentials`, `are required for ${names.join(', ')}`);
  }
  checkCredentials(scheme, credentials);
  return { scheme, names, credentials };
}

/** The header that carries the credentials. */
export function authHeader(scheme: AuthScheme, credentials: string): Record<string, string> {
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

/** The values that must never be shown, in the forms they are sent in. */
export function secretForms(scheme: AuthScheme, credentials: string): string[] {
  const sent = Object.values(authHeader(scheme, credentials));
  return [credentials, ...sent.flatMap((value) => [value, value.replace(/^\S+ /, '')])];
}

/** Throws INVALID_PARAMS when a value that becomes a header could split it. */
export function refuseControl(value: string, field: string): void {
  if (CONTROL.test(value))
    throw invalidField(field, 'must not contain line breaks or control characters');
}

/** Throws INVALID_PARAMS when the value cannot stand in a header as it is. */
export function refuseUnprintable(value: string, field: string): void {
  refuseControl(value, field);
  if (!PRINTABLE.test(value)) throw invalidField(field, 'must be printable ASCII');
}

function checkCredentials(scheme: AuthScheme, credentials: string): void {
  const field = `${FIELD}.credentials`;
  refuseControl(credentials, field);
  if (scheme === 'basic' && credentials.includes(':')) return;
  refuseUnprintable(credentials, field);
  if (scheme !== 'api-key') return;
  const { name } = apiKeyHeader(credentials);
  if (RESERVED.test(name)) throw invalidField(field, `the header ${name} is the hub's own`);
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
