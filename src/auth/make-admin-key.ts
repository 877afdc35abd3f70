import type { Clock } from '../common/clock.js';
import type { IdSource } from '../common/ids.js';
import type { ApiKeyStore } from './api-key-store.js';
import { ADMIN_PRINCIPAL, DEFAULT_ORGANIZATION } from './principal.js';
import { hashOf, newKey } from './credential.js';

/** Makes another key of the principal `admin`. `keep` has it first: when that throws, it is not made. */
export async function makeAdminKey(
  store: ApiKeyStore,
  clock: Clock,
  ids: IdSource,
  name: string,
  keep: (key: string) => unknown = () => undefined,
): Promise<string> {
  const { id, key } = newKey(ids);
  keep(key);
  await store.add({
    id,
    principalId: ADMIN_PRINCIPAL,
    organization: DEFAULT_ORGANIZATION,
    name,
    scopes: ['admin'],
    hash: hashOf(key),
    createdAt: clock.now(),
    revokedAt: null,
    expiresAt: null,
    lastUsedAt: null,
  });
  return key;
}
