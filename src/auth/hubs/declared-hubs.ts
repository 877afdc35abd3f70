import type { FieldViolation } from '../../common/hub-error.js';
import { type DeclaredEntry, readDeclared, type ReadEntry } from '../../config/index.js';
import { ADMIN_PRINCIPAL, ANONYMOUS_PRINCIPAL } from '../principal.js';
import { HubDto } from './hub.dto.js';
import type { TrustedHub } from './trusted-hub.js';

/** The key of the configuration they stand under. */
const KEY = 'auth.hubs';
/** Not hubs: everybody is one of them, or who operates this hub. */
const NO_HUBS: readonly string[] = [ADMIN_PRINCIPAL, ANONYMOUS_PRINCIPAL];

/** The hubs that the configuration declares; throws `ConfigError` with all that is wrong. */
export function readDeclaredHubs(
  written: readonly DeclaredEntry[],
  issuers: readonly DeclaredEntry[],
): Promise<readonly TrustedHub[]> {
  const others = issuers.map(({ issuer }) => issuer);
  return readDeclared(KEY, written, HubDto, (dto, before: readonly TrustedHub[]) =>
    readOne(dto, before, others),
  );
}

function readOne(
  dto: HubDto,
  before: readonly TrustedHub[],
  issuers: readonly unknown[],
): ReadEntry<TrustedHub> {
  const faults: FieldViolation[] = [];
  const expect = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  const { issuer, callers, organization = null, organizations = [] } = dto;
  expect(!before.some((each) => each.issuer === issuer), 'issuer', 'is that of a hub before it');
  // Its callers would be the principals of those who sign in.
  expect(!issuers.includes(issuer), 'issuer', 'is that of one of auth.issuers');
  // A token says which hub it is of; who brings it has to be that hub.
  expect(
    !before.some((each) => each.callers.some((caller) => callers.includes(caller))),
    'callers',
    'has a principal of a hub before it',
  );
  expect(
    !callers.some((caller) => NO_HUBS.includes(caller)),
    'callers',
    `must have the principal of the other hub alone, not ${NO_HUBS.join(' or ')}`,
  );
  expect(
    (organization === null) !== (organizations.length === 0),
    'organization',
    'must be given, or organizations, and not both',
  );
  const entry: TrustedHub = {
    issuer,
    jwksUrl: dto.jwksUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`,
    callers,
    audiences: dto.audiences ?? null,
    organization,
    organizations,
    scopes: dto.scopes ?? ['a2a'],
  };
  return { entry, faults };
}
