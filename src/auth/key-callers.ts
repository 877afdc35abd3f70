import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError, type RefusedCaller } from '../common/hub-error.js';
import { AppConfig } from '../config/index.js';
import { type ApiKey, ApiKeyStore } from './api-key-store.js';
import { hashOf, keyIdOf, sameHash } from './credential.js';
import { CredentialLookups } from './credential-lookups.js';
import { KeyBounds } from './key-bounds.js';
import { KeyUses } from './key-uses.js';
import { ADMIN_PRINCIPAL, DEFAULT_ORGANIZATION, type Principal, principalOf } from './principal.js';

const ADMIN = principalOf({
  id: ADMIN_PRINCIPAL,
  organization: DEFAULT_ORGANIZATION,
  scopes: ['admin'],
});

/** Characters of the admin key by which it is known. */
const TELLING = 16;

/** Who calls with an API key. */
@Injectable()
export class KeyCallers {
  private readonly adminHash: string | null;
  private readonly adminKey: string | undefined;
  private readonly lookups = new CredentialLookups();

  constructor(
    config: AppConfig,
    private readonly store: ApiKeyStore,
    private readonly clock: Clock,
    private readonly uses: KeyUses,
  ) {
    const { adminKey } = config.auth;
    this.adminHash = adminKey === null ? null : hashOf(adminKey);
    this.adminKey = adminKey?.toLowerCase();
  }

  /** The principal of the configured admin key, for the hash of that. */
  admin(hash: string): Principal | undefined {
    return this.adminHash !== null && sameHash(hash, this.adminHash) ? ADMIN : undefined;
  }

  /**
   * Whether this has a piece of the configured admin key in it: it was cut, put in quotes, or typed wrong. Too long a piece to be
   * found by trying.
   */
  isLikeAdmin(value: string): boolean {
    const { adminKey } = this;
    if (adminKey === undefined) return false;
    const shown = value.toLowerCase();
    for (let at = 0; at + TELLING <= shown.length; at++) {
      if (adminKey.includes(shown.slice(at, at + TELLING))) return true;
    }
    return false;
  }

  /**
   * The principal of a key. Rejects with UNAUTHENTICATED when the key is unknown, is revoked or has expired, or its
   * principal is disabled. `wasSeen`: it was good a moment ago, so its caller does not wait behind those who try keys.
   */
  async find(key: string, hash: string, wasSeen: boolean): Promise<Principal> {
    const now = this.clock.now();
    const search = (): Promise<ApiKey> => this.search(key, hash, now);
    const found = await (wasSeen ? search() : this.lookups.find(hash, now.getTime(), search));
    this.uses.used(found.id, now);
    const { id: keyId, name: keyName, principalId: id, organization, groups } = found;
    const { scopes, expiresAt } = found;
    const bounds = KeyBounds.of(found);
    return principalOf({
      ...{ id, organization, scopes, keyId, keyName, expiresAt },
      ...(groups.length > 0 && { groups }),
      ...(bounds !== undefined && { bounds }),
    });
  }

  /** Keys that were refused may be valid now. */
  forgetRefused(): void {
    this.lookups.forget();
  }

  private async search(key: string, hash: string, now: Date): Promise<ApiKey> {
    const keyId = keyIdOf(key);
    const found = keyId === undefined ? undefined : await this.store.findPresented(keyId);
    // Whose key it is, is told of no one who has its id alone.
    if (found === undefined || !sameHash(found.key.hash, hash)) throw keyIsNotValid('unknown-key');
    const { key: presented, fault } = found;
    if (fault !== null)
      throw keyIsNotValid(fault).refusedFor({ cause: fault, caller: holderOf(presented) });
    const { expiresAt } = presented;
    if (expiresAt !== null && expiresAt <= now) {
      throw keyHasExpired(expiresAt).refusedFor({
        cause: 'expired-key',
        caller: holderOf(presented),
      });
    }
    return presented;
  }
}

/** Whose a key is that is refused. */
function holderOf({ id: keyId, principalId: id, organization }: ApiKey): RefusedCaller {
  return { id, organization, keyId };
}

/** What is said of every key that does not let its caller in; the audit log has the cause. */
export function keyIsNotValid(cause: string): HubError {
  return new HubError('UNAUTHENTICATED', 'The API key is not valid.', { refusal: { cause } });
}

/** Why a key is refused, or its open calls end, that has expired. */
export function keyHasExpired(at: Date): HubError {
  return new HubError('UNAUTHENTICATED', `The API key has expired (${at.toISOString()}).`, {
    refusal: { cause: 'expired-key' },
  });
}
