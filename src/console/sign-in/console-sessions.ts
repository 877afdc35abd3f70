import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type AuditActor,
  type AuditEntry,
  actorOf,
  AuditLog,
  NO_CALLER,
  ownEntry,
} from '../../audit/index.js';
import {
  AuthService,
  type Principal,
  type RequestHeaders,
  type Session,
  SessionCallers,
  SessionCredentials,
  sessionIsOver,
  SessionStore,
  type SessionToken,
  type SessionTokens,
} from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { timeLeft } from '../../common/time-left.js';
import { type TokenAnswer, TokenError } from '../../common/oauth/request-token.js';
import { usableMsOf } from '../../common/oauth/token-cache.js';
import { AppConfig } from '../../config/index.js';
import { CommitUnknown } from '../../database/commit-unknown.js';
import { ConsoleCookies } from './console-cookies.js';
import type { SignIn } from './declared-sign-ins.js';
import { SignInFailed, SignInProviders, unavailable } from './sign-in-providers.js';

/** Their type in the audit log. */
const RESOURCE = 'console.sessions';
/** Sessions of one principal, and of all: those of a person in several browsers, and of all who operate a hub. */
const BOUNDS = { ofPrincipal: 20, inAll: 50_000 };
/** How exactly it is known when a session was used last; of short ones a quarter of what they may be idle. */
const USED_MS = 60_000;
/** Longer than to ask the provider may take, and then to store what came. */
const RENEWAL_MS = 60_000;
/** How often it is looked whether another process has renewed a token, and how long. */
const LOOK_EVERY_MS = 250;
const LOOK_FOR_MS = 15_000;
/** How often tokens of a renewal are tried to be stored. */
const STORE_TRIES = 4;

/** A session that has ended, and who is to be told. */
export interface EndedSession {
  readonly issuerId: string;
  readonly tokens: SessionTokens | undefined;
}

/**
 * Sessions of people who have signed in at the console. Each holds the access token that the provider gave, which is taken as every
 * token is: what its holder may do is looked up at each call, not at the sign-in.
 */
@Injectable()
export class ConsoleSessions extends SessionCredentials implements OnModuleInit {
  /** Renewals of this process, by session. */
  private readonly renewing = new Map<string, Promise<Session>>();

  constructor(
    private readonly config: AppConfig,
    private readonly store: SessionStore,
    private readonly callers: SessionCallers,
    private readonly auth: AuthService,
    private readonly providers: SignInProviders,
    private readonly cookies: ConsoleCookies,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    @Inject(Log) private readonly log: Pick<Log, 'warn' | 'info'>,
  ) {
    super();
  }

  onModuleInit(): void {
    this.callers.use(this);
  }

  /** A new session of whoever the tokens stand for. Rejects with UNAUTHENTICATED when the hub does not take them, with QUOTA_EXCEEDED when there are too many. */
  async begin(
    { issuerId }: SignIn,
    tokens: TokenAnswer,
    holder: Principal,
    requestId: string,
  ): Promise<{ readonly secret: string; readonly seconds: number }> {
    const now = this.clock.now();
    const { sessionTtlMs } = this.config.console;
    const { id: principalId, organization } = holder;
    const session: Session = {
      ...{ id: this.ids.next(), principalId, organization, issuerId },
      ...tokensOf(tokens, holder, now),
      ...{ createdAt: now, usedAt: now, tokenAt: now },
      expiresAt: new Date(now.getTime() + sessionTtlMs),
    };
    const secret = this.ids.secret(32);
    const { store } = this;
    let begun: 'begun' | 'disabled' | 'too-many' | undefined;
    await this.audit.recordFrom(function* (tx) {
      begun = yield* store.begin(tx, session, secret, BOUNDS);
      return begun === 'begun'
        ? [entryOf(session.id, 'console.sign-in', actorOf(holder), requestId)]
        : [];
    });
    if (begun === 'begun') return { secret, seconds: Math.floor(sessionTtlMs / 1000) };
    throw begun === 'disabled'
      ? new HubError('UNAUTHENTICATED', 'The principal of the access token is disabled.', {
          refusal: { cause: 'disabled-principal' },
        })
      : new HubError('QUOTA_EXCEEDED', 'There are too many sessions of the console.', {
          refusal: { limit: { kind: 'consoleSessions' } },
        });
  }

