import { isRecord } from '../../common/is-record.js';
import { invalidField } from '../../common/hub-error.js';
import { MAX_KEYS, readPublicJwk } from '../../common/jwks/public-jwk.js';
import type { CardKeys } from '../agent.js';
import { isUrl } from '../../common/is-url.js';

const MAX_URL = 2048;

/**
 * Keys to be pinned, as an operator wrote them: a JWK Set or `{"jwksUrl": …}`. Throws HubError
 * INVALID_PARAMS naming the member below `field`; a private key is refused, never kept.
 */
export function readCardKeys(field: string, written: unknown): CardKeys | null {
  if (written === null || written === undefined) return null;
  if (!isRecord(written)) throw invalidField(field, 'must be {"keys": […]} or {"jwksUrl": "…"}');
  const { keys, jwksUrl, ...others } = written;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidField(`${field}.${unknown}`, 'is not known');
  if ((keys === undefined) === (jwksUrl === undefined)) {
    throw invalidField(field, 'must have either keys or jwksUrl');
  }
  if (keys === undefined) return { jwksUrl: readUrl(`${field}.jwksUrl`, jwksUrl) };
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) {
    throw invalidField(`${field}.keys`, `must be an array of 1 to ${MAX_KEYS} JSON Web Keys`);
  }
  return { keys: keys.map((key: unknown, index) => readPublicJwk(`${field}.keys[${index}]`, key)) };
}

function readUrl(field: string, value: unknown): string {
  const isHttp = typeof value === 'string' && /^https?:\/\//i.test(value) && isUrl(value);
  if (!isHttp || value.length > MAX_URL) throw invalidField(field, 'must be an http(s) URL');
  return value;
}
