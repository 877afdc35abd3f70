import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { AppConfig, isLoopback } from '../config/index.js';
import { type Presented, type RequestHeaders, hashOf, keyIdOf, presented } from './credential.js';
import { KeyCallers } from './key-callers.js';
import {
  ANONYMOUS_PRINCIPAL,
  DEFAULT_ORGANIZATION,
  type Principal,
  principalOf,
} from './principal.js';
import { TokenCallers } from './token-callers.js';
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
  /** By the hash of the credential, oldest first. */
  private readonly remembered = new Map<string, Remembered>();
  /** Look-ups under way, by the hash of the credential. */
  private readonly running = new Map<string, Promise<Principal>>();
  /** Raised by what ends credentials here: a look-up that began before must not be remembered. */
  private ended = 0;
  /** Who calls without a credential under `auth.mode: none`; undefined when one is needed. */
  readonly anonymous: Principal | undefined;

  constructor(
    config: AppConfig,
    private readonly keys: KeyCallers,
    private readonly tokens: TokenCallers,
    private readonly clock: Clock,
  ) {
    if (config.auth.mode !== 'none') return;
    const scopes: Scope[] = ['a2a', 'push', 'agents'];
    if (isLoopback(config.server.host)) scopes.push('admin');
    this.anonymous = principalOf({
      id: ANONYMOUS_PRINCIPAL,
      organization: DEFAULT_ORGANIZATION,
      scopes,
    });
  }

  /**
   * The principal of the API key or access token in the headers. Rejects with UNAUTHENTICATED when there is none or it
   * is not valid, or its principal is disabled; with `auth.mode: none` such a caller is `anonymous` instead. Rejects with
   * UNAVAILABLE when the issuer of a token cannot be asked.
   */
  async authenticate(headers: RequestHeaders): Promise<Principal> {
    const credential = presented(headers);
    if (credential === undefined) return this.anonymous ?? this.refuse();
    try {
      return await this.verify(credential);
    } catch (error) {
      const isRefused = error instanceof HubError && error.reason === 'UNAUTHENTICATED';
      if (isRefused && this.anonymous !== undefined) return this.anonymous;
      throw error;
    }
  }

  /** Forgets a key at once, because it was revoked here. */
  forget(keyId: string): void {
    this.forgetThose((principal) => principal.keyId === keyId);
  }

  /** Forgets all credentials of a principal at once, because it was disabled here. */
  forgetPrincipal(id: string): void {
    this.forgetThose((principal) => principal.id === id);
  }

  /** Asks the database again about keys that were not valid: a principal was enabled here. */
  forgetRefused(): void {
    this.keys.forgetRefused();
  }

  private forgetThose(isMeant: (principal: Principal) => boolean): void {
    this.ended += 1;
    this.running.clear();
    for (const [hash, { principal }] of this.remembered) {
      if (isMeant(principal)) this.remembered.delete(hash);
    }
  }

  private refuse(): never {
    const needed = this.tokens.areAccepted
      ? 'An access token or an API key is needed: Authorization: Bearer TOKEN or KEY, or X-API-Key: KEY.'
      : 'An API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY.';
    throw new HubError('UNAUTHENTICATED', needed, { refusal: { cause: 'no-credential' } });
  }

  private async verify(credential: Presented): Promise<Principal> {
    const hash = hashOf(credential.value);
    const admin = this.keys.admin(hash);
    if (admin !== undefined) return admin;
    const now = this.clock.now().getTime();
    const remembered = this.remembered.get(hash);
    if (remembered !== undefined && remembered.until > now) return remembered.principal;
    // Many requests with one credential are one look-up.
    const running = this.running.get(hash);
    if (running !== undefined) return running;
    const looking = this.look(credential, hash, now, remembered !== undefined).finally(() => {
      if (this.running.get(hash) === looking) this.running.delete(hash);
    });
    this.running.set(hash, looking);
    return looking;
  }

  private async look(
    { value, isBearer }: Presented,
    hash: string,
    now: number,
    wasSeen: boolean,
  ): Promise<Principal> {
    const { ended } = this;
    this.remembered.delete(hash);
    // What only X-API-Key carries is never shown to an issuer.
    const isToken = isBearer && this.tokens.areAccepted && keyIdOf(value) === undefined;
    const principal = isToken
      ? await this.tokens.find(value, hash)
      : await this.keys.find(value, hash, wasSeen);
    if (ended === this.ended) {
      const until = Math.min(now + BELIEVED_MS, principal.expiresAt?.getTime() ?? Infinity);
      this.remember(hash, { principal, until });
    }
    return principal;
  }

  private remember(hash: string, entry: Remembered): void {
    const oldest = this.remembered.keys().next();
    if (this.remembered.size >= REMEMBERED && !oldest.done) this.remembered.delete(oldest.value);
    this.remembered.set(hash, entry);
  }
}
