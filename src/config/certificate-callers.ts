import { ID } from '../common/id-pattern.js';
import { ADDRESSABLE, ADDRESSABLE_RULE } from '../common/organization-id.js';
import { SCOPES, type Scope } from '../common/scope.js';
import { readName } from '../common/tls/distinguished-name.js';
import { isSpiffePattern } from '../common/tls/spiffe-id.js';
import { Setting, type SettingOptions } from './setting.js';

/** Whom a client certificate stands for. Exactly one of the three names is set. */
export interface CertificateCaller {
  /** `[a-z0-9-]{1,63}`, unique. */
  readonly name: string;
  /** The URI of the certificate, or `spiffe://…/*` for all below a path. */
  readonly spiffeId?: string;
  /** A DNS name of the certificate. */
  readonly dnsName?: string;
  /** The whole subject, as RFC 4514 writes it (`CN=agent,O=Acme`). */
  readonly subject?: string;
  readonly organization: string;
  readonly scopes: readonly Scope[];
}

const NAMES = ['spiffeId', 'dnsName', 'subject'] as const;
const MEMBERS: readonly string[] = ['name', ...NAMES, 'organization', 'scopes'];
const MOST = 1000;
const DNS_NAME =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
/** What the API takes as the id of an organization. */
const ORGANIZATION = new RegExp(
  `^${ADDRESSABLE}(?=.*[\\p{L}\\p{N}])[^\\p{Cc}\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069]{1,200}$`,
  'u',
);
const ALLOWED =
  'a list (in a file only), each with name ([a-z0-9-]{1,63}), one of spiffeId (spiffe://acme.example/agent, or spiffe://acme.example/* for all below), dnsName, subject (CN=agent,O=Acme), and organization and scopes';

/** The setting that holds such a list. */
export function certificateCallers(
  options: SettingOptions<readonly CertificateCaller[]>,
): Setting<readonly CertificateCaller[]> {
  return new Setting<readonly CertificateCaller[]>(
    { ...options, faults: faultsOf },
    ALLOWED,
    (input) =>
      Array.isArray(input) && faultsOf(input).length === 0
        ? (input as CertificateCaller[])
        : undefined,
  );
}

/** Everything that is wrong with the list, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  if (input.length > MOST) return [`has more than ${MOST} entries`];
  const [names, subjects] = [new Set<unknown>(), new Set<string>()];
  return input.flatMap((each: unknown, index) => {
    const at = `[${index}]`;
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      return [`${at}: is not a mapping`];
    }
    const entry = each as Readonly<Record<string, unknown>>;
    const twice = names.has(entry['name']) ? ['.name: is the name of an entry before it'] : [];
    names.add(entry['name']);
    for (const key of NAMES) {
      const value = entry[key];
      if (typeof value !== 'string') continue;
      const compared = `${key} ${COMPARED[key](value)}`;
      if (subjects.has(compared)) twice.push(`.${key}: is that of an entry before it`);
      subjects.add(compared);
    }
    return [...faultsOfEntry(entry), ...twice].map((fault) => at + fault);
  });
}

function faultsOfEntry(entry: Readonly<Record<string, unknown>>): string[] {
  const faults = Object.keys(entry)
    .filter((key) => !MEMBERS.includes(key))
    .map((key) => `.${key}: is not a member; known here: ${MEMBERS.join(', ')}`);
  const named = NAMES.filter((key) => entry[key] !== undefined);
  if (named.length !== 1) faults.push(`: needs exactly one of ${NAMES.join(', ')}`);
  const check = (key: string, isRight: (text: string) => boolean, rule: string): void => {
    const value = entry[key];
    if (typeof value !== 'string' || !isRight(value)) faults.push(`.${key}: ${rule}`);
  };
  check('name', (text) => ID.test(text), 'is not [a-z0-9-]{1,63}');
  check(
    'organization',
    (text) => ORGANIZATION.test(text),
    `is not a name of 1 to 200 characters, ${ADDRESSABLE_RULE}`,
  );
  for (const key of named) check(key, ...RULES[key]);
  const { scopes } = entry;
  const known: readonly unknown[] = SCOPES;
  if (
    !Array.isArray(scopes) ||
    scopes.length === 0 ||
    !scopes.every((one) => known.includes(one))
  ) {
    faults.push(`.scopes: is not a list of one or more of ${SCOPES.join(', ')}`);
  }
  return faults;
}

/** What two names have in common that stand for the same. */
const COMPARED: Readonly<Record<(typeof NAMES)[number], (text: string) => string>> = {
  spiffeId: (text) => text,
  dnsName: (text) => text.toLowerCase(),
  subject: (text) => readName(text) ?? text,
};

const RULES: Readonly<
  Record<(typeof NAMES)[number], readonly [(text: string) => boolean, string]>
> = {
  spiffeId: [
    isSpiffePattern,
    'is not a SPIFFE id (spiffe://acme.example/agent, or spiffe://acme.example/* for all below)',
  ],
  dnsName: [(text) => DNS_NAME.test(text), 'is not a DNS name (without wildcards)'],
  subject: [
    (text) => text.length <= 1000 && readName(text) !== undefined,
    'is not a distinguished name (CN=agent,O=Acme); see: openssl x509 -noout -subject -nameopt RFC2253 -in FILE',
  ],
};
