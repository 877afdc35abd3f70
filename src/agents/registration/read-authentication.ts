import { type FieldViolation, invalidField, invalidFields } from '../../common/hub-error.js';
import type { Agent } from '../agent.js';
import type { AgentAuthentication, AuthenticationParameters } from '../agent-authentication.js';
import { AUTHENTICATION_SCHEMES } from '../client/authentication/schemes.js';
import { Locked } from '../endpoint/sealed-json.js';

/** {@link AgentAuthentication} as an operator writes it: null is the same as absent. */
export type WrittenAuthentication = Pick<AgentAuthentication, 'type'> & {
  readonly [Name in keyof AuthenticationParameters]?:
    AuthenticationParameters[Name] | null | undefined;
};

const FIELD = 'authentication';

/** Throws INVALID_PARAMS naming each member that its type lacks, or cannot have; never with a value. */
export function readAuthentication(
  written: WrittenAuthentication | null | undefined,
): AgentAuthentication | null {
  if (written === null || written === undefined) return null;
  const { type, ...rest } = written;
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
      if (typeof text !== 'string') continue;
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
