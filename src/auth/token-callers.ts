import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { AppConfig } from '../config/index.js';
import { IdentityStore } from './identity-store.js';
import { AccessTokens } from './issuers/access-tokens.js';
import { type Principal, principalOf } from './principal.js';

/** Who calls with an access token of an issuer. */
@Injectable()
export class TokenCallers {
  constructor(
    private readonly config: AppConfig,
    private readonly tokens: AccessTokens,
    private readonly identities: IdentityStore,
    private readonly clock: Clock,
  ) {}

  /** Whether callers may come with tokens at all. */
  get areAccepted(): boolean {
    return this.tokens.issuers.length > 0;
  }

  /**
   * The principal that a token stands for. Rejects with UNAUTHENTICATED when the token is not valid or the principal is
   * disabled, with UNAVAILABLE when its issuer cannot be asked.
   */
  async find(token: string, hash: string): Promise<Principal> {
    const { issuer, caller, expiresAt } = await this.tokens.verify(token, hash);
    const { subject, organization, scopes, groups } = caller;
    const at = this.clock.now();
    const grace = at.getTime() + this.config.auth.signInGraceMs;
    const until = new Date(Math.max(grace, expiresAt?.getTime() ?? 0));
    const signIn = { issuer: issuer.issuer, subject, organization, scopes, at, until };
    const { id: identityId, principalId, isDisabled } = await this.identities.signIn(signIn);
    if (isDisabled) {
      throw new HubError('UNAUTHENTICATED', 'The principal of the access token is disabled.', {
        refusal: { cause: 'disabled-principal', issuer: issuer.issuer },
      });
    }
    return principalOf({
      ...{ id: principalId, organization, scopes, identityId, groups, expiresAt },
      issuer: issuer.issuer,
    });
  }
}

/** Why the open calls of a token end that has expired. */
export function tokenHasExpired(at: Date): HubError {
  return new HubError(
    'UNAUTHENTICATED',
    `The access token has expired (${at.toISOString()}): get a new one and subscribe to the task again; nothing is lost.`,
    { refusal: { cause: 'expired-token' } },
  );
}
