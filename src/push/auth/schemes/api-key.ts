import { invalidField } from '../../../common/hub-error.js';
import { AuthImpossibleError } from '../auth-failure.js';
import {
  NO_KEY_HEADER,
  isHeaderName,
  mayCarryKey,
  refuseUnprintable,
} from '../domain/header-values.js';
import { required, trimmed } from './rules.js';
import { type Proving, type Scheme, carry } from './scheme.js';

const DEFAULT_HEADER = 'X-API-Key';
const NO_HEADER =
  'must be Header-Name: value, with a name that is not empty and has only what names of headers have, or a value alone (as X-API-Key: value where that begins like a header)';

/** A key in a header of its own. */
export const apiKey = {
  name: 'api-key',
  client: {
    label: 'ApiKey',
    aliases: ['apikey', 'api-key'],
    read: (given, names, field) => {
      const credentials = required(given, names, field);
      refuseUnprintable(credentials, field);
      if (namesNoHeader(credentials)) throw invalidField(field, NO_HEADER);
      const { name, value } = headerOf(credentials);
      if (!mayCarryKey(name))
        throw invalidField(field, `names the header ${name}, which ${NO_KEY_HEADER}`);
      if (value === '') throw invalidField(field, `has no value for the header ${name}`);
      return { scheme: 'api-key', credentials, profile: null };
    },
    prove: (proving) => carryKey(proving, proving.credentials()),
  },
  profile: {
    parameters: { header: { rule: (value) => (mayCarryKey(value) ? undefined : NO_KEY_HEADER) } },
    secret: { label: 'key', rule: trimmed },
    prove: (proving) =>
      carryKey(proving, `${proving.parameters.header ?? DEFAULT_HEADER}: ${proving.secret}`),
  },
} as const satisfies Scheme;

function carryKey(proving: Proving, credentials: string): void {
  const { name, value } = headerOf(credentials);
  // What was registered when more headers were allowed is not sent.
  if (!mayCarryKey(name)) throw new AuthImpossibleError(`the header ${name} ${NO_KEY_HEADER}`);
  const forms = [credentials, value, value.replace(/^\S+ /, '')];
  carry(proving, { [name.toLowerCase()]: value }, forms);
}

/** It reads as a header, but what is before the colon cannot be the name of one. */
function namesNoHeader(credentials: string): boolean {
  const [, name, blank] = /^([^:]*):( ?)/.exec(credentials) ?? [];
  if (name === undefined || isHeaderName(name)) return false;
  return blank === ' ' || name === '' || name.includes(' ');
}

/**
 * `Header-Name: value`, or a bare value for `X-API-Key`. Without a space after the colon it is taken
 * for a header when the name looks like one (`X-Key:value`), so that a key `id:secret` stays whole.
 */
function headerOf(credentials: string): { name: string; value: string } {
  const colon = credentials.indexOf(':');
  const name = credentials.slice(0, Math.max(colon, 0));
  const rest = credentials.slice(colon + 1);
  const named = isHeaderName(name) && (rest.startsWith(' ') || /-|^authorization$/i.test(name));
  return named ? { name, value: rest.trim() } : { name: DEFAULT_HEADER, value: credentials };
}