  isBrought(headers: RequestHeaders): boolean {
    return this.cookies.sessionIn(headers) !== undefined;
  }

  async tokenOf(headers: RequestHeaders): Promise<SessionToken> {
    const secret = this.cookies.sessionIn(headers) ?? '';
    const found = await this.store.of(secret, this.over());
    if (found === undefined) throw sessionIsOver('expired');
    const isUsable = found.usableUntil > this.clock.now();
    const session = isUsable ? found : await this.renewed(found, secret);
    await this.use(session);
    const { id: sessionId, principalId, expiresAt, accessToken: token, refreshToken } = session;
    const check = async (): Promise<void> => {
      if ((await this.store.of(secret, this.over())) === undefined) throw sessionIsOver('ended');
    };
    // What cannot be renewed ends with its token.
    const isLast = refreshToken === null && session.usableUntil < expiresAt;
    const until = isLast ? session.usableUntil : expiresAt;
    return { token, sessionId, principalId, expiresAt: until, check };
  }

  /** Ends the session of a request, if it brings one; undefined when there is none. */
  async end(headers: RequestHeaders, requestId: string): Promise<EndedSession | undefined> {
    const secret = this.cookies.sessionIn(headers);
    if (secret === undefined) return undefined;
    const { store } = this;
    let ended: EndedSession | undefined;
    await this.audit.recordFrom(function* (tx) {
      const found = yield* store.end(tx, secret);
      if (found === undefined) return [];
      ended = {
        issuerId: found.issuerId,
        tokens: 'accessToken' in found ? (found as Session) : undefined,
      };
      const { id, principalId: principal, organization } = found;
      const actor = { ...NO_CALLER, principal, organization };
      return [entryOf(id, 'console.sign-out', actor, requestId)];
    });
    return ended;
  }

