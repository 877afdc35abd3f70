import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { Clock } from '../../common/clock.js';
import { Egress } from '../../common/egress/egress.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { isAhead } from '../../common/is-ahead.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { AppConfig, PublicUrl } from '../../config/index.js';
import { Metrics } from '../../observability/metrics.js';
import { isJwt } from '../credential.js';
import { readDeclaredIssuers } from './declared-issuers.js';
import type { Issuer } from './issuer.js';
import { malformed } from './token-faults.js';
import { TokenIssuer, type VerifiedToken } from './token-issuer.js';

/** Longer ones are no access tokens. */
export const MAX_TOKEN_LENGTH = 12 * 1024;
/** Verified tokens remembered at once. */
const REMEMBERED = 10_000;
const JWE = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

/** Verifies access tokens of the issuers in `auth.issuers`. */
@Injectable()
export class AccessTokens implements OnModuleInit, OnApplicationBootstrap {
  private tokenIssuers: readonly TokenIssuer[] = [];
  /** By the hash of the token, oldest first. */
  private readonly verified = new Map<string, VerifiedToken>();

  constructor(
    private readonly config: AppConfig,
    private readonly publicUrl: PublicUrl,
    @Inject(Egress) private readonly egress: Pick<Egress, 'fetch'>,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(SecretReferences)
    private readonly references: Pick<SecretReferences, 'resolve' | 'refresh'>,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'counter'>,
  ) {}

  async onModuleInit(): Promise<void> {
    const issuers = await readDeclaredIssuers(this.config.auth.issuers);
    if (issuers.length === 0) return;
    const failures = this.metrics.counter(
      'token_issuer_failures_total',
      'Times an issuer of access tokens could not be asked for its keys or about a token.',
      ['issuer'],
    );
    this.tokenIssuers = issuers.map((issuer) => {
      const audiences = (): readonly string[] => this.audiencesOf(issuer);
      const { egress, clock, log, references } = this;
      const failed = (): void => failures.inc({ issuer: issuer.id });
      failures.inc({ issuer: issuer.id }, 0);
      return new TokenIssuer(issuer, audiences, egress, clock, log, references, failed);
    });
  }

  /** Not awaited: a hub starts without its issuers. */
  onApplicationBootstrap(): void {
    if (this.config.role === 'worker') return;
    this.warn();
    for (const issuer of this.tokenIssuers) void issuer.prepare();
  }

  /** Of settings that let in more than who sets them may mean. */
  private warn(): void {
    const { mode, certificates } = this.config.auth;
    const needsSignIn = this.tokenIssuers.length > 0 || certificates.length > 0;
    if (mode === 'none' && needsSignIn) {
      const text =
        'auth.mode is none: who comes without a valid credential is let in as anonymous, so that auth.issuers and auth.certificates keep out no caller';
      this.log.warn({}, text);
    }
    for (const { id, grants } of this.issuers) {
      if (!grants.everyone.includes('admin')) continue;
      const text =
        'grants.everyone of an issuer gives admin: whoever it gives a token operates the hub';
      this.log.warn({ issuer: id }, text);
    }
  }

  get issuers(): readonly Issuer[] {
    return this.tokenIssuers.map(({ issuer }) => issuer);
  }

  /** Which issuers cannot be asked for what they publish, and why; null: it was read lately, or now. */
  async troubles(): Promise<readonly { readonly id: string; readonly why: string | null }[]> {
    return Promise.all(
      this.tokenIssuers.map(async (each) => ({ id: each.issuer.id, why: await each.trouble() })),
    );
  }

  /** What an issuer publishes of itself, by its id here. Rejects when that cannot be read now. */
  async metadataOf(id: string): Promise<AuthorizationServer> {
    const found = this.tokenIssuers.find(({ issuer }) => issuer.id === id);
    if (found === undefined) throw new Error(`there is no issuer ${id}`);
    return found.server();
  }

  /**
   * Who a token vouches for. Rejects with UNAUTHENTICATED saying what is wrong with it, and with UNAVAILABLE
   * when its issuer cannot be asked.
   */
  async verify(token: string, hash: string): Promise<VerifiedToken> {
    const known = this.verified.get(hash);
    const now = this.clock.now().getTime();
    if (known !== undefined && isAhead(known.believedUntil, now, known.believedMs)) return known;
    this.verified.delete(hash);
    const hasClaims = isJwt(token);
    const verified = await this.issuerOf(token, hasClaims).verify(
      token,
      hash,
      hasClaims,
      known !== undefined,
    );
    evictOldest(this.verified, REMEMBERED);
    this.verified.set(hash, verified);
    return verified;
  }

  /** The audiences that tokens of an issuer may be for. */
  audiencesOf({ audiences }: Issuer): readonly string[] {
    const { base } = this.publicUrl;
    return audiences ?? [base, `${base}/a2a`];
  }

  /** Whose token it says it is: nothing of it is verified. */
  private issuerOf(token: string, hasClaims: boolean): TokenIssuer {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw refused(
        `The access token is longer than ${MAX_TOKEN_LENGTH} characters.`,
        'long-token',
      );
    }
    if (JWE.test(token)) {
      throw refused('The access token is encrypted; the hub takes signed ones.', 'encrypted-token');
    }
    if (!hasClaims) {
      const found = this.tokenIssuers.find(({ knowsOpaque }) => knowsOpaque);
      if (found !== undefined) return found;
      throw refused('The credential is neither an API key of the hub nor a JWT.', 'unknown-token');
    }
    const issuer = issuerIn(token);
    const found = this.tokenIssuers.find((each) => each.issuer.issuer === issuer);
    if (found !== undefined) return found;
    const names = this.tokenIssuers.map((each) => each.issuer.issuer).join(', ');
    const text = `The access token is of an issuer that is not accepted: use ${names}.`;
    throw refused(text, 'unlisted-issuer');
  }
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    const { message, fault } = malformed();
    throw refused(message, fault);
  }
}

function refused(text: string, cause: string): HubError {
  return new HubError('UNAUTHENTICATED', text, { refusal: { cause } });
}
