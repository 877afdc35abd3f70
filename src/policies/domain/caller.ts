import type { Scope } from '../../common/scope.js';
import type { PolicyCaller, SignInKind } from './policy.js';

/** What is known of a caller. */
export interface KnownCaller {
  readonly id: string;
  readonly organization: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly keyId?: string;
  readonly isCertified?: boolean;
  readonly issuer?: string;
  readonly groups?: readonly string[];
}

export function callerOf(principal: KnownCaller): PolicyCaller {
  const { id, organization, scopes, issuer = '', groups = [] } = principal;
  return { id, organization, groups, scopes: [...scopes], signIn: signInOf(principal), issuer };
}

function signInOf({ id, keyId, isCertified, issuer }: KnownCaller): SignInKind {
  if (isCertified === true) return 'certificate';
  if (issuer !== undefined) return 'token';
  // The configured admin key has no id.
  return keyId !== undefined || id === 'admin' ? 'key' : 'none';
}