  /** Ends a token, and what came of it, that nobody will use. Never rejects: the log says when it did not work. */
  async drop(entry: SignIn, token: string): Promise<void> {
    await this.providers.revoke(entry, token).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : '';
      this.log.info(
        { issuer: entry.issuerId, why },
        'tokens that are of no use were not ended at their provider',
      );
    });
  }

  private over(): { now: Date; idleSince: Date } {
    const now = this.clock.now();
    return { now, idleSince: new Date(now.getTime() - this.config.console.idleTtlMs) };
  }

  private async use({ id, usedAt }: Session): Promise<void> {
    const now = this.clock.now();
    const exact = Math.min(USED_MS, this.config.console.idleTtlMs / 4);
    if (now.getTime() - usedAt.getTime() >= exact) await this.store.used(id, now);
  }

  /** One renewal at a time, whichever process asks: providers that rotate refresh tokens take a second use of one for theft. */
  private renewed(session: Session, secret: string): Promise<Session> {
    const { id } = session;
    let renewal = this.renewing.get(id);
    if (renewal === undefined) {
      renewal = this.renew(session, secret).finally(() => this.renewing.delete(id));
      this.renewing.set(id, renewal);
    }
    return renewal;
  }

  private async renew(session: Session, secret: string): Promise<Session> {
    const { store, clock } = this;
    const { id, tokenAt, refreshToken } = session;
    const entry = this.providers.of(session.issuerId);
    if (refreshToken === null || entry === undefined) return this.endUseless(session, 'expired');
    const left = timeLeft(clock, LOOK_FOR_MS);
    for (;;) {
      const now = clock.now();
      const until = new Date(now.getTime() + RENEWAL_MS);
      if (await store.reserve(id, tokenAt, until, now)) break;
      const current = await store.of(secret, this.over());
      if (current === undefined) throw sessionIsOver('ended');
      if (current.tokenAt.getTime() !== tokenAt.getTime()) return current;
      if (left() <= 0) throw stillRenewing();
      await clock.sleep(LOOK_EVERY_MS);
    }
    const tokens = await this.refreshed(session, entry, refreshToken);
    const holder = await this.holderOf(tokens.value);
    if (holder !== undefined && holder.id !== session.principalId) {
      await this.drop(entry, tokens.refreshToken ?? tokens.value);
      return this.endUseless(session, 'ended');
    }
    const at = clock.now();
    const given = tokensOf(tokens, holder, at);
    const renewed: SessionTokens = {
      ...given,
      refreshToken: given.refreshToken ?? refreshToken,
      idToken: given.idToken ?? session.idToken,
    };
    const isKept = await this.keep(session, renewed, at).catch(async (error: unknown) => {
      await this.release(session);
      // Where they may be stored all the same, or the refresh token is the stored one, they are used again.
      const isUseless = !(error instanceof CommitUnknown) && renewed.refreshToken !== refreshToken;
      if (isUseless) await this.drop(entry, renewed.refreshToken ?? renewed.accessToken);
      throw error;
    });
    if (isKept) return { ...session, ...renewed, tokenAt: at };
    const current = await store.of(secret, this.over());
    // What came is dropped, not ended: where both are of one grant, the other would end with it (RFC 7009 §2.1).
    if (current !== undefined) return current;
    // Whoever has it signed out meanwhile.
    await this.drop(entry, renewed.refreshToken ?? renewed.accessToken);
    throw sessionIsOver('ended');
  }

  private async refreshed(
    session: Session,
    entry: SignIn,
    refreshToken: string,
  ): Promise<TokenAnswer> {
    try {
      return await this.providers.refresh(entry, refreshToken);
    } catch (error) {
      if (error instanceof TokenError && error.code === 'invalid_grant') {
        return this.endUseless(session, 'ended');
      }
      await this.release(session);
      if (error instanceof TokenError || error instanceof SignInFailed) throw unavailable(error);
      throw error;
    }
  }

  /** Whom new tokens stand for; undefined while it cannot be found out: they are kept then. */
  private async holderOf(token: string): Promise<Principal | undefined> {
    return this.auth.holderOf(token).catch(() => undefined);
  }

  /**
   * A provider that rotates refresh tokens takes the earlier one no more: what was not stored for certain is tried again. False
   * when the session has other tokens, or has ended.
   */
  private async keep(session: Session, tokens: SessionTokens, at: Date): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.store.renew(session.id, session.tokenAt, tokens, at);
      } catch (error) {
        if (error instanceof CommitUnknown || tries === STORE_TRIES) throw error;
        await this.clock.sleep(LOOK_EVERY_MS);
      }
    }
  }

  private async release({ id, tokenAt }: Session): Promise<void> {
    await this.store.release(id, tokenAt).catch((err: unknown) => {
      this.log.warn({ session: id, err }, 'the reservation of a renewal could not be ended');
    });
  }

  /** Deletes a session whose tokens no longer do. */
  private async endUseless(session: Session, fault: 'expired' | 'ended'): Promise<never> {
    const { store } = this;
    const { id, tokenAt, principalId, organization } = session;
    const cause = fault === 'expired' ? 'expired-token' : 'refused-token';
    await this.audit.recordFrom(function* (tx) {
      if (!(yield* store.remove(tx, id, tokenAt))) return [];
      const entry = ownEntry('console.end', 'succeeded', { type: RESOURCE, id }, { cause });
      return [{ ...entry, actor: { ...NO_CALLER, organization, onBehalfOf: principalId } }];
    });
    throw sessionIsOver(fault);
  }
}

function tokensOf(
  { value, lifeMs, refreshToken, idToken }: TokenAnswer,
  holder: Pick<Principal, 'expiresAt'> | undefined,
  now: Date,
): SessionTokens {
  const said = holder?.expiresAt;
  const leftMs = said === undefined ? lifeMs : Math.min(lifeMs, said.getTime() - now.getTime());
  const usableMs = Math.max(0, Math.floor(usableMsOf(leftMs)));
  return {
    ...{ accessToken: value, refreshToken, idToken },
    usableUntil: new Date(now.getTime() + usableMs),
  };
}

function entryOf(id: string, action: string, actor: AuditActor, requestId: string): AuditEntry {
  return { ...ownEntry(action, 'succeeded', { type: RESOURCE, id }, {}), actor, requestId };
}

function stillRenewing(): HubError {
  return new HubError('UNAVAILABLE', 'The session is being renewed; try again.', {
    metadata: { retryAfterSeconds: '2' },
  });
}
