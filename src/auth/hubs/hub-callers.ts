import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { KeySets } from '../../common/jwks/key-sets.js';
import { candidates, type PublicJwk } from '../../common/jwks/public-jwk.js';
import { AppConfig, GrpcAddress, PublicUrl } from '../../config/index.js';
import {
  CALLER_HEADER,
  CALLER_TOKEN_SECONDS,
  CALLER_TOKEN_TYPE,
  callerAudience,
} from '../../protocol/caller-token.js';
import type { RequestHeaders } from '../credential.js';
import { actorsOf, type CallerChain, partyOf } from '../domain/actors.js';
import { TokenRefused } from '../domain/caller-claims.js';
import { type Principal, hasScope } from '../principal.js';
import { PrincipalStore } from '../principal-store.js';
import { isSigned, tokenFaultOf } from '../issuers/token-faults.js';
import { SignIns } from '../sign-ins.js';
import { readDeclaredHubs } from './declared-hubs.js';
import type { TrustedHub } from './trusted-hub.js';

const HEADER = CALLER_HEADER.toLowerCase();
/** What hubs sign with; see `caller-tokens.ts`. */
const ALGORITHM = 'ES256';
/** Longer ones are none of a hub. */
const MAX_LENGTH = 12 * 1024;
const SKEW_SECONDS = 30;

/** Callers of other hubs: a hub proves itself as every caller does, and says by a token that it signs in whose name it calls. */
@Injectable()
export class HubCallers implements OnModuleInit {
  private hubs: readonly TrustedHub[] = [];

  constructor(
    private readonly config: AppConfig,
    private readonly publicUrl: PublicUrl,
    private readonly grpcAddress: GrpcAddress,
    private readonly keySets: KeySets,
    private readonly signIns: SignIns,
    private readonly clock: Clock,
    @Inject(PrincipalStore)
    private readonly principals: Pick<PrincipalStore, 'validCredentials'>,
  ) {}

  async onModuleInit(): Promise<void> {
    const { hubs, issuers } = this.config.auth;
    this.hubs = await readDeclaredHubs(hubs, issuers);
  }

  /** Whether a call may be one in the name of another. Without `auth.hubs` such a token says nothing. */
  mayBringToken(headers: RequestHeaders): boolean {
    return this.hubs.length > 0 && headers[HEADER] !== undefined;
  }

  /**
   * In whose name `caller` calls, as the token of a hub that it brings says. Rejects with PERMISSION_DENIED when it is no hub of `auth.hubs`, with UNAUTHENTICATED saying
   * what is wrong with the token, or when the principal is disabled, with UNAVAILABLE when the keys of the hub cannot be read.
   */
  async principalFor(caller: Principal, headers: RequestHeaders): Promise<Principal> {
    const hub = this.hubs.find(({ callers }) => callers.includes(caller.id));
    if (hub === undefined) {
      throw new HubError(
        'PERMISSION_DENIED',
        `This caller may not call on behalf of others (${CALLER_HEADER}): it is the principal of no hub in auth.hubs.`,
        { refusal: { cause: 'unlisted-hub' } },
      );
    }
    const said = await this.verified(hub, headers[HEADER]);
    const chain: CallerChain = { ...said.chain, hub: caller.id };
    return this.signIns.principalFor({
      by: 'call of another hub',
      issuer: hub.issuer,
      subject: said.subject,
      organization: said.organization,
      scopes: hub.scopes.filter((scope) => hasScope(caller, scope)),
      chain,
      // Its open calls end with the credential of the hub, not with the token, which is for the beginning of a call.
      expiresAt: null,
      voucher: {
        // Each token or certificate of the hub is asked about by itself: they end one by one.
        id: `hub ${caller.voucher?.id ?? caller.keyId ?? caller.id}`,
        source: caller.voucher?.source ?? hub.issuer,
        check: () => this.refuseEnded(caller),
      },
    });
  }

  /**
   * Rejects with UNAUTHENTICATED when the credential of a hub is not valid any more. Asks about the credential alone, never
   * about the connection: that of the call that brought it first may be gone while others with it are open.
   */
  private async refuseEnded({ voucher, keyId, identityId, expiresAt }: Principal): Promise<void> {
    try {
      await voucher?.check();
    } catch (error) {
      throw error instanceof HubError && error.reason === 'UNAUTHENTICATED' ? notLetIn() : error;
    }
    const credential = keyId ?? identityId;
    if (credential === undefined) return;
    const valid = await this.principals.validCredentials([credential]);
    // That of a key may have been brought forward.
    const end = keyId === undefined ? expiresAt : valid.get(keyId);
    const isOver = end != null && end <= this.clock.now();
    if (isOver || !valid.has(credential)) throw notLetIn();
  }

