import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { withNewestSecret } from '../../common/oauth/newest-secret.js';
import {
  MAX_TOKEN_ANSWER_BYTES,
  requestToken,
  secretProof,
  serverAt,
} from '../../common/oauth/request-token.js';
import { type GrantedToken, TokenCache } from '../../common/oauth/token-cache.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { Settings } from '../../config/index.js';
import { AuthUnavailableError } from './auth-failure.js';
import { MAX_PROFILES } from './auth-profile-store.js';
import type { AuthProfile } from './auth-profile.js';

export interface TokenSettings {
  /** For one call of a token server, in all. */
  readonly timeoutMs: number;
}

/** Access tokens of profiles with the scheme `oauth2` (RFC 6749 §4.4). */
@Injectable()
export class OauthTokens {
  private readonly tokens: TokenCache;
  private readonly fetch: ReturnType<typeof smallFetch>;

  constructor(
    @Inject(Egress) egress: Pick<Egress, 'fetch'>,
    clock: Clock,
    @Settings('push') private readonly settings: TokenSettings,
  ) {
    this.tokens = new TokenCache(clock, MAX_PROFILES);
    this.fetch = smallFetch(egress, MAX_TOKEN_ANSWER_BYTES);
  }

  /**
   * `newest` reads the secret again. Rejects with {@link AuthUnavailableError} naming the server, never with a secret, and with
   * `SecretLockedError` as `newest` does.
   */
  async get(
    profile: AuthProfile,
    secret: string,
    newest: () => Promise<string> = () => Promise.resolve(secret),
  ): Promise<string> {
    try {
      return await this.tokens.get(keyOf(profile), () =>
        withNewestSecret(secret, newest, (by) => this.request(profile, by)),
      );
    } catch (error) {
      if (error instanceof SecretLockedError) throw error;
      throw new AuthUnavailableError((error as Error).message);
    }
  }

  /** A receiver has refused this token; see {@link TokenCache.refused}. */
  refused(profile: AuthProfile, value: string): boolean {
    return this.tokens.refused(keyOf(profile), value);
  }

  private request({ parameters }: AuthProfile, clientSecret: string): Promise<GrantedToken> {
    const { tokenUrl = '', clientId = '', clientAuthentication } = parameters;
    const { scope, audience, resource } = parameters;
    return requestToken({
      server: serverAt(tokenUrl),
      clientId,
      proof: secretProof(clientAuthentication, clientSecret),
      grantType: 'client_credentials',
      parameters: { scope, audience, resource },
      send: this.fetch,
      timeoutMs: this.settings.timeoutMs,
    });
  }
}

/** A changed profile gets other tokens. */
function keyOf({ id, version }: AuthProfile): string {
  return `${id} ${version}`;
}
