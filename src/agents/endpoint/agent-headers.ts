import { invalidField } from '../../common/hub-error.js';

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
 * the header (never its value) below `field`.
 */
export function readHeaders(field: string, headers: Readonly<Record<string, unknown>>) {
  const read: Record<string, string> = {};
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    if (!NAME.test(name)) throw invalidField(`${field}.${written}`, 'is not a header name');
    if (RESERVED.has(name)) throw invalidField(`${field}.${written}`, 'is set by the hub');
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw invalidField(`${field}.${written}`, 'must be a string without line ends');
    }
    read[name] = value.trim();
  }
  return read;
}
