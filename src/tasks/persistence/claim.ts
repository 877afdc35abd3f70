import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import type { AgentShares, ClaimedDelegation, ClaimedTask } from '../task-store.js';
import type { Delegation, DelegationState } from '../task.js';
import { DELEGATION_COLUMNS, NEEDS_RUNNER, toDelegation, type DelegationRow } from './task-rows.js';

export interface Claim {
  readonly owner: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly limit: number;
  readonly shares?: AgentShares | undefined;
}

export interface Claimed {
  readonly delegations: ClaimedDelegation[];
  readonly tasks: ClaimedTask[];
}

/** Of so many that wait the ones to claim are chosen at a time. */
const WINDOW = 512;

/** Those that wait the longest, of agents that may have more; and those whose agents are to be told. */
function oldest(fullAgents: number): string {
  const others =
    fullAgents > 0 ? `AND (d.untold = 1 OR d.agent_id NOT IN ${listOf(fullAgents)})` : '';
  return `SELECT d.id, d.agent_id, d.state, d.untold, t.organization
    FROM delegations d JOIN tasks t ON t.id = d.task_id
    WHERE d.claimable_at <= ? ${others} ORDER BY d.claimable_at, d.created_at, d.id LIMIT ?`;
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

interface Waiting extends Candidate {
  readonly agent_id: string;
  readonly organization: string;
  /** 1: it has ended, and no message is to be sent. */
  readonly untold: number;
}

/** See `TaskStore.claim`. Raises the version of every task it touches. */
export function* claimDelegations(tx: Tx, claim: Claim): Work<Claimed> {
  const now = claim.now.getTime();
  const chosen = yield* choose(tx, claim);
  const candidates = tx.dialect === 'postgres' ? yield* lock(tx, chosen, now) : chosen;
  const rows = new Map<string, DelegationRow>();
  for (const piece of pieces(candidates)) {
    const claimed = yield* tx.all<DelegationRow>(
      `UPDATE delegations SET owner = ?, lease_until = ?, claimable_at = ?, epoch = epoch + 1,
         calls = CASE state WHEN 'queued' THEN calls + 1 ELSE calls END,
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

/**
 * What to claim, fairly: the oldest first, but no agent gets more than its share, and organizations
 * that wait get one each in turn.
 */
function* choose(tx: Tx, { now, limit, shares }: Claim): Work<Candidate[]> {
  const share = new AgentShare(shares);
  const chosen = new Map<string, Candidate>();
  for (;;) {
    const { full } = share;
    const size = Math.max(WINDOW, limit);
    const waiting = yield* tx.all<Waiting>(oldest(full.length), [now.getTime(), ...full, size]);
    for (const each of inTurn(waiting, ({ organization }) => organization)) {
      if (chosen.size >= limit) break;
      if (chosen.has(each.id)) continue;
      if (each.untold === 1 || share.take(each.agent_id)) chosen.set(each.id, each);
    }
    const more = waiting.length === size && share.full.length > full.length;
    if (chosen.size >= limit || !more) return [...chosen.values()];
  }
}

/** What each agent may still get. */
class AgentShare {
  private readonly taken: Map<string, number>;

  constructor(private readonly shares: AgentShares | undefined) {
    this.taken = new Map(shares?.taken);
  }

  get full(): string[] {
    return [...this.taken].filter(([id, count]) => count >= this.maxOf(id)).map(([id]) => id);
  }

  /** One more for this agent, if it may have it. */
  take(agentId: string): boolean {
    const count = this.taken.get(agentId) ?? 0;
    if (count >= this.maxOf(agentId)) return false;
    this.taken.set(agentId, count + 1);
    return true;
  }

  private maxOf(agentId: string): number {
    return this.shares?.maxOf(agentId) ?? Infinity;
  }
}

/** The first of each group, then the second of each, and so on. */
function inTurn<T>(rows: readonly T[], groupOf: (row: T) => string): T[] {
  const seen = new Map<string, number>();
  const turns: T[][] = [];
  for (const row of rows) {
    const group = groupOf(row);
    const turn = seen.get(group) ?? 0;
    seen.set(group, turn + 1);
    (turns[turn] ??= []).push(row);
  }
  return turns.flat();
}

/** Those nobody else has or is about to have, still in the order they were chosen. */
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
         claimable_at = CASE WHEN ${NEEDS_RUNNER} THEN ? ELSE claimable_at END
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
       claimable_at = CASE WHEN ${NEEDS_RUNNER} THEN 0 ELSE claimable_at END
     WHERE id IN (SELECT id FROM delegations WHERE ${condition}${lock})`,
    [owner],
  );
}