  private async verified(hub: TrustedHub, token: RequestHeaders[string]) {
    let isProven = false;
    try {
      if (typeof token !== 'string') throw new TokenRefused('there are several', 'several-tokens');
      if (token.length > MAX_LENGTH) {
        throw new TokenRefused(`it is longer than ${MAX_LENGTH} characters`, 'long-token');
      }
      const claims = await this.claimsOf(hub, token);
      isProven = true;
      return callerOf(claims, hub);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw unavailable(hub);
      throw new HubError(
        'UNAUTHENTICATED',
        `The token that says on whose behalf the hub calls (${CALLER_HEADER}) is not valid: ${fault}.`,
        {
          refusal: {
            cause: causeOf(error),
            ...(isProven || isSigned(error)
              ? { issuer: hub.issuer }
              : { claimedIssuer: hub.issuer }),
          },
        },
      );
    }
  }

  private async claimsOf(hub: TrustedHub, token: string): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, ({ kid }) => this.keyOf(hub, kid), {
      issuer: hub.issuer,
      audience: [...(hub.audiences ?? this.ownAudiences())],
      typ: CALLER_TOKEN_TYPE,
      algorithms: [ALGORITHM],
      requiredClaims: ['exp', 'iat'],
      maxTokenAge: CALLER_TOKEN_SECONDS,
      clockTolerance: SKEW_SECONDS,
      currentDate: this.clock.now(),
    });
    return payload;
  }

  private async keyOf({ jwksUrl }: TrustedHub, kid: string | undefined): Promise<PublicJwk> {
    if (kid === undefined) throw new TokenRefused('it names no key (kid)', 'unpublished-key');
    const [key] = await this.keySets.find(jwksUrl, (keys) =>
      candidates(keys, ALGORITHM, kid, this.clock.now()),
    );
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  /** As the cards name them. */
  private ownAudiences(): readonly string[] {
    const { target, secure } = this.grpcAddress;
    const grpc = target === undefined ? [] : [target, `${secure ? 'https' : 'http'}://${target}`];
    return [callerAudience(this.publicUrl.base), ...grpc];
  }
}

/** Whom the claims of a token name. Throws {@link TokenRefused}. */
function callerOf(claims: JWTPayload, hub: TrustedHub) {
  const caller = partyOf(claims);
  if (caller === undefined) throw new TokenRefused('it names no subject (sub)', 'no-subject');
  if (claims['act'] === undefined)
    throw new TokenRefused('it does not say which hub acts (act)', 'wrong-actors');
  const subject = partyOf(claims['sub_id']);
  if (claims['sub_id'] !== undefined && subject === undefined) {
    throw new TokenRefused(
      'its sub_id is no issuer and subject (RFC 9493 §3.2.3)',
      'wrong-subject',
    );
  }
  return {
    subject: caller.sub,
    organization: organizationOf(claims['organization'], hub),
    chain: { actors: actorsOf(claims['act'], hub.issuer), ...(subject && { subject }) },
  };
}

function organizationOf(named: unknown, { organization, organizations }: TrustedHub): string {
  if (organization !== null) return organization;
  if (typeof named === 'string' && organizations.includes(named)) return named;
  throw new TokenRefused(
    'its organization is not one that the hub may name here',
    'unlisted-organization',
  );
}

/** What is wrong with the token; undefined when its hub is at fault. */
function faultOf(error: unknown): string | undefined {
  if (error instanceof TokenRefused) return error.message;
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its ${error.claim} is missing or wrong`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return `it must be signed with ${ALGORITHM}`;
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'it is signed with a key that the hub does not publish';
  return error instanceof errors.JOSEError ? 'its form or its signature is wrong' : undefined;
}

/** The same as a word of docs/audit.md. */
function causeOf(error: unknown): string | undefined {
  const expected = { audiences: [], algorithms: [] };
  return error instanceof TokenRefused ? error.fault : tokenFaultOf(error, expected)?.fault;
}

function notLetIn(): HubError {
  return new HubError('UNAUTHENTICATED', 'The hub that called is not let in any more.', {
    refusal: { cause: 'ended-hub' },
  });
}

/** Without the cause, which can hold what was answered. */
function unavailable({ issuer }: TrustedHub): HubError {
  return new HubError(
    'UNAVAILABLE',
    `The token that says on whose behalf the hub calls cannot be checked now: the keys of ${issuer} cannot be read. Try again.`,
    { metadata: { retryAfterSeconds: '5' } },
  );
}
