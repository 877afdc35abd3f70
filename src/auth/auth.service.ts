import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { evictOldest } from '../common/evict-oldest.js';
import { isAhead } from '../common/is-ahead.js';
import { AppConfig, isLoopback } from '../config/index.js';
import {
  type Presented,
  type RequestHeaders,
  hashOf,
  isJwt,
  isLikeToken,
  presented,
  refuseSeveral,
} from './credential.js';
import { CertificateCallers } from './certificates/certificate-callers.js';
import type { CallerConnection, CertifiedCaller } from './certificates/client-certificates.js';
import { ClientAddress } from './client-address.js';
import { HubCallers } from './hubs/hub-callers.js';
import { MAX_TOKEN_LENGTH } from './issuers/access-tokens.js';
import { KeyCallers, keyIsNotValid } from './key-callers.js';
import {
  ANONYMOUS_PRINCIPAL,
  DEFAULT_ORGANIZATION,
  type Principal,
  principalOf,
} from './principal.js';
import { SessionCallers } from './sessions/session-callers.js';
import { TokenCallers, tokenAsKey } from './token-callers.js';
import type { Scope } from '../common/scope.js';

/** How long a caller is believed: what another process has revoked or disabled is noticed after that. */
const BELIEVED_MS = 1000;
/** Callers remembered at once, by their credentials. */
const REMEMBERED = 10_000;

interface Remembered {
  readonly principal: Principal;
  readonly until: number;
}

/** Finds out who is calling. */
@Injectable()
export class AuthService {
  /** By the hash of the key or token, or by the names of a certificate; oldest first. */
  private readonly remembered = new Map<string, Remembered>();
  /** Look-ups under way, by the same. */
  private readonly running = new Map<string, Promise<Principal>>();
  private readonly addresses: ClientAddress;
  /** Raised by what ends credentials here: a look-up that began before must not be remembered. */
  private ended = 0;
  /** Who calls without a credential under `auth.mode: none`; undefined when one is needed. */
  readonly anonymous: Principal | undefined;

  constructor(
    config: AppConfig,
    private readonly keys: KeyCallers,
    private readonly tokens: TokenCallers,
    private readonly clock: Clock,
    private readonly certificates: CertificateCallers,
    private readonly hubs: HubCallers,
    private readonly sessions: SessionCallers,
  ) {
    this.addresses = new ClientAddress(config);
    if (config.auth.mode !== 'none') return;
    const scopes: Scope[] = ['a2a', 'push', 'agents', 'routing'];
    if (isLoopback(config.server.host)) scopes.push('admin');
    this.anonymous = principalOf({
      id: ANONYMOUS_PRINCIPAL,
      organization: DEFAULT_ORGANIZATION,
      scopes,
    });
  }

  /**
   * The principal of the API key or access token in the headers, else of the session that the hub's own page calls with, else of the client certificate of the connection or of the
   * headers of a listed proxy. Rejects with UNAUTHENTICATED when there is none or it
   * is not valid or not from here, or its principal or organization is disabled, with INVALID_REQUEST when there are several or another than a proxy names a certificate; with `auth.mode: none` such a caller is `anonymous` instead. Rejects with
   * UNAVAILABLE when the issuer of a token cannot be asked. Of another hub it is the principal in whose name that calls; see
   * {@link HubCallers.principalFor}.
   */
  async authenticate(headers: RequestHeaders, connection?: CallerConnection): Promise<Principal> {
    refuseSeveral(headers, connection?.rawHeaders);
    const caller = await this.identify(headers, connection);
    return this.hubs.mayBringToken(headers) ? this.hubs.principalFor(caller, headers) : caller;
  }

  private async identify(
    headers: RequestHeaders,
    connection: CallerConnection | undefined,
  ): Promise<Principal> {
    if (connection !== undefined) this.certificates.refuseForged(connection, headers);
    const credential = presented(headers);
    if (credential === undefined && connection?.listener === 'http') {
      const caller = await this.ofSession(headers);
      if (caller !== undefined) {
        this.sessions.refuseForOther(headers, caller);
        return caller;
      }
    }
    try {
      if (credential !== undefined) {
        const principal = await this.verify(credential);
        this.refuseElsewhere(principal, headers, connection);
        return principal;
      }
      const certified = connection && this.certificates.shownBy(connection, headers);
      if (certified !== undefined) return await this.verifyCertified(certified);
      return this.anonymous ?? this.refuse(connection);
    } catch (error) {
      const isRefused = error instanceof HubError && error.reason === 'UNAUTHENTICATED';
      if (isRefused && this.anonymous !== undefined) return this.anonymous;
      throw error;
    }
  }

  /** The principal of the session that the hub's own page calls with; undefined without one. Rejects when it does not count. */
  async ofSession(headers: RequestHeaders): Promise<Principal | undefined> {
    const session = await this.sessions.shownBy(headers);
    return session && this.sessions.principalOf(session, () => this.holderOf(session.token));
  }

