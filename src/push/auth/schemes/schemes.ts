import { apiKey } from './api-key.js';
import { basic } from './basic.js';
import { bearer } from './bearer.js';
import { ed25519 } from './ed25519.js';
import { hmac } from './hmac.js';
import { jwt } from './jwt.js';
import { mtls } from './mtls.js';
import { oauth2 } from './oauth2.js';
import { profile } from './profile.js';
import type { ClientScheme, GivenParameters, ProfileScheme } from './scheme.js';

/** All schemes. To add one, write its file and list it here; new parameters go into `profile-parameters.dto.ts`. */
const SCHEMES = [bearer, basic, apiKey, hmac, ed25519, jwt, oauth2, mtls, profile] as const;

type AnyScheme = (typeof SCHEMES)[number];

/** The schemes that a webhook can name. */
export type AuthSchemeName = Extract<AnyScheme, { client: unknown }>['name'];
/** The schemes that an auth profile can have. */
export type ProfileSchemeName = Extract<AnyScheme, { profile: unknown }>['name'];

/** Those that clients can name, by name. */
export const CLIENT_SCHEMES: ReadonlyMap<AuthSchemeName, ClientScheme> = new Map(
  SCHEMES.flatMap((each) => ('client' in each ? [[each.name, each.client]] : [])),
);

/** Those of auth profiles, by name. */
export const PROFILE_SCHEMES: ReadonlyMap<ProfileSchemeName, ProfileScheme> = new Map(
  SCHEMES.flatMap((each) => ('profile' in each ? [[each.name, each.profile]] : [])),
);

export const AUTH_SCHEME_NAMES = [...CLIENT_SCHEMES.keys()];
export const PROFILE_SCHEME_NAMES = [...PROFILE_SCHEMES.keys()];

/** The scheme of a webhook. Throws when there is none of that name: nothing is sent without its proof. */
export function clientScheme(name: AuthSchemeName): ClientScheme {
  return CLIENT_SCHEMES.get(name) ?? unknownScheme(name);
}

/** The scheme of an auth profile. Throws as {@link clientScheme} does. */
export function profileScheme(name: ProfileSchemeName): ProfileScheme {
  return PROFILE_SCHEMES.get(name) ?? unknownScheme(name);
}

/** The names of all parameters. */
export const PARAMETERS = [
  ...new Set([...PROFILE_SCHEMES.values()].flatMap(({ parameters }) => Object.keys(parameters))),
] as (keyof GivenParameters)[];

function unknownScheme(name: string): never {
  throw new Error(`there is no way to prove by the scheme ${name}`);
}
