import { type DataOwner, ownerKey, ownerText } from '../../common/owned-data.js';
import { listOf } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';

/**
 * Says that the data of one of these is being deleted: a deletion goes by the name, so whoever had it anew would lose its data too. Undefined: of
 * none. The jobs are those of the feature `data`, and every process sees them from their commit to their end.
 */
export function* openDeletionOf(tx: Tx, ...owners: DataOwner[]): Work<string | undefined> {
  const keys = owners.map((owner) => storable(ownerKey(owner)));
  const [job] = yield* tx.all<{ id: string; owner: string }>(
    `SELECT id, owner FROM data_jobs
     WHERE kind = 'deletion' AND ended_at IS NULL AND owner IN ${listOf(keys.length)}`,
    keys,
  );
  const owner = job && owners[keys.indexOf(job.owner)];
  if (owner === undefined) return undefined;
  return `The data of ${ownerText(owner)} is being deleted (deletion ${job!.id}): wait until that has ended, or cancel it.`;
}
