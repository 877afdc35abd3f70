import { Inject, Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { Clock } from '../../common/clock.js';
import { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { Settings } from '../../config/index.js';
import { AuthUnavailableError } from './auth-failure.js';
import { MAX_PROFILES } from './auth-profile-store.js';
import type { AuthProfile } from './auth-profile.js';

/** How long before its end a token is no longer used; a short-lived one for a tenth of its life. */
const MARGIN_MS = 30_000;
/** For a token whose server says nothing of its end. */
const DEFAULT_LIFE_MS = 5 * 60_000;
const MAX_LIFE_MS = 24 * 3_600_000;
/** A receiver that refuses every token causes one new token in this time. */
const RENEW_PAUSE_MS = 60_000;
/** How long a failure is answered from memory, so that many delivery streams ask a server that is down once. */
const FAILURE_MS = 500;
const MAX_ANSWER_BYTES = 64 * 1024;
const HEADER_SAFE = /^[\x21-\x7e]{1,8192}$/;
const ERROR_CODE = /^[\w.-]{1,64}$/;

interface Token {
  readonly value: string;
  readonly usableUntil: number;
  /** How long that was when it came; further ahead lies only what a clock set back has left there. */
  readonly usableMs: number;
  /** When it was asked for because a receiver had refused the one before; 0 for no such reason. */
  readonly renewedAt: number;
}

interface Entry {
  readonly version: number;
  token?: Token;
  asking?: Promise<Token>;
  failure?: { readonly error: AuthUnavailableError; readonly until: number };
  /** When the last token was refused by a receiver. */
  renewedAt: number;
}

export interface TokenSettings {
  /** For one call of a token server, in all. */
  readonly timeoutMs: number;
}

/**
 * Access tokens of profiles with the scheme `oauth2` (RFC 6749 §4.4), kept until shortly before they end.
 * However many attempts need one, a profile's server is asked by one request at a time.
 */
@Injectable()
export class OauthTokens {
  private readonly entries = new Map<string, Entry>();

  constructor(
    @Inject(Egress) private readonly egress: Pick<Egress, 'fetch'>,
    private readonly clock: Clock,
    @Settings('push') private readonly settings: TokenSettings,
  ) {}

  /** Rejects with {@link AuthUnavailableError} naming the server, never with a secret. */
  async get(profile: AuthProfile, clientSecret: string): Promise<string> {
    const entry = this.entryOf(profile);
    const now = this.clock.now().getTime();
    const { token, failure } = entry;
    if (token && isAhead(token.usableUntil, now, token.usableMs)) return token.value;
    if (failure && isAhead(failure.until, now, FAILURE_MS)) throw failure.error;
    entry.asking ??= this.ask(entry, profile, clientSecret).finally(() => delete entry.asking);
    return (await entry.asking).value;
  }

  /**
   * A receiver has refused this token. True when another may fare better: it was the one in use, and the
   * last such renewal is a while ago, or another one is in use already.
   */
  refused(profile: AuthProfile, value: string): boolean {
    const entry = this.entryOf(profile);
    if (entry.token?.value !== value) return true;
    const now = this.clock.now().getTime();
    const { renewedAt } = entry.token;
    if (renewedAt > 0 && Math.abs(now - renewedAt) < RENEW_PAUSE_MS) return false;
    delete entry.token;
    entry.renewedAt = now;
    return true;
  }

  private entryOf({ id, version }: AuthProfile): Entry {
    const known = this.entries.get(id);
    if (known && known.version >= version) return known;
    // Those of profiles that were deleted since; the others are asked for again.
    if (this.entries.size >= MAX_PROFILES) this.entries.clear();
    const entry: Entry = { version, renewedAt: 0 };
    this.entries.set(id, entry);
    return entry;
  }

  private async ask(entry: Entry, profile: AuthProfile, clientSecret: string): Promise<Token> {
    const { renewedAt } = entry;
    entry.renewedAt = 0;
    try {
      const { value, lifeMs } = await this.request(profile, clientSecret);
      const usableMs = lifeMs - Math.min(MARGIN_MS, lifeMs / 10);
      const usableUntil = this.clock.now().getTime() + usableMs;
      entry.token = { value, usableUntil, usableMs, renewedAt };
      delete entry.failure;
      return entry.token;
    } catch (cause) {
      const error = failureOf(profile.parameters.tokenUrl ?? '', cause);
      entry.failure = { error, until: this.clock.now().getTime() + FAILURE_MS };
      throw error;
    }
  }

  private async request(
    { parameters }: AuthProfile,
    clientSecret: string,
  ): Promise<{ value: string; lifeMs: number }> {
    const {
      tokenUrl = '',
      clientId = '',
      clientAuthentication,
      scope,
      audience,
      resource,
    } = parameters;
    const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
    const client = { client_id: clientId };
    const proof =
      clientAuthentication === 'client_secret_post'
        ? oauth.ClientSecretPost(clientSecret)
        : oauth.ClientSecretBasic(clientSecret);
    const requested = new URLSearchParams();
    for (const [name, value] of Object.entries({ scope, audience, resource })) {
      if (value !== undefined) requested.set(name, value);
    }
    const answer = await oauth.clientCredentialsGrantRequest(server, client, proof, requested, {
      [oauth.customFetch]: smallFetch(this.egress, MAX_ANSWER_BYTES),
      // The egress guard decides where plain http is allowed.
      [oauth.allowInsecureRequests]: true,
      signal: AbortSignal.timeout(this.settings.timeoutMs),
    });
    const token = await oauth.processClientCredentialsResponse(server, client, answer);
    if (!HEADER_SAFE.test(token.access_token)) throw new Error('a token no header can carry');
    if (token.token_type !== 'bearer') throw new Error(`a token of the type ${token.token_type}`);
    const lifeMs = token.expires_in === undefined ? DEFAULT_LIFE_MS : token.expires_in * 1000;
    return { value: token.access_token, lifeMs: Math.min(Math.max(lifeMs, 0), MAX_LIFE_MS) };
  }
}

/** Whether a time is still to come, and no further ahead than it was at first. */
function isAhead(time: number, now: number, mostMs: number): boolean {
  return time > now && time - now <= mostMs;
}

/**
 * The failure in one sentence; what the server wrote is quoted only where it is a code. The cause is left
 * out: it can hold a token.
 */
function failureOf(tokenUrl: string, cause: unknown): AuthUnavailableError {
  const { origin } = new URL(tokenUrl);
  return new AuthUnavailableError(`no token from ${origin}: ${reasonOf(cause)}`);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof oauth.ResponseBodyError) {
    const code = ERROR_CODE.test(cause.error) ? cause.error : 'an error';
    return `it answered ${code} (HTTP ${cause.status})`;
  }
  if (cause instanceof oauth.WWWAuthenticateChallengeError)
    return `it answered HTTP ${cause.status}`;
  if (cause instanceof oauth.OperationProcessingError) return statusOf(cause);
  const { name, code, message } = cause as { name?: unknown; code?: unknown; message?: unknown };
  if (name === 'TimeoutError') return 'it did not answer in time';
  return typeof code === 'string' && code !== '' ? code : String(message);
}

/** An answer that is no token answer. */
function statusOf({ cause }: oauth.OperationProcessingError): string {
  const status = (cause as { status?: unknown } | undefined)?.status;
  return typeof status === 'number'
    ? `it answered HTTP ${status}, no token answer`
    : 'its answer is no token answer';
}
