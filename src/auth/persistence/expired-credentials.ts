import type { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Keyless } from '../api-key-store.js';
import { lockPrincipal, noteCredentials, REVISION } from './principal-writes.js';

/** Credentials that are read at once: after a long pause many have expired. */
const PIECE = 200;
/** The clocks of processes may differ by less: what has expired by one has not come back by another. */
const SKEW_MS = 60_000;

interface Expired {
  readonly id: string;
  readonly principal_id: string;
  readonly expires_at: number;
}

/**
 * Notes keys or sign-ins that have expired by then, each in a transaction of its own; and those that have not, though a clock that
 * was ahead has said so. See `ApiKeyStore.noteExpired`.
 */
export async function noteExpiredCredentials(
  database: Database,
  table: 'api_keys' | 'identities',
  at: Date,
  lost: (keyless: Keyless) => void = () => undefined,
): Promise<void> {
  await noteBack(database, table, at.getTime());
  for (let last: Expired | undefined; ;) {
    const found: Expired[] = await database.read<Expired>(
      `SELECT id, principal_id, expires_at FROM ${table}
       WHERE expires_at IS NOT NULL AND expires_at <= ? AND expired = 0 AND (expires_at, id) > (?, ?)
       ORDER BY expires_at, id LIMIT ${PIECE}`,
      [at.getTime(), last?.expires_at ?? -1, last?.id ?? ''],
    );
    for (const { id, principal_id: principalId } of found) {
      const keyless = await database.write((tx) =>
        noteExpiredCredential(tx, table, { id, principalId }, at.getTime()),
      );
      if (keyless !== undefined) lost(keyless);
    }
    last = found.at(-1);
    if (found.length < PIECE) return;
  }
}

async function noteBack(
  database: Database,
  table: 'api_keys' | 'identities',
  at: number,
): Promise<void> {
  let found: Expired[];
  do {
    found = await database.read<Expired>(
      `SELECT id, principal_id, expires_at FROM ${table} WHERE expired = 1 AND expires_at > ?
       ORDER BY expires_at LIMIT ${PIECE}`,
      [at + SKEW_MS],
    );
    for (const { id, principal_id: principalId } of found) {
      await database.write(function* (tx) {
        const before = (yield* lockPrincipal(tx, principalId))!;
        const sql = `UPDATE ${table} SET expired = 0 WHERE id = ? AND expired = 1 AND expires_at > ?`;
        if ((yield* tx.run(sql, [id, at])) === 0) return;
        yield* noteCredentials(tx, principalId, before, at);
        yield* REVISION.raise(tx);
      });
    }
  } while (found.length === PIECE);
}

/** What a credential, key or sign-in, that has expired means to its principal. */
function* noteExpiredCredential(
  tx: Tx,
  table: 'api_keys' | 'identities',
  { id, principalId }: { readonly id: string; readonly principalId: string },
  at: number,
): Work<Keyless | undefined> {
  const before = (yield* lockPrincipal(tx, principalId))!;
  const [credential] = yield* tx.all<{ expires_at: number }>(
    `UPDATE ${table} SET expired = 1
     WHERE id = ? AND expired = 0 AND expires_at <= ? RETURNING expires_at`,
    [id, at],
  );
  // Another process was faster, or it was renewed meanwhile.
  if (credential === undefined) return undefined;
  const after = yield* noteCredentials(tx, principalId, before, credential.expires_at);
  yield* REVISION.raise(tx);
  const isLost = before.keylessSince === null && after.disabledAt === null;
  return isLost && after.keylessSince !== null
    ? { principal: principalId, since: new Date(after.keylessSince) }
    : undefined;
}
