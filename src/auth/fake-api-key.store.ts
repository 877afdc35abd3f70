import type { Page } from '../common/page.js';
import { invalidField } from '../common/hub-error.js';
import {
  type ApiKey,
  ApiKeyStore,
  endsAsReplaced,
  endsLater,
  isReplaced,
  type KeyAdmission,
  type KeyChanges,
  type KeyFilter,
  type PresentedKey,
} from './api-key-store.js';

/** {@link ApiKeyStore} in memory, for unit tests. It passes the same contract suite. */
export class FakeApiKeyStore extends ApiKeyStore {
  private readonly keys = new Map<string, ApiKey>();
  private readonly organizations = new Map<string, string>();
  /** How often a presented key was looked up. */
  lookups = 0;

  async add(key: ApiKey, admission: KeyAdmission = 'open'): Promise<void> {
    if (this.keys.has(key.id)) throw new Error(`key ${key.id} exists`);
    const known = this.organizations.get(key.principalId);
    if (admission === 'known' && known !== key.organization) {
      throw invalidField('principal', 'names none that there is');
    }
    const organization = known ?? key.organization;
    this.organizations.set(key.principalId, organization);
    this.keys.set(key.id, { ...key, organization });
    this.added();
    return Promise.resolve();
  }

  async replace(oldId: string, key: ApiKey, until: Date): Promise<boolean> {
    const old = this.keys.get(oldId);
    const end = old?.expiresAt ?? until;
    if (old?.revokedAt !== null || end <= key.createdAt) return false;
    const by = this.validSuccessor(old, key.createdAt);
    if (by !== undefined) throw isReplaced(oldId, by.id);
    const expiresAt = end < until ? end : until;
    this.keys.set(oldId, { ...old, expiresAt, replacedBy: key.id });
    await this.add(key);
    return true;
  }

  /** The newest of those that took the place of a key, or of one that did, and that is valid. */
  private validSuccessor({ replacedBy }: ApiKey, at: Date): ApiKey | undefined {
    const next = replacedBy === null ? undefined : this.keys.get(replacedBy);
    if (next === undefined) return undefined;
    const isValid = next.revokedAt === null && (next.expiresAt === null || next.expiresAt > at);
    return this.validSuccessor(next, at) ?? (isValid ? next : undefined);
  }

  find(id: string): Promise<ApiKey | undefined> {
    return Promise.resolve(this.keys.get(id));
  }

  findPresented(id: string): Promise<PresentedKey | undefined> {
    this.lookups += 1;
    const key = this.keys.get(id);
    return Promise.resolve(
      key && { key, fault: key.revokedAt === null ? null : ('revoked-key' as const) },
    );
  }

  organizationOf(principalId: string): Promise<string | undefined> {
    return Promise.resolve(this.organizations.get(principalId));
  }

  change(id: string, changes: KeyChanges, at: Date): Promise<boolean> {
    const key = this.keys.get(id);
    const isValid =
      key?.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > at.getTime());
    if (!isValid) return Promise.resolve(false);
    const next = { ...key, ...changes };
    const by = endsLater(next.expiresAt, key.expiresAt) ? this.validSuccessor(key, at) : undefined;
    if (by !== undefined) return Promise.reject(endsAsReplaced(id, by.id));
    this.keys.set(id, next);
    return Promise.resolve(true);
  }

  list(
    { organization, principal }: KeyFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<ApiKey>> {
    const rows = [...this.keys.values()]
      .filter((key) => organization === null || key.organization === organization)
      .filter((key) => principal === undefined || key.principalId === principal)
      .filter((key) => cursor === undefined || key.id < cursor)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const items = rows.slice(0, limit);
    const nextCursor = rows.length > limit ? (items.at(-1)?.id ?? null) : null;
    return Promise.resolve({ items, nextCursor });
  }

  revoke(id: string, at: Date): Promise<boolean> {
    const key = this.keys.get(id);
    if (key) this.keys.set(id, { ...key, revokedAt: key.revokedAt ?? at });
    return Promise.resolve(key !== undefined);
  }

  markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    for (const [id, at] of uses) {
      const key = this.keys.get(id);
      const isNews = key !== undefined && (key.lastUsedAt === null || key.lastUsedAt < at);
      if (isNews) this.keys.set(id, { ...key, lastUsedAt: at });
    }
    return Promise.resolve();
  }

  /** There are no statuses of principals here. */
  noteExpired(): Promise<void> {
    return Promise.resolve();
  }

  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = ids.flatMap((id) => this.keys.get(id) ?? []);
    return Promise.resolve(new Map(found.map(({ id, name }) => [id, name])));
  }

  adminKeySince(at: Date): Promise<Date | undefined> {
    const [oldest] = [...this.keys.values()]
      .filter((key) => key.scopes.includes('admin') && key.revokedAt === null)
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > at)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    return Promise.resolve(oldest?.createdAt);
  }

  hasSeveralOrganizations(): Promise<boolean> {
    const found = [...this.keys.values()].filter(
      (key) => !key.scopes.includes('admin') && key.revokedAt === null,
    );
    return Promise.resolve(new Set(found.map(({ organization }) => organization)).size > 1);
  }
}
