import { createHash } from 'node:crypto';
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
  type TokenRequest,
} from '../../../common/oauth/request-token.js';
import { type GrantedToken, TokenCache } from '../../../common/oauth/token-cache.js';
import type { AgentAuthentication } from '../../agent-authentication.js';

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

  /** The token endpoint of an authentication: its own, or that of its issuer. Rejects with `TokenError`. */
  async serverOf({ tokenUrl, issuer = '' }: AgentAuthentication): Promise<TokenRequest['server']> {
    if (tokenUrl !== undefined) return serverAt(tokenUrl);
    let known = this.issuers.get(issuer);
    if (known === undefined) {
      evictOldest(this.issuers, MOST_ISSUERS);
      const read = (): Promise<TokenRequest['server']> => this.discovered(issuer);
      known = new KeptValue({ ...METADATA_RULES, read }, this.clock);
      this.issuers.set(issuer, known);
    }
    return known.get();
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

  private async request(authentication: AgentAuthentication): Promise<GrantedToken> {
    const { clientId = '', clientSecret = '', clientAuthentication } = authentication;
    const { scopes, audience, resource } = authentication;
    return requestToken({
      server: await this.serverOf(authentication),
      clientId,
      proof: secretProof(clientAuthentication, clientSecret),
      grantType: 'client_credentials',
      parameters: { scope: scopes?.join(' '), audience, resource },
      send: this.fetch,
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** The same for all that is asked for alike, with the same secret; says nothing of it. */
  private keyOf(authentication: AgentAuthentication): string {
    let key = this.keys.get(authentication);
    if (key === undefined) {
      const members = Object.entries(authentication).sort(([a], [b]) => (a < b ? -1 : 1));
      key = createHash('sha256').update(JSON.stringify(members)).digest('base64');
      this.keys.set(authentication, key);
    }
    return key;
  }
}
