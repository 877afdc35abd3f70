import { Injectable } from '@nestjs/common';
import { HubError } from '../common/hub-error.js';
import { AccessTokens } from './issuers/access-tokens.js';
import type { Principal } from './principal.js';
import { SignIns } from './sign-ins.js';
import { SubjectToken } from './subject-token.js';

/** Who calls with an access token of an issuer. */
@Injectable()
export class TokenCallers {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly signIns: SignIns,
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
    const { issuer, caller, actors, expiresAt } = await this.tokens.verify(token, hash);
    return this.signIns.principalFor({
      by: 'access token',
      issuer: issuer.issuer,
      expiresAt,
      token: new SubjectToken(token, issuer.id, expiresAt),
      voucher: {
        id: hash,
        source: issuer.issuer,
        check: () => this.tokens.verify(token, hash),
      },
      ...(actors.length > 0 && { chain: { actors } }),
      ...caller,
    });
  }
}

/** Why a token is refused that comes as an API key. */
export function tokenAsKey(): HubError {
  return new HubError(
    'UNAUTHENTICATED',
    'Access tokens are taken as Authorization: Bearer TOKEN alone, not in X-API-Key, which is for API keys.',
    { refusal: { cause: 'token-as-key' } },
  );
}

/** Why the open calls of a token end that has expired. */
export function tokenHasExpired(at: Date): HubError {
  return new HubError(
    'UNAUTHENTICATED',
    `The access token has expired (${at.toISOString()}): get a new one and subscribe to the task again; nothing is lost.`,
    { refusal: { cause: 'expired-token' } },
  );
}
