import { invalidField } from '../../common/hub-error.js';
import { type Grantee, readReferred } from '../../common/secret-references/referred-secret.js';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters, spaces and tabs (RFC 9110 §5.5); no line ends. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What HTTP or the hub itself decides. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
  'a2a-hub-caller',
  'a2a-hub-hops',
  'traceparent',
]);

/**
 * Headers as an operator gave them, with names in lower case. Throws HubError INVALID_PARAMS naming
 * the header (never its value) below `field`. A value may be a reference (`{"secretRef": …}`), which `grantee` sets.
 */
export function readHeaders(
  field: string,
  headers: Readonly<Record<string, unknown>>,
  grantee: Grantee,
): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    if (!NAME.test(name)) throw invalidField(`${field}.${written}`, 'is not a header name');
    if (RESERVED.has(name)) throw invalidField(`${field}.${written}`, 'is set by the hub');
    read[name] = readValue(`${field}.${written}`, value, grantee);
  }
  return read;
}

function readValue(field: string, value: unknown, grantee: Grantee): string {
  if (typeof value === 'string' && VALUE.test(value)) return value.trim();
  let referred: string | undefined;
  try {
    referred = readReferred(value, grantee);
  } catch (error) {
    throw invalidField(field, (error as Error).message);
  }
  if (referred !== undefined) return referred;
  throw invalidField(field, 'must be a string without line ends, or {"secretRef": …}');
}
