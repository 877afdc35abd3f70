import { type FieldViolation, invalidFields } from '../../../common/hub-error.js';
import { mayCarryKey, NO_KEY_HEADER } from './auth-scheme.js';
import { keysFault, splitKeys } from './standard-webhooks.js';
import { parseUrlPattern } from './url-pattern.js';
import type { ProfileParameters, ProfileScheme } from '../auth-profile.js';
import { certificateFacts, certificatesFault, keyFault } from './client-certificate.js';
import { isUrl } from '../../../common/is-url.js';

/** The parameters that callers give; the public keys come from the hub. */
export type GivenParameters = Omit<ProfileParameters, 'publicKey' | 'previousPublicKey'>;
type Parameter = keyof GivenParameters;

interface SchemeRules {
  readonly required: readonly Parameter[];
  readonly optional: readonly Parameter[];
  /** `made`: by the hub when none is given. */
  readonly secret: 'required' | 'made' | 'none';
}

const RULES: Readonly<Record<ProfileScheme, SchemeRules>> = {
  bearer: { required: [], optional: [], secret: 'required' },
  basic: { required: ['username'], optional: [], secret: 'required' },
  'api-key': { required: [], optional: ['header'], secret: 'required' },
  hmac: { required: [], optional: [], secret: 'made' },
  ed25519: { required: [], optional: [], secret: 'made' },
  jwt: { required: [], optional: [], secret: 'none' },
  oauth2: {
    required: ['tokenUrl', 'clientId'],
    optional: ['clientAuthentication', 'scope', 'audience', 'resource'],
    secret: 'required',
  },
  mtls: { required: ['certificate'], optional: ['ca'], secret: 'required' },
};
export const PARAMETERS: readonly Parameter[] = [
  ...new Set(Object.values(RULES).flatMap(({ required, optional }) => [...required, ...optional])),
];

const PRINTABLE = /^[\x20-\x7e]+$/;
const NO_SPACES = /^[\x21-\x7e]+$/;
const NO_CONTROLS = /^[^\p{Cc}]+$/u;

type Rule = (value: string) => string | undefined;
const printable: Rule = (value) => (PRINTABLE.test(value) ? undefined : 'must be printable ASCII');

const PARAMETER_RULES: Readonly<Partial<Record<Parameter, Rule>>> = {
  username: (value) =>
    NO_CONTROLS.test(value) && !value.includes(':')
      ? undefined
      : 'must not contain a colon or control characters',
  header: (value) => (mayCarryKey(value) ? undefined : NO_KEY_HEADER),
  clientId: printable,
  scope: printable,
  audience: printable,
  resource: (value) =>
    NO_SPACES.test(value) && isUrl(value) && !value.includes('#')
      ? undefined
      : 'must be an absolute URL without a fragment',
  certificate: certificatesFault,
  ca: certificatesFault,
};

const SECRET_RULES: Readonly<Partial<Record<ProfileScheme, Rule>>> = {
  bearer: (secret) =>
    NO_SPACES.test(secret) ? undefined : 'must be printable ASCII without spaces',
  basic: (secret) => (NO_CONTROLS.test(secret) ? undefined : 'must not contain control characters'),
  'api-key': (secret) =>
    PRINTABLE.test(secret) && secret.trim() === secret
      ? undefined
      : 'must be printable ASCII without spaces around it',
  hmac: (secret) => oneKey(secret) ?? keysFault(secret, 'hmac'),
  ed25519: (secret) => oneKey(secret) ?? keysFault(secret, 'ed25519'),
  oauth2: printable,
};

/** Whether the hub makes the scheme's secret itself when none is given. */
export function makesSecret(scheme: ProfileScheme): boolean {
  return RULES[scheme].secret === 'made';
}

/** Whether requests are signed by the old and the new secret for a while. */
export function overlaps(scheme: ProfileScheme): boolean {
  return scheme === 'hmac' || scheme === 'ed25519';
}

/** Throws INVALID_PARAMS naming each field that a profile of this scheme lacks, or cannot have. */
export function checkParameters(scheme: ProfileScheme, given: GivenParameters): void {
  const { required, optional } = RULES[scheme];
  const allowed = [...required, ...optional];
  const violations = PARAMETERS.flatMap((field): FieldViolation[] => {
    const value = given[field];
    if (value === undefined) {
      const missing = required.includes(field);
      return missing ? [{ field, description: `is required for the scheme ${scheme}` }] : [];
    }
    if (!allowed.includes(field)) {
      return [{ field, description: `is not for the scheme ${scheme}` }];
    }
    const description = value === '' ? 'must not be empty' : PARAMETER_RULES[field]?.(value);
    return description === undefined ? [] : [{ field, description }];
  });
  if (violations.length > 0) throw invalidFields(violations);
}

/** Throws INVALID_PARAMS when the scheme cannot use this secret, or needs one. Never shows it. */
export function checkSecret(
  scheme: ProfileScheme,
  secret: string | undefined,
  { certificate }: GivenParameters,
  now: Date,
): void {
  const violations: FieldViolation[] = [];
  const refuse = (field: string, description: string | undefined): void => {
    if (description !== undefined) violations.push({ field, description });
  };
  const needed = RULES[scheme].secret;
  if (secret === undefined) {
    if (needed === 'required') refuse('secret', `is required for the scheme ${scheme}`);
  } else if (needed === 'none') {
    refuse('secret', `is not for the scheme ${scheme}, whose keys are those of the hub`);
  } else {
    refuse('secret', SECRET_RULES[scheme]?.(secret));
    if (certificate !== undefined) refuse('secret', keyFault(secret, certificate));
  }
  if (certificate !== undefined) {
    const facts = certificateFacts(certificate, now);
    if (facts?.state === 'expired') {
      refuse('certificate', `has expired on ${facts.notAfter.toISOString()}`);
    }
  }
  if (violations.length > 0) throw invalidFields(violations);
}

/** Throws INVALID_PARAMS naming each pattern that cannot be read, or does not fit the scheme. */
export function checkUrls(scheme: ProfileScheme, urls: readonly string[]): void {
  const violations = urls.flatMap((written, i): FieldViolation[] => {
    const field = `urls[${i}]`;
    const pattern = parseUrlPattern(written);
    if (!pattern) {
      return [
        { field, description: 'must be like https://hooks.example.com/path or *.example.com' },
      ];
    }
    if (scheme === 'mtls' && pattern.protocol === 'http:') {
      return [{ field, description: 'must be https for the scheme mtls' }];
    }
    return [];
  });
  if (violations.length > 0) throw invalidFields(violations);
}

function oneKey(secret: string): string | undefined {
  return splitKeys(secret).length === 1 ? undefined : 'must be one key';
}
