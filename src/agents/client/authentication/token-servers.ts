import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Egress } from '../../../common/egress/egress.js';
import { smallFetch } from '../../../common/egress/small-fetch.js';
import { evictOldest } from '../../../common/evict-oldest.js';
import { KeptValue } from '../../../common/kept-value.js';
import { discover } from '../../../common/oauth/discover.js';
import {
  MAX_TOKEN_ANSWER_BYTES,
  requestToken,
  secretProof,
  serverAt,
  tokenError,
  TokenError,
  type TokenAnswer,
  type TokenRequest,
} from '../../../common/oauth/request-token.js';
import { type GrantedToken, TokenCache } from '../../../common/oauth/token-cache.js';
import { revokeToken } from '../../../common/oauth/user-authorization.js';
import type { AgentAuthentication } from '../../agent-authentication.js';
import type { NoCallerToken } from './no-caller-token.js';

/** For one call of a token server, in all. */
const TIMEOUT_MS = 10_000;
/** Tokens and issuers that are kept. */
const MOST_TOKENS = 10_000;
const MOST_ISSUERS = 1000;
const METADATA_RULES = { freshMs: 30 * 60_000, keptMs: 60 * 60_000, failureMs: 500 };

/** A token for one call, and what is to be called when the agent refuses it; see {@link TokenCache.refused}. */
export interface LentToken {
  readonly token: string;
  readonly refused: () => boolean;
}

/** What is exchanged for an access token (RFC 8693 §2.1). */
export interface ExchangedSubject {
  /** The same for what is the same subject; nothing secret is read from it. */
  readonly key: readonly (string | undefined)[];
  readonly type: string;
  /** For the token endpoint at this address. */
  readonly token: (url: string) => Promise<string>;
  /** What it means that the server does not take it. */
  readonly refused: (cause: TokenError) => NoCallerToken;
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** What a server says of a subject token or an actor token that it does not take (RFC 8693 §2.2.2, RFC 6749 §5.2). */
const EXCHANGE_REFUSED: ReadonlySet<string | undefined> = new Set([
  'invalid_grant',
  'invalid_request',
]);

/** Access tokens for agents. Two agents that are called with the same client for the same things share one. */
@Injectable()
export class TokenServers {
  private readonly tokens: TokenCache;
  private readonly fetch: ReturnType<typeof smallFetch>;
  private readonly issuers = new Map<string, KeptValue<TokenRequest['server']>>();
  private readonly keys = new WeakMap<AgentAuthentication, string>();

  constructor(
    @Inject(Egress) egress: Pick<Egress, 'fetch'>,
    private readonly clock: Clock,
  ) {
    this.tokens = new TokenCache(clock, MOST_TOKENS);
    this.fetch = smallFetch(egress, MAX_TOKEN_ANSWER_BYTES);
  }

  /** RFC 6749 §4.4. Rejects with `TokenError`. */
  async clientCredentials(authentication: AgentAuthentication): Promise<LentToken> {
    const key = this.keyOf(authentication);
    const token = await this.tokens.get(key, () => this.request(authentication));
    return { token, refused: () => this.tokens.refused(key, token) };
  }

  /**
   * An access token in the name of the subject (RFC 8693): one for each subject, kept as those of client credentials are. Rejects
   * with `TokenError`, and with {@link NoCallerToken} when the server does not take the subject.
   */
  async exchange(
    authentication: AgentAuthentication,
    subject: ExchangedSubject,
  ): Promise<LentToken> {
    const key = JSON.stringify([this.keyOf(authentication), ...subject.key]);
    const token = await this.tokens.get(key, () => this.exchanged(authentication, subject));
    return { token, refused: () => this.tokens.refused(key, token) };
  }

  /** The token endpoint of an authentication: its own, or that of its issuer. Rejects with `TokenError`. */
  async serverOf({
    tokenUrl,
    issuer = '',
    authorizationUrl,
  }: AgentAuthentication): Promise<TokenRequest['server']> {
    if (tokenUrl !== undefined) {
      return { ...serverAt(tokenUrl), authorization_endpoint: authorizationUrl };
    }
    let known = this.issuers.get(issuer);
    if (known === undefined) {
      evictOldest(this.issuers, MOST_ISSUERS);
      const read = (): Promise<TokenRequest['server']> => this.discovered(issuer);
      known = new KeptValue({ ...METADATA_RULES, read }, this.clock);
      this.issuers.set(issuer, known);
    }
    return known.get();
  }

