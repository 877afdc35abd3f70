import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { evictOldest } from '../../../common/evict-oldest.js';
import { IdSource } from '../../../common/ids.js';
import { Log } from '../../../common/logger.js';
import { timeLeft } from '../../../common/time-left.js';
import { type TokenAnswer, TokenError } from '../../../common/oauth/request-token.js';
import { usableMsOf } from '../../../common/oauth/token-cache.js';
import {
  authorizationAddress,
  readAuthorization,
} from '../../../common/oauth/user-authorization.js';
import { CommitUnknown } from '../../../database/commit-unknown.js';
import type { AgentAuthentication } from '../../agent-authentication.js';
import type { Agent } from '../../agent.js';
import type { Consent, ConsentKey, ConsentRecord, ConsentTokens } from '../../consents/consent.js';
import { ConsentStore } from '../../consents/consent-store.js';
import { ConsentEnding } from './consent-ending.js';
import {
  clientOf,
  ConsentFailed,
  ConsentProviders,
  type ConsentPurpose,
} from './consent-providers.js';
import { NoConsent } from './no-consent.js';
import type { ConsentedTokens } from './scheme.js';
import { type LentToken, TokenServers } from './token-servers.js';

/** An agent that refuses a token that is younger gets no other one. One that cannot be renewed is of no use when it is refused again after that. */
const YOUNG_MS = 60_000;
/** Two refusals of a token that are further apart say nothing of it. */
const FORGOTTEN_MS = 60 * 60_000;
/** Longer than to find the token server and to ask it may take, 10 s each, and then to store what came; it is tried no longer. */
const RENEWAL_MS = 60_000;
/** How often it is looked whether another process has renewed a token, as long as it may take. */
const LOOK_EVERY_MS = 250;
/** How often tokens of a renewal are tried to be stored. */
const STORE_TRIES = 4;
/** Consents whose token an agent has refused that are remembered. */
const MOST_REFUSED = 10_000;

/** Where and for what a user is asked. */
export interface ConsentPlace {
  /** The address at the provider that asks. */
  readonly url: string;
  /** The provider, by scheme, host and port. */
  readonly server: string;
  readonly agentName: string;
  readonly scopes: readonly string[];
}

/** One question to a user, from when it is asked until its answer has come. */
export interface ConsentAttempt {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  readonly state: string;
  /** RFC 7636 §4.1. */
  readonly verifier: string;
  /** See {@link UserConsents.clientFor}. */
  readonly client: string;
}

/** The token that came at `tokenAt` was refused by an agent. */
interface Refusal {
  readonly tokenAt: number;
  /** By the monotonic clock. */
  readonly firstAt: number;
  /** It is not used again. */
  readonly isFinal: boolean;
}

/**
 * Consents of users to calls of agents in their name (RFC 6749 §4.1): each is of one principal, in one organization, for one agent with
 * the client and servers that it has then. Of another client, and at other servers of the agent, it does not count.
 */
@Injectable()
export class UserConsents implements ConsentedTokens {
  private readonly renewing = new Map<string, Promise<Consent>>();
  /** Tokens that agents have refused, by consent. */
  private readonly refused = new Map<string, Refusal>();

  constructor(
    private readonly store: ConsentStore,
    @Inject(TokenServers)
    private readonly servers: Pick<TokenServers, 'userTokens'>,
    private readonly providers: ConsentProviders,
    private readonly ending: ConsentEnding,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    @Inject(Log) private readonly log: Pick<Log, 'info' | 'warn'>,
  ) {}

  async lend(
    agent: Agent,
    authentication: AgentAuthentication,
    { principalId, organization }: Pick<ConsentKey, 'principalId' | 'organization'>,
  ): Promise<LentToken> {
    const found = await this.store.of({ principalId, organization, agentId: agent.id });
    if (found?.client !== clientOf(agent, authentication)) throw noConsent(authentication);
    const isUsable =
      found.usableUntil > this.clock.now() && this.refusalOf(found)?.isFinal !== true;
    const consent = isUsable ? found : await this.renewed(found, authentication);
    return { token: consent.accessToken, refused: () => this.isUseless(consent) };
  }

  /** Whether there is one that counts for the agent as it is now. */
  async isGiven(key: ConsentKey): Promise<boolean> {
    const { client } = this.providers.of(key);
    return (await this.store.of(key))?.client === client;
  }

  /** A digest of the client and the servers that a user is asked for now: what is answered to it is for no other. Throws as {@link ask} does. */
  clientFor(key: ConsentPurpose): string {
    return this.providers.of(key).client;
  }

