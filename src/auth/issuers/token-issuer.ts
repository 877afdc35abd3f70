import { errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Egress } from '../../common/egress/egress.js';
import type { SecretReferences } from '../../common/secret-references/secret-references.js';
import type { Log } from '../../common/logger.js';
import type { Clock } from '../../common/clock.js';
import { HubError, type Refusal } from '../../common/hub-error.js';
import { withNewestSecret } from '../../common/oauth/newest-secret.js';
import { TroubleLog } from '../../common/trouble-log.js';
import { isRecord } from '../../common/is-record.js';
import { actorsOf, type NamedParty } from '../domain/actors.js';
import { type CallerClaims, callerOf, TokenRefused } from '../domain/caller-claims.js';
import { CredentialLookups } from '../credential-lookups.js';
import { introspect } from './introspection.js';
import type { Introspection, Issuer } from './issuer.js';
import { reasonOf } from '../../common/oauth/discover.js';
import { IssuerMetadata } from './issuer-metadata.js';
import { dateOf, early, expired, isSigned, tokenFaultOf, wrongAudience } from './token-faults.js';

/** A token that was verified is believed for so long; what its principal may do is looked up more often. */
const BELIEVED_MS = 60_000;
/** Keys of one token without a key id that are tried. */
const MAX_KEYS_TRIED = 5;
/** What an access token may say it is (RFC 9068 §2.1; many providers say JWT or nothing). */
const TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt']);

/** A token that its issuer vouches for. */
export interface VerifiedToken {
  readonly issuer: Issuer;
  readonly caller: CallerClaims;
  /** Who acts for the caller, the last one first. */
  readonly actors: readonly NamedParty[];
  /** When it expires; null where an issuer does not say. */
  readonly expiresAt: Date | null;
  /** Epoch milliseconds until which it need not be verified again. */
  readonly believedUntil: number;
  /** The most milliseconds that can be from when it was verified. */
  readonly believedMs: number;
}

type Claims = JWTPayload & Readonly<Record<string, unknown>>;

/** Verifies the access tokens of one issuer. */
export class TokenIssuer {
  private readonly metadata: IssuerMetadata;
  private readonly secretTrouble: TroubleLog;
  private readonly lookups = new CredentialLookups();

  constructor(
    readonly issuer: Issuer,
    /** Asked at each token: the hub's own address is known when it listens. */
    private readonly audiences: () => readonly string[],
    private readonly egress: Pick<Egress, 'fetch'>,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
    private readonly references: Pick<SecretReferences, 'resolve' | 'refresh'>,
    /** The issuer could not be asked. */
    private readonly onFailure: () => void,
  ) {
    this.secretTrouble = new TroubleLog(log);
    this.metadata = new IssuerMetadata(issuer, egress, clock, log, onFailure);
  }

  /** Reads the keys of the issuer ahead, and logs when that is not possible. Never rejects. */
  async prepare(): Promise<void> {
    const { id, issuer } = this.issuer;
    try {
      await this.metadata.prepare();
    } catch (error) {
      this.onFailure();
      this.log.warn(
        { issuer: id, address: issuer, why: reasonOf(error) },
        'an issuer of access tokens cannot be reached: callers with its tokens get 503 until it can',
      );
    }
  }