  /** Tokens for a code that a user has brought, or for a refresh token (RFC 6749 §4.1.3, §6). Rejects with `TokenError`. */
  userTokens(
    authentication: AgentAuthentication,
    grantType: 'authorization_code' | 'refresh_token',
    others: TokenRequest['parameters'],
  ): Promise<TokenAnswer> {
    return this.request(authentication, grantType, {
      scope: undefined,
      audience: undefined,
      ...others,
    });
  }

  /** Ends a token at its server (RFC 7009), where that can; rejects with `TokenError` when it did not. */
  async revoke(authentication: AgentAuthentication, token: string): Promise<void> {
    const { clientId = '', clientSecret = '', clientAuthentication } = authentication;
    const request = {
      server: await this.serverOf(authentication),
      clientId,
      proof: secretProof(clientAuthentication, clientSecret),
      send: this.fetch,
      timeoutMs: TIMEOUT_MS,
    };
    await revokeToken(request, token);
  }

  private async discovered(issuer: string): Promise<TokenRequest['server']> {
    try {
      const metadata = await discover(issuer, this.fetch, TIMEOUT_MS);
      const { token_endpoint } = metadata;
      if (token_endpoint === undefined) throw new Error('its metadata has no token_endpoint');
      return { ...metadata, token_endpoint };
    } catch (cause) {
      throw tokenError(issuer, cause);
    }
  }

  private async exchanged(
    authentication: AgentAuthentication,
    subject: ExchangedSubject,
    isAgain = false,
  ): Promise<GrantedToken> {
    const { token_endpoint: url } = await this.serverOf(authentication);
    const actor = authentication.actor === true ? await this.actorOf(authentication) : undefined;
    try {
      return await this.request(authentication, EXCHANGE, {
        subject_token: await subject.token(url),
        subject_token_type: subject.type,
        actor_token: actor?.token,
        actor_token_type: actor === undefined ? undefined : ACCESS_TOKEN,
        requested_token_type: authentication.requestedTokenType,
      });
    } catch (error) {
      if (!(error instanceof TokenError) || !EXCHANGE_REFUSED.has(error.code)) throw error;
      // Which of the two tokens is refused, no code tells: that of the actor may be of no use any more.
      if (isAgain || actor?.refused() !== true) throw subject.refused(error);
    }
    return this.exchanged(authentication, subject, true);
  }

  /** The hub itself, at the server that is to name it as the actor. */
  private async actorOf(authentication: AgentAuthentication): Promise<LentToken> {
    const { tokenUrl, issuer, clientId, clientSecret, clientAuthentication } = authentication;
    const key = `actor ${this.keyOf(authentication)}`;
    const own = { tokenUrl, issuer, clientId, clientSecret, clientAuthentication };
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    const type = 'oauth2-client-credentials';
    const request = (): Promise<TokenAnswer> =>
      this.request({ type, ...Object.fromEntries(given) });
    const token = await this.tokens.get(key, request);
    return { token, refused: () => this.tokens.refused(key, token) };
  }

  private async request(
    authentication: AgentAuthentication,
    grantType = 'client_credentials',
    others: TokenRequest['parameters'] = {},
  ): Promise<TokenAnswer> {
    const { clientId = '', clientSecret = '', clientAuthentication } = authentication;
    const { scopes, audience, resource } = authentication;
    return requestToken({
      server: await this.serverOf(authentication),
      clientId,
      proof: secretProof(clientAuthentication, clientSecret),
      grantType,
      parameters: { scope: scopes?.join(' '), audience, resource, ...others },
      send: this.fetch,
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** The same for all that is asked for alike, with the same secret; says nothing of it. */
  private keyOf(authentication: AgentAuthentication): string {
    let key = this.keys.get(authentication);
    if (key === undefined) {
      const members = Object.entries(authentication).sort(([a], [b]) => (a < b ? -1 : 1));
      key = hash('sha256', JSON.stringify(members), 'base64');
      this.keys.set(authentication, key);
    }
    return key;
  }
}
