import { HubError } from '../common/hub-error.js';
import { holds, type Scope } from '../common/scope.js';
import type { Issuer } from './issuers/issuer.js';
import type { Principal } from './principal.js';

/** Names of an issuer that are told at most, of each kind. */
const MAX_NAMES = 5;

/**
 * PERMISSION_DENIED for a caller that has none of these scopes of the hub. Who came with an access token learns what of its issuer
 * gives that: there it can be asked for, not the hub's own scope. `metadata.scope` is what to ask for, `metadata.hubScope` the
 * hub's where that is another.
 */
export function lackingScope(
  needed: readonly [Scope, ...Scope[]],
  { issuer: name }: Principal,
  issuers: readonly Pick<Issuer, 'id' | 'issuer' | 'grants'>[],
): HubError {
  const [scope] = needed;
  const refusal = { scope };
  const any = needed.join(' or ');
  const issuer = issuers.find((each) => each.issuer === name);
  if (issuer === undefined) {
    const text = `This needs a key or token with the scope ${any}.`;
    return new HubError('PERMISSION_DENIED', text, { metadata: { scope }, refusal });
  }
  const scopes = namesThatGive(needed, issuer.grants.scopes);
  const groups = namesThatGive(needed, issuer.grants.groups);
  const ways = [
    ...(scopes.length > 0 ? [`with the scope ${listed(scopes, needed)}`] : []),
    ...(groups.length > 0 ? [`of a caller in the group ${listed(groups, needed)}`] : []),
  ];
  const text =
    ways.length === 0
      ? `This needs the scope ${any} of the hub, which no scope or group of the issuer ${issuer.id} gives.`
      : `This needs the scope ${any} of the hub, which an access token has ${ways.join(', or ')}.`;
  const [[requested] = []] = scopes;
  return new HubError('PERMISSION_DENIED', text, {
    metadata: { hubScope: scope, ...(requested !== undefined && { scope: requested }) },
    refusal,
  });
}

/** A name of an issuer's, and the scopes of the hub that it gives. */
type Grant = readonly [name: string, given: readonly Scope[]];

/** Those that give the least first. */
function namesThatGive(
  needed: readonly Scope[],
  grants: ReadonlyMap<string, readonly Scope[]>,
): Grant[] {
  return [...grants]
    .filter(([, given]) => needed.some((scope) => holds(new Set(given), scope)))
    .sort(([, a], [, b]) => Number(a.includes('admin')) - Number(b.includes('admin')));
}

/** Each with what it gives, where that is more than what is needed. */
function listed(grants: readonly Grant[], needed: readonly Scope[]): string {
  return grants
    .slice(0, MAX_NAMES)
    .map(([name, given]) =>
      given.every((scope) => needed.includes(scope))
        ? name
        : `${name} (which gives ${given.join(', ')})`,
    )
    .join(' or ');
}
