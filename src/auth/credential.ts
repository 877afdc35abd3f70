import { hash, timingSafeEqual } from 'node:crypto';
import { HubError } from '../common/hub-error.js';
import type { IdSource } from '../common/ids.js';

/** Request headers, as Node gives them: names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An API key or an access token, as a caller shows it. */
export interface Presented {
  readonly value: string;
  /** It came as a bearer token (RFC 6750 §2.1), not as an API key. */
  readonly isBearer: boolean;
}

const BEARER = /^bearer +(\S+) *$/i;

/** What a caller presents: `Authorization: Bearer KEY` or `Bearer TOKEN`, else `X-API-Key: KEY`. */
export function presented(headers: RequestHeaders): Presented | undefined {
  const authorization = first(headers['authorization']);
  const bearer = BEARER.exec(authorization ?? '')?.[1];
  if (bearer !== undefined) return { value: bearer, isBearer: true };
  const key = first(headers['x-api-key']);
  return key ? { value: key, isBearer: false } : undefined;
}

/** What a proxy in front of the hub may ask for itself: no credential of the hub. */
const OF_A_PROXY = /^(basic|digest|negotiate|ntlm) /i;

/**
 * Throws INVALID_REQUEST when a request shows more than one credential: whoever stands between may look at the other one.
 * `raw`: the headers as they came, name and value in turns, where the server has joined or dropped those of one name.
 */
export function refuseSeveral(headers: RequestHeaders, raw: readonly string[] = []): void {
  const { authorization, 'x-api-key': key } = headers;
  if (isRepeated(authorization, 'authorization', raw)) throw several('Authorization');
  if (key === undefined) return;
  if (isRepeated(key, 'x-api-key', raw)) throw several('X-API-Key');
  const [shown, other] = [first(authorization), first(key)];
  if (!shown || !other || OF_A_PROXY.test(shown) || BEARER.exec(shown)?.[1] === other) return;
  throw new HubError(
    'INVALID_REQUEST',
    'Authorization and X-API-Key hold different credentials: send one of the two.',
    { refusal: { cause: 'several-credentials' } },
  );
}

function isRepeated(header: RequestHeaders[string], name: string, raw: readonly string[]): boolean {
  if (typeof header === 'object') return header.length > 1;
  if (header === undefined) return false;
  let count = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const each = raw[at]!;
    if (each.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

function several(header: string): HubError {
  return new HubError(
    'INVALID_REQUEST',
    `There is more than one ${header} header: send one credential.`,
    { refusal: { cause: 'several-credentials' } },
  );
}

/** A new key: `hub_<id>_<secret>`, the secret of 256 random bits. */
export function newKey(ids: IdSource): { readonly id: string; readonly key: string } {
  const id = ids.next().replaceAll('-', '');
  return { id, key: `hub_${id}_${ids.secret(32)}` };
}

/** Whether this can be the id of a key (the configured admin key's is its own kind). */
export function isKeyId(text: string): boolean {
  return /^[0-9a-z-]{1,64}$/.test(text);
}

/** The id in a key of the form {@link newKey} makes. */
export function keyIdOf(key: string): string | undefined {
  return /^hub_([0-9a-z]{1,64})_\S+$/.exec(key)?.[1];
}

/** A key of the hub, or most of one, whatever stands around it and however its letters are written. */
const LIKE_A_KEY = /(?:^|[^0-9a-z])hub_|hub_[0-9a-z]{16}|[0-9a-f]{8}_[\w-]{40}/i;
/** What a bearer token can be (RFC 6750 §2.1, `b64token`). */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/;

/** Whether this may be an access token of an issuer, and nothing that was meant as a key of the hub. */
export function isLikeToken(text: string): boolean {
  return BEARER_TOKEN.test(text) && !LIKE_A_KEY.test(text);
}

/** Whether this has the form of a JWT: three parts of base64url. */
export function isJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** What the hub keeps of a key: its SHA-256 in hexadecimal. */
export function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function first(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