  /** The principal of an access token that the hub has got for it. Rejects as {@link authenticate} does. */
  holderOf(token: string): Promise<Principal> {
    return this.verify({ value: token, isBearer: true });
  }

  /** Forgets a key at once, because it was revoked here. */
  forget(keyId: string): void {
    this.forgetThose((principal) => principal.keyId === keyId);
  }

  /** Forgets all credentials of a principal at once, because it was disabled here. */
  forgetPrincipal(id: string): void {
    this.forgetThose((principal) => principal.id === id);
  }

  /** Forgets all credentials of the principals of an organization at once, because that was disabled here. */
  forgetOrganization(id: string): void {
    this.forgetThose(({ organization }) => organization === id);
  }

  /** Asks the database again about keys that were not valid: a principal was enabled here. */
  forgetRefused(): void {
    // Nobody joins a look-up from before it.
    this.running.clear();
    this.keys.forgetRefused();
  }

  private forgetThose(isMeant: (principal: Principal) => boolean): void {
    this.ended += 1;
    this.running.clear();
    for (const [hash, { principal }] of this.remembered) {
      if (isMeant(principal)) this.remembered.delete(hash);
    }
  }

  private refuseElsewhere(
    { bounds, id, organization, keyId }: Principal,
    headers: RequestHeaders,
    connection: CallerConnection | undefined,
  ): void {
    if (bounds === undefined) return;
    const { origin } = headers;
    const address = this.addresses.of(headers, connection?.socket);
    const cause = bounds.fault(address, typeof origin === 'string' ? origin : undefined);
    if (cause === undefined) return;
    throw keyIsNotValid(cause).refusedFor({ cause, caller: { id, organization, keyId } });
  }

  private refuse(connection: CallerConnection | undefined): never {
    const needed = this.tokens.areAccepted
      ? 'An access token or an API key is needed: Authorization: Bearer TOKEN or KEY, or X-API-Key: KEY'
      : 'An API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY';
    const isTaken = connection !== undefined && this.certificates.areTakenOn(connection.listener);
    const orElse = isTaken ? '; or a client certificate' : '';
    throw new HubError('UNAUTHENTICATED', `${needed}${orElse}.`, {
      refusal: { cause: 'no-credential' },
    });
  }

  private async verify({ value, isBearer }: Presented): Promise<Principal> {
    const hash = hashOf(value);
    const admin = this.keys.admin(hash);
    if (admin !== undefined) return admin;
    // What was meant as a key leaves the hub for no issuer.
    const mayBeToken = this.tokens.areAccepted && (isJwt(value) || this.isOpaqueToken(value, hash));
    if (!mayBeToken) return this.known(hash, (wasSeen) => this.keys.find(value, hash, wasSeen));
    // What only X-API-Key carries is never shown to an issuer, nor taken for what came as a bearer token.
    if (!isBearer) throw isJwt(value) ? tokenAsKey() : keyIsNotValid('unknown-key');
    return this.known(hash, () => this.tokens.find(value, hash));
  }

  private isOpaqueToken(value: string, hash: string): boolean {
    if (!isLikeToken(value)) return false;
    // Neither is shown: what was good a moment ago, and what is too long.
    const isKnown = this.remembered.has(hash) || value.length > MAX_TOKEN_LENGTH;
    return isKnown || !this.keys.isLikeAdmin(value);
  }

  private verifyCertified(caller: CertifiedCaller): Promise<Principal> {
    return this.known(this.certificates.idOf(caller), () => this.certificates.find(caller));
  }

  /** Whom a credential stands for, as it was found lately or as `find` finds it; many requests with one are one look-up. */
  private async known(
    id: string,
    find: (wasSeen: boolean) => Promise<Principal>,
  ): Promise<Principal> {
    const now = this.clock.now().getTime();
    const remembered = this.remembered.get(id);
    if (remembered !== undefined && isAhead(remembered.until, now, BELIEVED_MS))
      return remembered.principal;
    const running = this.running.get(id);
    if (running !== undefined) return running;
    const looking = this.look(id, now, () => find(remembered !== undefined)).finally(() => {
      if (this.running.get(id) === looking) this.running.delete(id);
    });
    this.running.set(id, looking);
    return looking;
  }

  private async look(id: string, now: number, find: () => Promise<Principal>): Promise<Principal> {
    const { ended } = this;
    this.remembered.delete(id);
    const principal = await find();
    if (ended === this.ended) {
      const until = Math.min(now + BELIEVED_MS, principal.expiresAt?.getTime() ?? Infinity);
      this.remember(id, { principal, until });
    }
    return principal;
  }

  private remember(id: string, entry: Remembered): void {
    evictOldest(this.remembered, REMEMBERED);
    this.remembered.set(id, entry);
  }
}
