import type { FieldViolation } from '../../common/hub-error.js';
import {
  type DeclaredEntry,
  readDeclared,
  readDuration,
  type ReadEntry,
} from '../../config/index.js';
import { SCOPES, type Scope } from '../../common/scope.js';
import { givenOrReferred } from '../../common/secret-references/given-or-referred.js';
import { IssuerDto } from './issuer.dto.js';
import { type Introspection, ISSUER_ALGORITHMS, type Issuer } from './issuer.js';

/** The key of the configuration they stand under. */
const KEY = 'auth.issuers';
/** In place of a list: any organization. */
const ANY = '*';
const MINUTE = 60_000;
const MAX_GRANTS = 1000;

/** The issuers that the configuration declares; throws `ConfigError` with all that is wrong. */
export function readDeclaredIssuers(written: readonly DeclaredEntry[]): Promise<readonly Issuer[]> {
  const isOnly = written.length < 2;
  return readDeclared(KEY, written, IssuerDto, (dto, before: readonly Issuer[]) =>
    readOne(dto, before, isOnly),
  );
}

function readOne(dto: IssuerDto, before: readonly Issuer[], isOnly: boolean): ReadEntry<Issuer> {
  const faults: FieldViolation[] = [];
  const expect = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  const { id, issuer, claims = {}, organization = null, organizations = null } = dto;
  expect(!before.some((each) => each.id === id), 'id', 'is the id of an issuer before it');
  expect(!before.some((each) => each.issuer === issuer), 'issuer', 'is that of one before it');
  expect(
    (organization === null) !== (claims.organization === undefined),
    'organization',
    'must be given, or claims.organization, and not both',
  );
  expect(
    organizations === null || claims.organization !== undefined,
    'organizations',
    'needs claims.organization',
  );
  // Whoever writes the claim chooses whose tasks its callers see, those of keys and certificates, too.
  expect(
    organization !== null || organizations !== null || claims.organization === undefined,
    'organizations',
    'must list the organizations that claims.organization may name; ["*"] for any',
  );
  const namesAny = organizations?.includes(ANY) === true;
  expect(!namesAny || organizations.length === 1, 'organizations', 'must have "*" alone, or names');
  // One issuer could put its callers into the organization of another one's.
  expect(!namesAny || isOnly, 'organizations', 'must list names, since there are several issuers');
  const duration = (field: string, text: string | undefined, most: number, usual: number) => {
    const ms = text === undefined ? usual : readDuration(text);
    const holds = ms !== undefined && ms <= most;
    expect(holds, field, `must be a duration such as 30s, up to ${most / MINUTE}m`);
    return ms ?? usual;
  };
  const grant = (field: string, written: Record<string, unknown> | undefined) => {
    const { grants, fault } = readGrants(written);
    expect(fault === undefined, field, fault ?? '');
    return grants;
  };
  const introspection = dto.introspection;
  const isSecond = before.some((each) => each.introspection !== null);
  expect(
    introspection === undefined || !isSecond,
    'introspection',
    'is for one issuer only: a token would be shown to an issuer that it is not of',
  );
  const secret = givenOrReferred(introspection ?? {}) ?? {
    fault: 'is required, or clientSecretRef',
  };
  expect(
    introspection === undefined || typeof secret === 'string',
    'introspection.clientSecret',
    typeof secret === 'string' ? '' : secret.fault,
  );
  const read: Introspection | null =
    introspection === undefined
      ? null
      : {
          clientId: introspection.clientId,
          clientSecret: typeof secret === 'string' ? secret : '',
          clientAuthentication: introspection.clientAuthentication ?? 'client_secret_basic',
          url: introspection.url ?? null,
          tokens: introspection.tokens ?? 'opaque',
          cacheMs: duration('introspection.cache', introspection.cache, 10 * MINUTE, 30_000),
          requireAudience: introspection.requireAudience ?? true,
        };
  const descriptions = dto.oauth2?.scopes ?? {};
  expect(
    Object.values(descriptions).every((text) => typeof text === 'string'),
    'oauth2.scopes',
    'must say in a text what each scope is for',
  );
  const entry: Issuer = {
    id,
    issuer,
    audiences: dto.audiences ?? null,
    algorithms: dto.algorithms ?? ISSUER_ALGORITHMS,
    metadataUrl: dto.metadataUrl ?? null,
    jwksUrl: dto.jwksUrl ?? null,
    clockSkewMs: duration('clockSkew', dto.clockSkew, 10 * MINUTE, 30_000),
    organization,
    organizations: namesAny ? null : organizations,
    claims: {
      subject: claims.subject ?? 'sub',
      organization: claims.organization ?? '',
      groups: claims.groups ?? 'groups',
      scopes: claims.scopes ?? 'scope',
    },
    grants: {
      everyone: dto.grants?.everyone ?? ['a2a'],
      scopes: grant('grants.scopes', dto.grants?.scopes),
      groups: grant('grants.groups', dto.grants?.groups),
    },
    introspection: read,
    oauth2: dto.oauth2
      ? {
          tokenUrl: dto.oauth2.tokenUrl,
          authorizationUrl: dto.oauth2.authorizationUrl ?? null,
          scopes: descriptions as Record<string, string>,
        }
      : null,
  };
  return { entry, faults };
}

/** Scopes of the hub by a name of the issuer's. */
function readGrants(written: Record<string, unknown> = {}): {
  grants: Map<string, readonly Scope[]>;
  fault?: string;
} {
  const grants = new Map<string, readonly Scope[]>();
  const entries = Object.entries(written);
  if (entries.length > MAX_GRANTS) return { grants, fault: `has more than ${MAX_GRANTS} names` };
  for (const [name, scopes] of entries) {
    const isList = Array.isArray(scopes) && scopes.length > 0;
    if (!isList || !scopes.every((each) => SCOPES.some((known) => known === each))) {
      return { grants, fault: `must give ${name} a list of ${SCOPES.join(', ')}` };
    }
    grants.set(name, scopes as Scope[]);
  }
  return { grants };
}
