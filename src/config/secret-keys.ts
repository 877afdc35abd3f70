import type { SecretKey } from '../common/secret-box.js';
import { Setting, type SettingOptions } from './setting.js';

const ID = /^[A-Za-z0-9._-]{1,64}$/;
/** What the forms of references and of stored values begin with. */
const RESERVED: ReadonlySet<string> = new Set(['env', 'file', 'plain', 'v1']);
const KEY_BYTES = 32;
/** Standard or URL-safe, with or without padding. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const MAKE_ONE = 'make one with: openssl rand -base64 32';
const ALLOWED = 'a list of ID:KEY, the key 32 bytes as base64';

/**
 * The keys that encrypt secrets, each `ID:KEY`. An entry may hold several, one a line, so that one
 * `file:PATH` can be the whole list.
 */
export function secretKeys(
  options: SettingOptions<readonly SecretKey[]>,
): Setting<readonly SecretKey[]> {
  return new Setting<readonly SecretKey[]>(
    {
      ...options,
      secret: true,
      list: true,
      faults: secretKeyFaults,
      mask: (keys) => keys.map(({ id }) => `${id}:********`).join(', '),
    },
    ALLOWED,
    (input) => {
      const entries = entriesOf(input);
      return entries && secretKeyFaults(input).length === 0 ? entries.map(readKey) : undefined;
    },
  );
}

/** What is wrong with a list of keys, by their place in it, without any key. */
export function secretKeyFaults(input: unknown): string[] {
  const entries = entriesOf(input);
  if (entries === undefined) return [];
  const ids = entries.map((entry) => entry.split(':')[0]);
  return entries.flatMap((entry, index) => {
    const fault = faultOf(entry, ids.indexOf(ids[index]) < index);
    return fault === undefined ? [] : [`[${index}]: ${fault}`];
  });
}

/** The keys of a text that has no faults: `ID:KEY`, separated by commas or line breaks. */
export function readSecretKeys(text: string): SecretKey[] {
  return (entriesOf(text) ?? []).map(readKey);
}

function faultOf(entry: string, isRepeated: boolean): string | undefined {
  const [id = '', key, ...more] = entry.split(':');
  if (key === undefined || more.length > 0) return `is not ID:KEY (not shown); ${MAKE_ONE}`;
  if (!ID.test(id)) return 'has an id that is not 1 to 64 of A-Z a-z 0-9 . _ -';
  if (RESERVED.has(id)) return `has the id ${id}, which is reserved; take another`;
  if (isRepeated) return `repeats the id ${id}; each key needs an id of its own`;
  if (!BASE64.test(key)) return `the key ${id} is not base64; ${MAKE_ONE}`;
  const { length } = Buffer.from(key, 'base64');
  return length === KEY_BYTES
    ? undefined
    : `the key ${id} has ${length} bytes, not ${KEY_BYTES}; ${MAKE_ONE}`;
}

/** Undefined when it is no list of texts. */
function entriesOf(input: unknown): string[] | undefined {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (!list.every((entry) => typeof entry === 'string')) return undefined;
  return list
    .flatMap((entry) => entry.split(/[,\r\n]/))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'));
}

function readKey(entry: string): SecretKey {
  const [id = '', key = ''] = entry.split(':');
  return { id, key: Buffer.from(key, 'base64').toString('base64') };
}
