import { Revision } from '../../database/revision.js';
import type { Tx, Work } from '../../database/sql.js';

const REVISION = new Revision('agent_revisions');

/** Agents of one organization alone, by {@link listOf} of it; those of the configuration are the operator's. */
export const OF_ORGANIZATION = `organizations = ? AND source <> 'config'`;

/** The JSON of a list of one organization. */
export function listOf(organization: string): string {
  return JSON.stringify([organization]);
}

/** Whether agents are registered that this organization alone may use. */
export function* hasAgents(tx: Tx, organization: string): Work<boolean> {
  const sql = `SELECT id FROM agents WHERE ${OF_ORGANIZATION} AND deleted_at IS NULL LIMIT 1`;
  return (yield* tx.all(sql, [listOf(organization)])).length > 0;
}

/** Agents that were deleted before their organization go on with their work for others, and with no agent of the next one of its name. */
export function* forgetDeletedAgents(tx: Tx, organization: string): Work<void> {
  const sql = `UPDATE agents SET organizations = '[]' WHERE ${OF_ORGANIZATION} AND deleted_at IS NOT NULL`;
  if ((yield* tx.run(sql, [listOf(organization)])) > 0) yield* REVISION.raise(tx);
}
