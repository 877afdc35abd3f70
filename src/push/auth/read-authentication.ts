import { isRecord } from '../../common/is-record.js';
import { invalidField } from '../../common/hub-error.js';
import type { AuthenticationInfo } from '../../protocol/a2a.js';
import { refuseControl } from './domain/header-values.js';
import type { ClientScheme, StoredAuthentication } from './schemes/scheme.js';
import { type AuthSchemeName, CLIENT_SCHEMES } from './schemes/schemes.js';

/** How the hub proves itself to a webhook, as a client asked for it. */
export interface RequestedAuthentication extends StoredAuthentication {
  readonly scheme: AuthSchemeName;
  /** All scheme names as they were written; the first supported one is used. */
  readonly names: readonly string[];
}

const ALIASES: ReadonlyMap<string, ClientScheme> = new Map(
  [...CLIENT_SCHEMES.values()].flatMap((scheme) => scheme.aliases.map((name) => [name, scheme])),
);
const SUPPORTED = [...CLIENT_SCHEMES.values()].map(({ label }) => label).join(', ');

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
  const scheme = names.map((name) => ALIASES.get(name.toLowerCase())).find((each) => each);
  if (!scheme) {
    throw invalidField(
      `${FIELD}.scheme`,
      `${names.join(', ')} is not supported; the hub knows ${SUPPORTED}`,
    );
  }
  const read = scheme.read(credentials, names.join(', '), `${FIELD}.credentials`);
  // A scheme gives its own name, or that of another one of the list.
  return { ...read, scheme: read.scheme as AuthSchemeName, names };
}

/** Of the names that a client gave, that of the scheme which is used; undefined when there is none. */
export function usedName(names: readonly string[]): string | undefined {
  return names.find((name) => ALIASES.has(name.toLowerCase())) ?? names[0];
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
