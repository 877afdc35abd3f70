import type { Tx, Work } from '../../../database/sql.js';

/** Receivers of one organization: it stands before the origin, which holds no space. */
export const RECEIVERS_OF = `substr(endpoint, 1, length(CAST(? AS text)) + 1) = CAST(? AS text) || ' '
  AND substr(endpoint, length(CAST(? AS text)) + 2) NOT LIKE '% %'`;

/** Deletes which receivers have agreed to get what is of the organization. */
export function* forgetReceivers(tx: Tx, organization: string): Work<void> {
  const params = [organization, organization, organization];
  yield* tx.run(`DELETE FROM push_receivers WHERE ${RECEIVERS_OF}`, params);
}

/** Deletes the events of the webhooks of a principal, which is there still. */
export function* forgetEvents(tx: Tx, principalId: string): Work<void> {
  // By the index of organizations.
  const sql = `DELETE FROM push_events WHERE principal_id = ?
    AND organization = (SELECT organization FROM principals WHERE id = ?)`;
  yield* tx.run(sql, [principalId, principalId]);
}