  /** Why what it publishes cannot be read anew, though some may still be used; null when it can. */
  async trouble(): Promise<string | null> {
    try {
      await this.metadata.renewed();
      return null;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** What it publishes of itself. Rejects when that cannot be read. */
  server(): Promise<AuthorizationServer> {
    return this.metadata.server();
  }

  /** Whether it says of tokens that are no JWT whose they are. */
  get knowsOpaque(): boolean {
    return this.issuer.introspection !== null;
  }

  /** The caller of a token. Rejects with UNAUTHENTICATED saying what is wrong with it, UNAVAILABLE when the issuer cannot be asked. `wasSeen`: it was good lately, so it does not wait behind unknown ones. */
  verify(token: string, hash: string, isJwt: boolean, wasSeen: boolean): Promise<VerifiedToken> {
    const search = async (): Promise<VerifiedToken> => {
      try {
        return isJwt ? await this.verifyJwt(token) : await this.verifyOpaque(token);
      } catch (error) {
        throw this.refusalOf(error);
      }
    };
    return wasSeen ? search() : this.lookups.find(hash, this.now(), search);
  }

  private async verifyJwt(token: string): Promise<VerifiedToken> {
    const claims = await this.signed(token);
    const { introspection } = this.issuer;
    if (introspection?.tokens === 'all') {
      const said = (await this.introspected(token)) as Claims;
      if (said.sub !== undefined && said.sub !== claims.sub) {
        throw new TokenRefused(
          'The issuer knows the access token as one of another subject.',
          'wrong-subject',
        );
      }
      return this.verified(
        said.cnf === undefined ? claims : { ...claims, cnf: said.cnf },
        introspection.cacheMs,
      );
    }
    return this.verified(claims, BELIEVED_MS);
  }

  private async verifyOpaque(token: string): Promise<VerifiedToken> {
    const { introspection, issuer, clockSkewMs } = this.issuer;
    if (introspection === null) {
      throw new TokenRefused('The access token is not a JWT.', 'unknown-token');
    }
    const claims = (await this.introspected(token)) as Claims;
    refuseOtherKinds(claims);
    if (claims.iss !== undefined && claims.iss !== issuer) {
      throw new TokenRefused('The access token is of another issuer.', 'unlisted-issuer');
    }
    const named = [claims.aud ?? []].flat();
    const isForHub = this.audiences().some((audience) => named.includes(audience));
    if (introspection.requireAudience ? !isForHub : named.length > 0 && !isForHub) {
      throw wrongAudience(claims.aud, this.audiences());
    }
    const now = this.now();
    for (const name of ['exp', 'nbf'] as const) {
      const time: unknown = claims[name];
      if (time === undefined || Number.isFinite(time)) continue;
      const text = `The issuer says of the access token a time (${name}) that is no number.`;
      throw new TokenRefused(text, 'wrong-claim');
    }
    if (claims.exp !== undefined && claims.exp * 1000 + clockSkewMs <= now) throw expired(claims);
    if (claims.nbf !== undefined && claims.nbf * 1000 - clockSkewMs > now) throw early(claims.nbf);
    return this.verified(claims, introspection.cacheMs);
  }

  private async introspected(token: string): Promise<unknown> {
    const { introspection, issuer } = this.issuer;
    const url = introspection!.url ?? (await this.metadata.introspectionUrl());
    const newest = async (): Promise<string> => {
      await this.references.refresh(introspection!.clientSecret);
      return this.clientSecret(introspection!);
    };
    const known = await this.clientSecret(introspection!);
    return withNewestSecret(known, newest, (clientSecret) =>
      introspect(issuer, url, { ...introspection!, clientSecret }, token, this.egress),
    );
  }

  /** Where it is kept is told to the log, and not to whoever shows a token. */
  private async clientSecret({ clientSecret }: Introspection): Promise<string> {
    try {
      const secret = await this.references.resolve(clientSecret);
      this.secretTrouble.over();
      return secret;
    } catch (error) {
      const { id } = this.issuer;
      this.secretTrouble.warn(
        { issuer: id, why: (error as Error).message },
        'an issuer of access tokens cannot be asked: the client secret cannot be read',
      );
      throw new Error('the client secret for it cannot be read', { cause: error });
    }
  }

  /** The claims of a token that a key of the issuer has signed, for the hub, now. */
  private async signed(token: string): Promise<Claims> {
    const { issuer, algorithms, clockSkewMs } = this.issuer;
    const options: JWTVerifyOptions = {
      issuer,
      audience: [...this.audiences()],
      algorithms: [...algorithms],
      clockTolerance: clockSkewMs / 1000,
      currentDate: this.clock.now(),
      requiredClaims: ['exp'],
    };
    const { payload, protectedHeader } = await this.verifiedByAnyKey(token, options);
    const { typ } = protectedHeader;
    if (typ !== undefined && !TYPES.has(typ.toLowerCase())) {
      throw new TokenRefused(
        'The token is not an access token, by the type in its header.',
        'wrong-type',
      );
    }
    refuseOtherKinds(payload);
    return payload;
  }

  private async verifiedByAnyKey(
    token: string,
    options: JWTVerifyOptions,
  ): ReturnType<typeof jwtVerify> {
    try {
      return await jwtVerify(token, this.metadata.key, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      let tried = 0;
      for await (const key of error) {
        tried += 1;
        try {
          return await jwtVerify(token, key, options);
        } catch (failure) {
          const isOtherKey = failure instanceof errors.JWSSignatureVerificationFailed;
          if (!isOtherKey || tried === MAX_KEYS_TRIED) throw failure;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  private verified(claims: Claims, believedMs: number): VerifiedToken {
    if (isRecord(claims['cnf'])) {
      throw new TokenRefused(
        'The access token is bound to a key of its holder (cnf), which the hub cannot check: use a bearer token.',
        'bound-token',
      );
    }
    const caller = callerOf(claims, this.issuer);
    const actors = actorsOf(claims['act'], this.issuer.issuer);
    const { exp } = claims;
    const expiresAt = exp === undefined ? null : dateOf(exp + this.issuer.clockSkewMs / 1000);
    const believedUntil = Math.min(this.now() + believedMs, expiresAt?.getTime() ?? Infinity);
    return { issuer: this.issuer, caller, actors, expiresAt, believedUntil, believedMs };
  }

  private refusalOf(error: unknown): HubError {
    if (error instanceof HubError && error.reason === 'UNAVAILABLE') return error;
    const { issuer, id, algorithms } = this.issuer;
    if (error instanceof TokenRefused) return refused(error, { issuer });
    const fault = tokenFaultOf(error, { audiences: this.audiences(), algorithms });
    // Anybody can write the name of an issuer into a token.
    if (fault !== undefined)
      return refused(fault, isSigned(error) ? { issuer } : { claimedIssuer: issuer });
    this.onFailure();
    return new HubError(
      'UNAVAILABLE',
      `The access token cannot be checked now: the issuer ${id} cannot be asked (${reasonOf(error)}). Try again.`,
      // Without its cause, which can hold what the issuer has answered.
      { metadata: { retryAfterSeconds: '5' }, refusal: { cause: 'unreachable-issuer' } },
    );
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** Throws {@link TokenRefused} for a token that gives no access by itself. */
function refuseOtherKinds(claims: Claims): void {
  if (!isOfAnotherKind(claims)) return;
  throw new TokenRefused(
    'The token is not an access token, but an ID or refresh token.',
    'id-token',
  );
}

/** Where providers name the kind of a token: Keycloak, introspection (RFC 7662 §2.2) and Cognito. */
const KINDS = ['typ', 'token_type', 'token_use'] as const;
const OTHER_KINDS: ReadonlySet<string> = new Set([
  ...['id', 'id_token', 'refresh', 'refresh_token', 'offline'],
]);

/** ID tokens have hashes of what they come with (OpenID Connect Core §3.1.3.6). */
function isOfAnotherKind(claims: Claims): boolean {
  return (
    claims['at_hash'] !== undefined ||
    claims['c_hash'] !== undefined ||
    KINDS.some((name) => OTHER_KINDS.has(String(claims[name]).toLowerCase()))
  );
}

function refused({ message, fault }: TokenRefused, by: Refusal): HubError {
  return new HubError('UNAUTHENTICATED', message, { refusal: { cause: fault, ...by } });
}
