import { flatten, pieces, rowsOf } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { PreparedAppend } from '../task-store.js';

/**
 * The contexts of new tasks: each is used now, and its next message goes to the same agents. Every
 * context once, in one order for everybody, so that two processes never wait for each other.
 */
export function* touchContexts(tx: Tx, creates: readonly PreparedAppend[]): Work<void> {
  const newest = new Map<string, PreparedAppend>();
  for (const append of creates) newest.set(orderOf(append), append);
  const ordered = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, append]) => append);
  for (const piece of pieces(ordered)) {
    yield* tx.run(
      `INSERT INTO contexts (id, principal_id, organization, affinity, last_used_at)
       VALUES ${rowsOf(piece.length, 5)}
       ON CONFLICT (id, principal_id)
       DO UPDATE SET affinity = excluded.affinity, last_used_at = excluded.last_used_at`,
      flatten(piece, (params, { record, delegations }) => {
        params.push(
          storable(record.contextId),
          record.principalId,
          record.organization,
          JSON.stringify(delegations.map(({ delegation }) => delegation.agentId)),
          record.createdAt.getTime(),
        );
      }),
    );
  }
}

function orderOf({ record }: PreparedAppend): string {
  return `${storable(record.contextId)}\n${record.principalId}`;
}