  /** Asks for a consent. Throws, or rejects with, {@link ConsentFailed} when the agent needs none, or its provider cannot be asked. */
  async ask(
    key: ConsentPurpose,
    { redirectUri, state, verifier, client }: ConsentAttempt,
  ): Promise<ConsentPlace> {
    const { agent, authentication } = this.providers.of(key, client);
    const { clientId = '', scopes = [], audience, resource } = authentication;
    const { authorization_endpoint: endpoint } = await this.providers.serverOf(authentication);
    if (endpoint === undefined || !/^https?:/i.test(endpoint)) {
      throw new ConsentFailed('The metadata of the provider name no authorization endpoint.');
    }
    const request = { clientId, redirectUri, state, verifier, scopes, audience, resource };
    const url = await authorizationAddress(endpoint, request);
    return { url: url.href, server: url.origin, agentName: agent.card.name, scopes };
  }

  /**
   * Takes what the provider has sent the browser back with, and keeps the consent. Rejects with {@link ConsentFailed} when there is
   * none: it was denied, the answer is not of this provider (RFC 9207), no tokens could be got, or its principal is disabled.
   */
  async complete(
    key: ConsentKey,
    { redirectUri, state, verifier, client }: ConsentAttempt,
    answer: URLSearchParams,
  ): Promise<Consent> {
    // Another provider would get a code, and what it is redeemed with, of the one that was asked.
    const { authentication } = this.providers.of(key, client);
    const server = await this.providers.serverOf(authentication);
    const parameters = new URLSearchParams(answer);
    // Who is known by its endpoints alone has no name to compare with.
    if (authentication.issuer === undefined) parameters.delete('iss');
    const { clientId = '' } = authentication;
    const read = readAuthorization(server, clientId, parameters, state);
    if ('fault' in read) throw new ConsentFailed(read.fault, read.isDenied);
    const { code } = read;
    const tokens = await this.providers.redeem(authentication, {
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const now = this.clock.now();
    const consent = {
      ...key,
      ...tokensOf(tokens, now),
      id: this.ids.next(),
      client,
      server: new URL(server.authorization_endpoint ?? server.token_endpoint).origin,
      scope: tokens.scope ?? authentication.scopes?.join(' ') ?? null,
      createdAt: now,
      tokenAt: now,
    };
    const isKept = await this.store.put(consent).catch((error: unknown) =>
      // Nobody would use them, nor end them later.
      this.notStored(error, consent, consent),
    );
    if (isKept) return consent;
    await this.ending.endTokens(consent, consent);
    throw new ConsentFailed('A principal that is disabled or was deleted cannot consent.');
  }

  /** New tokens could not be stored: they end at the provider, unless they may be stored all the same. Rejects with `error`. */
  private async notStored(
    error: unknown,
    consent: ConsentRecord,
    tokens: Pick<ConsentTokens, 'accessToken' | 'refreshToken'>,
  ): Promise<never> {
    const { agentId } = consent;
    if (!(error instanceof CommitUnknown)) await this.ending.endTokens(consent, tokens);
    else this.log.warn({ agentId }, 'it is not known whether new tokens of a consent were stored');
    throw error;
  }

  /** One renewal at a time, whichever process asks. */
  private renewed(consent: Consent, authentication: AgentAuthentication): Promise<Consent> {
    const { id } = consent;
    let renewal = this.renewing.get(id);
    if (renewal === undefined) {
      renewal = this.renew(consent, authentication).finally(() => this.renewing.delete(id));
      this.renewing.set(id, renewal);
    }
    return renewal;
  }

  private async renew(consent: Consent, authentication: AgentAuthentication): Promise<Consent> {
    const { store, clock } = this;
    const { id, tokenAt, refreshToken } = consent;
    if (refreshToken === null) return this.over(consent, authentication);
    const left = timeLeft(clock, RENEWAL_MS);
    let until: Date;
    for (;;) {
      const now = clock.now();
      until = new Date(now.getTime() + RENEWAL_MS);
      if (await store.reserve(id, tokenAt, until, now)) break;
      const current = await store.of(consent);
      if (current?.client !== consent.client) throw noConsent(authentication);
      if (current.tokenAt.getTime() !== tokenAt.getTime()) return current;
      if (left() <= 0) throw new TokenError('another process has been renewing its token for long');
      await clock.sleep(LOOK_EVERY_MS);
    }
    const tokens = await this.refreshed(consent, refreshToken, authentication);
    if ('client' in tokens) return tokens;
    const at = clock.now();
    const given = tokensOf(tokens, at);
    const renewed = { ...consent, ...given, refreshToken: given.refreshToken ?? refreshToken };
    const isKept = await this.keepRenewed(consent, renewed, at, until).catch(
      async (error: unknown) => {
        await this.release(consent);
        // A refresh token that has stayed the same is the stored one, which is used again.
        if (renewed.refreshToken === refreshToken) throw error;
        return this.notStored(error, consent, given);
      },
    );
    if (isKept) return { ...renewed, tokenAt: at };
    const current = await this.currentOf(consent);
    // What came is dropped, not ended: where both are of one grant, the other would end with it (RFC 7009 §2.1).
    if (current !== undefined) return current;
    // Its owner has ended it meanwhile.
    await this.ending.endTokens(consent, renewed);
    throw noConsent(authentication);
  }

  /** There is no other token: the user is asked again. One that its agent alone refuses is still good elsewhere. */
  private async over(consent: Consent, authentication: AgentAuthentication): Promise<never> {
    if (consent.usableUntil <= this.clock.now()) {
      await this.ending.removeUseless(consent, 'expired-token');
      throw noConsent(authentication);
    }
    const isRemoved = await this.ending.removeUseless(consent, 'token-refused-by-agent');
    if (isRemoved) await this.ending.endTokens(consent, consent);
    throw noConsent(authentication, 'agent');
  }

  /** A provider that rotates refresh tokens takes the earlier one no more: what was not stored for certain is tried again. */
  private async keepRenewed(
    { id, tokenAt }: Consent,
    renewed: ConsentTokens,
    at: Date,
    until: Date,
  ): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.store.renew(id, tokenAt, renewed, at);
      } catch (error) {
        const isLast = tries === STORE_TRIES || this.clock.now() >= until;
        if (error instanceof CommitUnknown || isLast) throw error;
        await this.clock.sleep(LOOK_EVERY_MS);
      }
    }
  }

  /** The consent that there is by now: its user may have given it anew. */
  private async currentOf(consent: Consent): Promise<Consent | undefined> {
    const current = await this.store.of(consent);
    return current?.client === consent.client ? current : undefined;
  }

  /** The new tokens; the consent that its user has given anew meanwhile, where the provider takes this one no more. */
  private async refreshed(
    consent: Consent,
    refreshToken: string,
    authentication: AgentAuthentication,
  ): Promise<TokenAnswer | Consent> {
    const { agentId } = consent;
    try {
      return await this.servers.userTokens(authentication, 'refresh_token', {
        refresh_token: refreshToken,
      });
    } catch (error) {
      if (error instanceof TokenError && error.code === 'invalid_grant') {
        await this.ending.removeUseless(consent, 'refused-token');
        const current = await this.currentOf(consent);
        if (current !== undefined) return current;
        this.log.info({ agentId }, 'a provider takes the consent of a user no more');
        throw noConsent(authentication, 'provider');
      }
      await this.release(consent);
      throw error;
    }
  }

  /** What has failed before is what counts: a reservation ends by itself, too. */
  private async release({ id, tokenAt, agentId }: Consent): Promise<void> {
    await this.store.release(id, tokenAt).catch((err: unknown) => {
      this.log.warn({ agentId, err }, 'the reservation of a renewal could not be ended');
    });
  }

  private refusalOf({ id, tokenAt }: Consent): Refusal | undefined {
    const known = this.refused.get(id);
    return known?.tokenAt === tokenAt.getTime() ? known : undefined;
  }

  /**
   * Whether another token may fare better with the agent that has refused this one: it is not used again then. Where the user would have
   * to be asked for another, one refusal is not enough: it may be a moment's trouble of the agent.
   */
  private isUseless(consent: Consent): boolean {
    const now = this.clock.monotonicMs();
    const tokenAt = consent.tokenAt.getTime();
    const before = this.refusalOf(consent)?.firstAt;
    // What was long ago has nothing to do with it.
    const firstAt = before === undefined || now - before > FORGOTTEN_MS ? now : before;
    // Of a token that came before the clock was set back it is not known how old it is.
    const ageMs = consent.refreshToken === null ? 0 : this.clock.now().getTime() - tokenAt;
    const isFinal = Math.max(ageMs, now - firstAt) >= YOUNG_MS;
    evictOldest(this.refused, MOST_REFUSED);
    this.refused.set(consent.id, { tokenAt, firstAt, isFinal });
    return isFinal;
  }
}

function tokensOf({ value, lifeMs, refreshToken }: TokenAnswer, now: Date): ConsentTokens {
  return {
    accessToken: value,
    refreshToken,
    usableUntil: new Date(now.getTime() + Math.floor(usableMsOf(lifeMs))),
  };
}

function noConsent(
  { issuer, tokenUrl = '', authorizationUrl = tokenUrl }: AgentAuthentication,
  refusedBy?: 'provider' | 'agent',
): NoConsent {
  return new NoConsent(new URL(issuer ?? authorizationUrl).host, refusedBy);
}
