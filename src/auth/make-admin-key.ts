import { audited, type AuditLog, ownChange } from '../audit/index.js';
import type { Clock } from '../common/clock.js';
import type { IdSource } from '../common/ids.js';
import { type ApiKey, type ApiKeyStore, UNBOUNDED } from './api-key-store.js';
import { ADMIN_PRINCIPAL, DEFAULT_ORGANIZATION } from './principal.js';
import { hashOf, newKey } from './credential.js';

/** Makes another key of the principal `admin`, which the audit log tells of; `by` says there what asked for it. `keep` has it first: when that throws, it is not made. */
export async function makeAdminKey(
  store: ApiKeyStore,
  clock: Clock,
  ids: IdSource,
  name: string,
  audit: Pick<AuditLog, 'record'>,
  by: string,
  keep: (key: string) => unknown = () => undefined,
  expiresAt: Date | null = null,
): Promise<string> {
  const { id, key } = newKey(ids);
  const change = ownChange('keys.create', { type: 'keys', id }, { by });
  return audited(audit, change, async () => {
    keep(key);
    const record: ApiKey = {
      id,
      principalId: ADMIN_PRINCIPAL,
      organization: DEFAULT_ORGANIZATION,
      name,
      scopes: ['admin'],
      hash: hashOf(key),
      createdAt: clock.now(),
      revokedAt: null,
      expiresAt,
      lastUsedAt: null,
      ...UNBOUNDED,
    };
    await store.add(record, 'own');
    return key;
  });
}
