import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { AppConfig } from '../config/index.js';
import type { CallerChain } from './domain/actors.js';
import { IdentityStore, type SignIn } from './identity-store.js';
import { type Principal, principalOf, type Voucher } from './principal.js';
import type { SubjectToken } from './subject-token.js';

/** A caller without an API key, whom somebody vouches for. */
export interface VouchedCaller extends Pick<
  SignIn,
  'issuer' | 'subject' | 'organization' | 'scopes'
> {
  /** What shows that. */
  readonly by: 'access token' | 'client certificate' | 'call of another hub';
  /** When that expires; null where it does not say. */
  readonly expiresAt: Date | null;
  readonly groups?: readonly string[];
  readonly chain?: CallerChain;
  readonly token?: SubjectToken;
  /** Whom to ask later whether it still does. */
  readonly voucher: Voucher;
}

/** The principals of callers who sign in without an API key. */
@Injectable()
export class SignIns {
  constructor(
    private readonly config: AppConfig,
    private readonly identities: IdentityStore,
    private readonly clock: Clock,
  ) {}

  /** The principal of a caller, made when there is none. Rejects with UNAUTHENTICATED when it or its organization is
   * disabled, or the organization is none that callers may be of. */
  async principalFor({
    by,
    expiresAt,
    groups,
    chain,
    token,
    voucher,
    ...caller
  }: VouchedCaller): Promise<Principal> {
    const { issuer, organization, scopes } = caller;
    const at = this.clock.now();
    const grace = at.getTime() + this.config.auth.signInGraceMs;
    const until = new Date(Math.max(grace, expiresAt?.getTime() ?? 0));
    const {
      id: identityId,
      principalId,
      disabled,
      groups: own,
    } = await this.identities.signIn({
      ...caller,
      at,
      until,
      isListed: this.config.auth.organizations === 'listed',
    });
    if (disabled !== null) {
      throw new HubError('UNAUTHENTICATED', `The ${disabled} of the ${by} is disabled.`, {
        refusal: {
          cause: `disabled-${disabled}`,
          caller: { id: principalId, organization, identityId, issuer, ...(chain && { chain }) },
        },
      });
    }
    const all = own.length === 0 ? groups : [...new Set([...own, ...(groups ?? [])])];
    return principalOf({
      id: principalId,
      organization,
      scopes,
      identityId,
      issuer,
      voucher,
      expiresAt,
      ...(all !== undefined && { groups: all }),
      ...(chain !== undefined && { chain }),
      ...(token !== undefined && { token }),
      ...(by === 'client certificate' && { isCertified: true }),
    });
  }
}
