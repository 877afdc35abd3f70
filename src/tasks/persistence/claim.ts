import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import type { ClaimedDelegation, ClaimedTask } from '../task-store.js';
import type { Delegation, DelegationState } from '../task.js';
import {
  DELEGATION_COLUMNS,
  RUNNING_STATES,
  toDelegation,
  type DelegationRow,
} from './task-rows.js';

export interface Claim {
  readonly owner: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly limit: number;
}

export interface Claimed {
  readonly delegations: ClaimedDelegation[];
  readonly tasks: ClaimedTask[];
}

const OLDEST = 'd.claimable_at <= ? ORDER BY d.claimable_at, d.created_at, d.id LIMIT ?';

/**
 * On PostgreSQL task and delegation are locked together, and neither is waited for, so a claim never
 * deadlocks with an append.
 */
const CANDIDATES = {
  sqlite: `SELECT d.id, d.task_id, d.state FROM delegations d WHERE ${OLDEST}`,
  postgres: `SELECT d.id, d.task_id, d.state FROM delegations d JOIN tasks t ON t.id = d.task_id
    WHERE ${OLDEST} FOR UPDATE SKIP LOCKED`,
};

/** See `TaskStore.claim`. Raises the version of every task it touches. */
export function* claimDelegations(tx: Tx, claim: Claim): Work<Claimed> {
  const now = claim.now.getTime();
  const candidates = yield* tx.all<{ id: string; task_id: string; state: DelegationState }>(
    CANDIDATES[tx.dialect],
    [now, claim.limit],
  );
  const rows = new Map<string, DelegationRow>();
  for (const piece of pieces(candidates)) {
    const claimed = yield* tx.all<DelegationRow>(
      `UPDATE delegations SET owner = ?, lease_until = ?, claimable_at = ?, epoch = epoch + 1,
         state = CASE state WHEN 'queued' THEN 'sending' ELSE state END, updated_at = ?
       WHERE id IN ${listOf(piece.length)} RETURNING ${DELEGATION_COLUMNS}`,
      [claim.owner, now + claim.leaseMs, now + claim.leaseMs, now, ...piece.map(({ id }) => id)],
    );
    for (const row of claimed) rows.set(row.id, row);
  }
  const fresh = candidates.map(({ id }) => toDelegation(rows.get(id) as DelegationRow));
  return {
    delegations: fresh.map((delegation, index) => ({
      ...delegation,
      adopted: candidates[index]?.state !== 'queued',
    })),
    tasks: yield* raiseVersions(tx, fresh),
  };
}

function* raiseVersions(tx: Tx, claimed: readonly Delegation[]): Work<ClaimedTask[]> {
  const byTask = new Map<string, Delegation[]>();
  for (const delegation of claimed) {
    const others = byTask.get(delegation.taskId);
    if (others === undefined) byTask.set(delegation.taskId, [delegation]);
    else others.push(delegation);
  }
  const tasks: ClaimedTask[] = [];
  for (const piece of pieces([...byTask.keys()])) {
    const raised = yield* tx.all<{ id: string; version: number }>(
      `UPDATE tasks SET version = version + 1 WHERE id IN ${listOf(piece.length)}
       RETURNING id, version`,
      piece,
    );
    for (const { id, version } of raised) {
      tasks.push({ taskId: id, version, delegations: byTask.get(id) ?? [] });
    }
  }
  return tasks;
}

/** Extends leases; the ids that `owner` still has. */
export function* renewLeases(
  tx: Tx,
  owner: string,
  ids: readonly string[],
  until: Date,
): Work<string[]> {
  const renewed: string[] = [];
  const at = until.getTime();
  for (const piece of pieces([...ids].sort())) {
    if (tx.dialect === 'postgres') {
      yield* tx.all(
        `SELECT id FROM delegations WHERE id IN ${listOf(piece.length)} ORDER BY id FOR UPDATE`,
        piece,
      );
    }
    const rows = yield* tx.all<{ id: string }>(
      `UPDATE delegations SET lease_until = ?,
         claimable_at = CASE WHEN state IN ${RUNNING_STATES} THEN ? ELSE claimable_at END
       WHERE id IN ${listOf(piece.length)} AND owner = ? RETURNING id`,
      [at, at, ...piece, owner],
    );
    for (const { id } of rows) renewed.push(id);
  }
  return renewed;
}

/** Ends the leases of one owner, or of everybody else; how many there were. */
export function* endLeases(tx: Tx, whose: 'of' | 'not of', owner: string): Work<number> {
  const condition = whose === 'of' ? 'owner = ?' : 'owner IS NOT NULL AND owner <> ?';
  const lock = tx.dialect === 'postgres' ? ' ORDER BY id FOR UPDATE' : '';
  return yield* tx.run(
    `UPDATE delegations SET owner = NULL, lease_until = NULL,
       claimable_at = CASE WHEN state IN ${RUNNING_STATES} THEN 0 ELSE claimable_at END
     WHERE id IN (SELECT id FROM delegations WHERE ${condition}${lock})`,
    [owner],
  );
}
