import { createHash, timingSafeEqual } from 'node:crypto';
import type { IdSource } from '../common/ids.js';

/** Request headers, as Node gives them: names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An API key or an access token, as a caller shows it. */
export interface Presented {
  readonly value: string;
  /** It came as a bearer token (RFC 6750 §2.1), not as an API key. */
  readonly isBearer: boolean;
}

/** What a caller presents: `Authorization: Bearer KEY` or `Bearer TOKEN`, else `X-API-Key: KEY`. */
export function presented(headers: RequestHeaders): Presented | undefined {
  const authorization = first(headers['authorization']);
  const bearer = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined) return { value: bearer, isBearer: true };
  const key = first(headers['x-api-key']);
  return key ? { value: key, isBearer: false } : undefined;
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

/** What the hub keeps of a key: its SHA-256 in hexadecimal. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function first(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
