import { type HubError, invalidField } from '../../common/hub-error.js';
import { type Grantee, readReferred } from '../../common/secret-references/referred-secret.js';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters, spaces and tabs (RFC 9110 §5.5); no line ends. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Of one agent; many servers answer 431 when all headers of a request, the hub's own as well, are over 16 KiB. */
const MAX_HEADERS = 32;
const MAX_VALUE = 8192;
const MAX_ALL = 12_288;

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
  const read = new Map<string, string>();
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    if (!NAME.test(name)) throw invalidField(`${field}.${written}`, 'is not a header name');
    if (RESERVED.has(name)) throw invalidField(`${field}.${written}`, 'is set by the hub');
    if (read.has(name)) throw isTwice(field, written);
    read.set(name, readValue(`${field}.${written}`, value, grantee));
  }
  const all = Object.fromEntries(read);
  checkSize(field, all);
  return all;
}

/** Why a header cannot be given in two spellings. */
export function isTwice(field: string, written: string): HubError {
  return invalidField(`${field}.${written}`, 'is given twice: names of headers have no case');
}

/** Throws HubError INVALID_PARAMS for more headers than an agent may have; what references stand for is not counted. */
export function checkSize(field: string, headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw invalidField(field, `has more than ${MAX_HEADERS}`);
  const sizes = entries.map(
    ([name, value]) => name.length + (VALUE.test(value) ? value.length : 0),
  );
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all > MAX_ALL) {
    throw invalidField(field, `has more than ${MAX_ALL} characters in names and values together`);
  }
}

function readValue(field: string, value: unknown, grantee: Grantee): string {
  if (typeof value === 'string') return readText(field, value.trim());
  let referred: string | undefined;
  try {
    referred = readReferred(value, grantee);
  } catch (error) {
    throw invalidField(field, (error as Error).message);
  }
  if (referred !== undefined) return referred;
  throw invalidField(field, 'must be a string, or {"secretRef": …}');
}

function readText(field: string, text: string): string {
  if (text === '') throw invalidField(field, 'must not be empty');
  if (text.length > MAX_VALUE) throw invalidField(field, `must be at most ${MAX_VALUE} characters`);
  if (!VALUE.test(text)) {
    throw invalidField(
      field,
      'must be of Latin-1 characters alone, without line ends and controls',
    );
  }
  return text;
}
