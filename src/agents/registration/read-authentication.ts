import { type FieldViolation, invalidField, invalidFields } from '../../common/hub-error.js';
import { isReferred, type Grantee } from '../../common/secret-references/referred-secret.js';
import type { Agent } from '../agent.js';
import {
  type AgentAuthentication,
  type AuthenticationParameters,
  SECRET_MEMBERS,
} from '../agent-authentication.js';
import { AUTHENTICATION_SCHEMES } from '../client/authentication/schemes.js';
import { Locked } from '../endpoint/sealed-json.js';
import { readSecret, type WrittenSecret } from '../endpoint/read-secret.js';

/** {@link AgentAuthentication} as an operator writes it: null is the same as absent. */
export type WrittenAuthentication = Pick<AgentAuthentication, 'type'> & {
  readonly [Name in keyof AuthenticationParameters]?:
    | AuthenticationParameters[Name]
    | (Name extends (typeof SECRET_MEMBERS)[number] ? WrittenSecret : never)
    | null
    | undefined;
};

const FIELD = 'authentication';

/** Throws INVALID_PARAMS naming each member that its type lacks, or cannot have; never with a value. */
export function readAuthentication(
  written: WrittenAuthentication | null | undefined,
  grantee: Grantee,
): AgentAuthentication | null {
  if (written === null || written === undefined) return null;
  const { type, ...rest } = withStoredSecrets(written, grantee);
  const scheme = AUTHENTICATION_SCHEMES[type];
  const violations: FieldViolation[] = [];
  const fault = (name: string, description: string): void =>
    void violations.push({ field: `${FIELD}.${name}`, description });
  const given = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  for (const [name, value] of given) {
    const member = scheme.members[name as keyof AuthenticationParameters];
    if (member === undefined) {
      fault(name, `is not for the type ${type}`);
      continue;
    }
    for (const text of [value].flat() as (string | boolean)[]) {
      if (typeof text !== 'string' || isReferred(text)) continue;
      const wrong = text === '' ? 'must not be empty' : member.rule?.(text);
      if (wrong !== undefined) fault(name, wrong);
    }
  }
  const authentication: AgentAuthentication = { type, ...Object.fromEntries(given) };
  for (const [name, { required }] of Object.entries(scheme.members)) {
    const isGiven = given.some(([one]) => one === name);
    if (required === true && !isGiven) fault(name, `is required for the type ${type}`);
  }
  for (const [name, wrong] of Object.entries(scheme.check?.(authentication) ?? {})) {
    fault(name, wrong);
  }
  if (violations.length > 0) throw invalidFields(violations);
  return authentication;
}

/** With each secret, or reference to one, as it is stored. Throws INVALID_PARAMS naming the member. */
function withStoredSecrets(
  written: WrittenAuthentication,
  grantee: Grantee,
): Pick<AgentAuthentication, 'type'> & Readonly<Record<string, unknown>> {
  const stored: Record<string, unknown> = { ...written };
  for (const name of SECRET_MEMBERS) {
    const value = written[name] ?? undefined;
    if (value !== undefined) stored[name] = readSecret(`${FIELD}.${name}`, value, grantee);
  }
  return { ...stored, type: written.type };
}

/** Two cannot set one header. Throws INVALID_PARAMS naming the header below `field`. */
export function refuseTwice(
  field: string,
  { credentials, authentication }: Pick<Agent, 'credentials' | 'authentication'>,
): void {
  if (authentication === null || authentication instanceof Locked) return;
  const twice = AUTHENTICATION_SCHEMES[authentication.type].headers.find(
    (name) => name in credentials,
  );
  if (twice !== undefined)
    throw invalidField(`${field}.${twice}`, 'is set by authentication as well');
}
