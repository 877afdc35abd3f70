import type { FieldViolation } from '../../common/hub-error.js';
import type { SecretAuthentication } from '../../common/oauth/request-token.js';
import { givenOrReferred } from '../../common/secret-references/given-or-referred.js';
import { type DeclaredEntry, readDeclared, type ReadEntry } from '../../config/index.js';
import { SignInDto } from './sign-in.dto.js';

/** The key of the configuration they stand under. */
const KEY = 'console.signIn';
/** A scope (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** A way to sign in: an entry of `console.signIn`. */
export interface SignIn {
  /** The `id` of an entry in `auth.issuers`. */
  readonly issuerId: string;
  /** What people are shown. */
  readonly name: string;
  readonly clientId: string;
  /** The secret, or a reference to it in its stored form; null: the hub is a public client. */
  readonly clientSecret: string | null;
  readonly clientAuthentication: SecretAuthentication | undefined;
  readonly scopes: readonly string[];
  readonly audience: string | undefined;
  readonly resource: string | undefined;
}

/** The ways to sign in that the configuration declares; throws `ConfigError` with all that is wrong. */
export function readDeclaredSignIns(
  written: readonly DeclaredEntry[],
  issuers: readonly DeclaredEntry[],
): Promise<readonly SignIn[]> {
  const known = issuers.map(({ id }) => String(id));
  return readDeclared(KEY, written, SignInDto, (dto, before: readonly SignIn[]) =>
    readOne(dto, before, known),
  );
}

function readOne(
  dto: SignInDto,
  before: readonly SignIn[],
  known: readonly string[],
): ReadEntry<SignIn> {
  const faults: FieldViolation[] = [];
  const expect = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  const { issuer, name = issuer, clientId, clientAuthentication, scopes = ['openid'] } = dto;
  expect(known.includes(issuer), 'issuer', 'must be the id of an entry in auth.issuers');
  expect(!before.some(({ issuerId }) => issuerId === issuer), 'issuer', 'is that of one before it');
  expect(
    scopes.every((scope) => SCOPE.test(scope)),
    'scopes',
    'must have one scope in each entry, without blanks',
  );
  const secret = givenOrReferred(dto);
  const isRead = typeof secret !== 'object';
  expect(isRead, 'clientSecret', isRead ? '' : secret.fault);
  expect(
    clientAuthentication === undefined || secret !== undefined,
    'clientAuthentication',
    'needs clientSecret or clientSecretRef',
  );
  const { audience, resource } = dto;
  const entry: SignIn = {
    ...{ issuerId: issuer, name, clientId, clientAuthentication, scopes, audience, resource },
    clientSecret: isRead ? (secret ?? null) : null,
  };
  return { entry, faults };
}
