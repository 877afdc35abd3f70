import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import type { ClaimedDelegation, ClaimedTask, ClaimQuota } from '../store/claimed-task.js';
import type { Delegation, DelegationState } from '../task.js';
import { candidates } from './claim-candidates.js';
import { chooseInTurn, ClaimCapacity } from './claim-turns.js';
import type { DatabaseRow } from '../../database/table.js';
import { DELEGATION, NEEDS_RUNNER } from './task-rows.js';

export interface Claim {
  readonly owner: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly limit: number;
  readonly quota?: ClaimQuota | undefined;
}

export interface Claimed {
  readonly delegations: ClaimedDelegation[];
  readonly tasks: ClaimedTask[];
}

/**
 * On PostgreSQL task and delegation are locked together, and neither is waited for, so a claim never
 * deadlocks with an append.
 */
function locking(rows: number): string {
  return `SELECT d.id, d.state FROM delegations d JOIN tasks t ON t.id = d.task_id
    WHERE d.id IN ${listOf(rows)} AND d.claimable_at <= ? FOR UPDATE SKIP LOCKED`;
}

interface Candidate {
  readonly id: string;
  readonly state: DelegationState;
}

/**
 * See `TaskStore.claim`. Raises the version of every task it touches. A message that is on its way keeps the time at which it was
 * sent, whoever claims it after that.
 */
export function* claimDelegations(tx: Tx, claim: Claim): Work<Claimed> {
  const now = claim.now.getTime();
  const chosen = yield* choose(tx, claim);
  const free = tx.dialect === 'postgres' ? yield* lock(tx, chosen, now) : chosen;
  const byId = new Map<string, Delegation>();
  for (const piece of pieces(free)) {
    const claimed = yield* tx.all<DatabaseRow>(
      `UPDATE delegations SET owner = ?, lease_until = ?, claimable_at = ?, epoch = epoch + 1,
         calls = CASE state WHEN 'queued' THEN calls + 1 ELSE calls END,
         state = CASE state WHEN 'queued' THEN 'sending' ELSE state END,
         updated_at = CASE state WHEN 'sending' THEN updated_at ELSE ? END
       WHERE id IN ${listOf(piece.length)} RETURNING ${DELEGATION.names}`,
      [claim.owner, now + claim.leaseMs, now + claim.leaseMs, now, ...piece.map(({ id }) => id)],
    );
    for (const each of claimed.map(DELEGATION.read)) byId.set(each.id, each);
  }
  const adopted = new Set(free.flatMap(({ id, state }) => (state === 'queued' ? [] : [id])));
  const delegations = free.map(({ id }) => byId.get(id) as Delegation);
  return {
    delegations: delegations.map((each) => ({ adopted: adopted.has(each.id), ...each })),
    tasks: yield* raiseVersions(tx, delegations, adopted),
  };
}

function* choose(tx: Tx, { now, limit, quota }: Claim): Work<Candidate[]> {
  const capacity = new ClaimCapacity(limit, quota);
  const chosen = new Map<string, Candidate>();
  for (;;) {
    const { waiting, mayBeMore } = yield* candidates(tx, capacity, now.getTime());
    const before = chosen.size;
    const more = waiting.filter(({ id }) => !chosen.has(id));
    for (const each of chooseInTurn(more, capacity)) chosen.set(each.id, each);
    if (capacity.isUsedUp || !mayBeMore || chosen.size === before) return [...chosen.values()];
  }
}

/** Those that no other process has locked or claimed, still in the order they were chosen. */
function* lock(tx: Tx, chosen: readonly Candidate[], now: number): Work<Candidate[]> {
  const locked: Candidate[] = [];
  for (const piece of pieces(chosen)) {
    const ids = piece.map(({ id }) => id);
    const rows = yield* tx.all<Candidate>(locking(piece.length), [...ids, now]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    locked.push(...ids.flatMap((id) => byId.get(id) ?? []));
  }
  return locked;
}

function* raiseVersions(
  tx: Tx,
  claimed: readonly Delegation[],
  adopted: ReadonlySet<string>,
): Work<ClaimedTask[]> {
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
      tasks.push({ taskId: id, version, delegations: byTask.get(id) ?? [], adopted });
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
         claimable_at = CASE WHEN ${NEEDS_RUNNER} THEN ? ELSE claimable_at END
       WHERE id IN ${listOf(piece.length)} AND owner = ? RETURNING id`,
      [at, at, ...piece, owner],
    );
    for (const { id } of rows) renewed.push(id);
  }
  return renewed;
}

/** Ends the leases of one owner, or of all others; how many there were. */
export function* endLeases(tx: Tx, whose: 'of' | 'not of', owner: string): Work<number> {
  const condition = whose === 'of' ? 'owner = ?' : 'owner IS NOT NULL AND owner <> ?';
  const lock = tx.dialect === 'postgres' ? ' ORDER BY id FOR UPDATE' : '';
  return yield* tx.run(
    `UPDATE delegations SET owner = NULL, lease_until = NULL,
       claimable_at = CASE WHEN ${NEEDS_RUNNER} THEN 0 ELSE claimable_at END
     WHERE id IN (SELECT id FROM delegations WHERE ${condition}${lock})`,
    [owner],
  );
}
