import { isRecord } from '../../common/is-record.js';
import { ADDRESSABLE, ADDRESSABLE_RULE } from '../../common/organization-id.js';
import type { Scope } from '../../common/scope.js';

/** Where an issuer's tokens say who the caller is: names of claims, or paths through objects (`realm_access.roles`). */
export interface ClaimNames {
  readonly subject: string;
  readonly organization: string;
  readonly groups: string;
  readonly scopes: string;
}

/** The scopes of the hub that callers of an issuer have. */
export interface Grants {
  /** Every caller. */
  readonly everyone: readonly Scope[];
  /** Those whose token has a scope, by the scope. */
  readonly scopes: ReadonlyMap<string, readonly Scope[]>;
  /** Those in a group, by the group. */
  readonly groups: ReadonlyMap<string, readonly Scope[]>;
}

/** How an issuer's claims make a caller. */
export interface ClaimRules {
  readonly claims: ClaimNames;
  /** All callers of the issuer belong to this one; null: the claim says it. */
  readonly organization: string | null;
  /** Those the claim may name; null: any. */
  readonly organizations: readonly string[] | null;
  readonly grants: Grants;
}

/** Who a token says is calling. */
export interface CallerClaims {
  readonly subject: string;
  readonly organization: string;
  readonly groups: readonly string[];
  /** In the order of their names, none twice. */
  readonly scopes: readonly Scope[];
}

/** A fault of a token that its holder is told of, as a sentence. */
export class TokenRefused extends Error {
  constructor(
    message: string,
    /** The same for the audit log, in one word of a fixed list (docs/audit.md). */
    readonly fault: string,
  ) {
    super(message);
  }
}

/** Something to see, printable, and no part of a pair: two subjects never become one. */
const SUBJECT = /^(?=[^]*[\p{L}\p{N}\p{P}\p{S}])[^\p{Cc}\p{Cs}]{1,255}$/u;
const ORGANIZATION = /^(?=.*[\p{L}\p{N}])[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]{1,200}$/u;
const ADDRESSED = new RegExp(`^${ADDRESSABLE}`, 'u');
/** Groups of one caller that are looked at, and how long their names may be. */
const MAX_GROUPS = 500;
const MAX_GROUP_LENGTH = 200;

/** The caller of a token whose signature, issuer, audience and times are right. Throws {@link TokenRefused}. */
export function callerOf(
  token: Readonly<Record<string, unknown>>,
  rules: ClaimRules,
): CallerClaims {
  const { claims } = rules;
  const subject = claimAt(token, claims.subject);
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) {
    throw new TokenRefused(
      subject === undefined
        ? `The access token names no subject in its claim ${claims.subject}.`
        : `The access token has a subject in its claim ${claims.subject} that is no text of 1 to 255 characters, not only blanks, without control characters.`,
      'no-subject',
    );
  }
  const groups = textsOf(claimAt(token, claims.groups)).filter(
    (group) => group.length <= MAX_GROUP_LENGTH,
  );
  const scopes = new Set(rules.grants.everyone);
  for (const scope of words(claimAt(token, claims.scopes))) add(scopes, rules.grants.scopes, scope);
  for (const group of groups) add(scopes, rules.grants.groups, group);
  return {
    subject,
    organization: organizationOf(token, rules),
    groups: groups.slice(0, MAX_GROUPS),
    scopes: [...scopes].sort(),
  };
}

function organizationOf(token: Readonly<Record<string, unknown>>, rules: ClaimRules): string {
  const { organization: fixed, organizations, claims } = rules;
  if (fixed !== null) return fixed;
  const named = claimAt(token, claims.organization);
  // Some providers always write a list.
  const organization = Array.isArray(named) && named.length === 1 ? (named[0] as unknown) : named;
  if (typeof organization !== 'string' || !ORGANIZATION.test(organization)) {
    throw new TokenRefused(
      `The access token names no organization, or several, in its claim ${claims.organization}.`,
      'no-organization',
    );
  }
  if (!ADDRESSED.test(organization)) {
    throw new TokenRefused(
      `The access token names an organization in its claim ${claims.organization} that can have no such id: ids of organizations are ${ADDRESSABLE_RULE}.`,
      'invalid-organization',
    );
  }
  if (organizations !== null && !organizations.includes(organization)) {
    throw new TokenRefused(
      'The organization of the access token is not one that its issuer may name here.',
      'unlisted-organization',
    );
  }
  return organization;
}

/** A claim by its name, else by the path that the name is. */
function claimAt(token: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(token, name)) return token[name];
  return name.split('.').reduce<unknown>(memberOf, token);
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** OAuth writes scopes as one text with blanks between them; some providers write a list. */
function words(claim: unknown): string[] {
  return typeof claim === 'string' ? claim.split(' ').filter(Boolean) : textsOf(claim);
}

function textsOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : [];
}

function add(to: Set<Scope>, grants: ReadonlyMap<string, readonly Scope[]>, name: string): void {
  for (const scope of grants.get(name) ?? []) to.add(scope);
}
