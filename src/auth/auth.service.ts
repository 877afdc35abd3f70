import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import { AppConfig, isLoopback } from '../config/index.js';
import { type ApiKey, ApiKeyStore } from './api-key-store.js';
import { type RequestHeaders, hashOf, keyIdOf, presentedKey, sameHash } from './credential.js';
import { KeyLookups } from './key-lookups.js';
import { KeyUses } from './key-uses.js';
import type { Principal } from './principal.js';
import type { Scope } from '../common/scope.js';

/** How long a verified key is believed: a revocation by another process is noticed after that. */
const BELIEVED_MS = 1000;
/** Verified keys remembered at once. */
const REMEMBERED = 10_000;

/** The organization of callers that were given none. */
export const DEFAULT_ORGANIZATION = 'default';
/** The principal of the configured admin key and of the one made at the first start. */
export const ADMIN_PRINCIPAL = 'admin';
/** Whoever comes without a key, with `auth.mode: none`. */
export const ANONYMOUS_PRINCIPAL = 'anonymous';

interface Verified {
  readonly keyId: string;
  readonly principal: Principal;
  readonly until: number;
}

/** Whose key it is; when it has expired; undefined for no valid key. */
type Found = Principal | Date | undefined;

/** Why a key is refused, or its open calls end, that has expired. */
export function keyHasExpired(at: Date): HubError {
  return new HubError('UNAUTHENTICATED', `The API key has expired (${at.toISOString()}).`, {
    refusal: { cause: 'expired-key' },
  });
}

/** Finds out who is calling. */
@Injectable()
export class AuthService {
  /** By the hash of the key, oldest first. */
  private readonly verified = new Map<string, Verified>();
  /** Look-ups under way, by the hash of the key. */
  private readonly running = new Map<string, Promise<Found>>();
  /** Raised by what ends keys here: a look-up that began before must not be remembered. */
  private ended = 0;
  private readonly adminHash: string | null;
  private readonly lookups = new KeyLookups();
  /** Who calls without a key under `auth.mode: none`; undefined when a key is needed. */
  readonly anonymous: Principal | undefined;

  constructor(
    config: AppConfig,
    private readonly store: ApiKeyStore,
    private readonly clock: Clock,
    private readonly uses: KeyUses,
  ) {
    this.adminHash = config.auth.adminKey === null ? null : hashOf(config.auth.adminKey);
    if (config.auth.mode !== 'none') return;
    const scopes: Scope[] = ['a2a', 'push', 'agents'];
    if (isLoopback(config.server.host)) scopes.push('admin');
    this.anonymous = principal(ANONYMOUS_PRINCIPAL, DEFAULT_ORGANIZATION, scopes);
  }

  /**
   * The principal of the key in the headers. Rejects with UNAUTHENTICATED when there is none, it is
   * unknown, is revoked or has expired, or its principal is disabled; with `auth.mode: none` such a caller is `anonymous` instead.
   */
  async authenticate(headers: RequestHeaders): Promise<Principal> {
    const key = presentedKey(headers);
    const known = key === undefined ? undefined : await this.verify(key);
    if (known !== undefined && !(known instanceof Date)) return known;
    if (this.anonymous !== undefined) return this.anonymous;
    if (known !== undefined) throw keyHasExpired(known);
    throw new HubError(
      'UNAUTHENTICATED',
      key === undefined
        ? 'An API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY.'
        : 'The API key is not valid.',
      { refusal: { cause: key === undefined ? 'no-credential' : 'unknown-key' } },
    );
  }

  /** Forgets a key at once, because it was revoked here. */
  forget(keyId: string): void {
    this.ended += 1;
    this.running.clear();
    for (const [hash, entry] of this.verified) {
      if (entry.keyId === keyId) this.verified.delete(hash);
    }
  }

  /** Forgets all keys of a principal at once, because it was disabled here. */
  forgetPrincipal(id: string): void {
    this.ended += 1;
    this.running.clear();
    for (const [hash, entry] of this.verified) {
      if (entry.principal.id === id) this.verified.delete(hash);
    }
  }

  /** Asks the database again about keys that were not valid: a principal was enabled here. */
  forgetRefused(): void {
    this.lookups.forget();
  }

  private async verify(key: string): Promise<Found> {
    const hash = hashOf(key);
    if (this.adminHash !== null && sameHash(hash, this.adminHash)) return ADMIN;
    const now = this.clock.now().getTime();
    const remembered = this.verified.get(hash);
    if (remembered !== undefined && remembered.until > now) return remembered.principal;
    // Many requests with one key are one look-up.
    const running = this.running.get(hash);
    if (running !== undefined) return running;
    const looking = this.look(key, hash, now, remembered !== undefined).finally(() => {
      if (this.running.get(hash) === looking) this.running.delete(hash);
    });
    this.running.set(hash, looking);
    return looking;
  }

  private async look(key: string, hash: string, now: number, wasSeen: boolean): Promise<Found> {
    const keyId = keyIdOf(key);
    if (keyId === undefined) return undefined;
    const { ended } = this;
    const search = async (): Promise<ApiKey | Date | undefined> => {
      const key = await this.store.findValid(keyId);
      if (!key || !sameHash(key.hash, hash)) return undefined;
      return key.expiresAt !== null && key.expiresAt.getTime() <= now ? key.expiresAt : key;
    };
    // Callers whose key was good a moment ago do not wait behind those who try keys.
    const found = await (wasSeen ? search() : this.lookups.find(hash, now, search));
    this.verified.delete(hash);
    if (found === undefined || found instanceof Date) return found;
    this.uses.used(found.id, new Date(now));
    const caller = principal(found.principalId, found.organization, found.scopes, found);
    if (ended === this.ended) {
      const until = Math.min(now + BELIEVED_MS, found.expiresAt?.getTime() ?? Infinity);
      this.remember(hash, { keyId: found.id, principal: caller, until });
    }
    return caller;
  }

  private remember(hash: string, entry: Verified): void {
    const oldest = this.verified.keys().next();
    if (this.verified.size >= REMEMBERED && !oldest.done) this.verified.delete(oldest.value);
    this.verified.set(hash, entry);
  }
}

const ADMIN = principal(ADMIN_PRINCIPAL, DEFAULT_ORGANIZATION, ['admin']);

function principal(
  id: string,
  organization: string,
  scopes: readonly Scope[],
  key?: Pick<ApiKey, 'id' | 'name' | 'expiresAt'>,
): Principal {
  return Object.freeze({
    id,
    organization,
    scopes: new Set(scopes),
    ...(key !== undefined && { keyId: key.id, keyName: key.name }),
    ...(key?.expiresAt && { expiresAt: key.expiresAt }),
  });
}
