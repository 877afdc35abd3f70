import { listOf, pieces } from '../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import type { ClaimCapacity, Waiting } from './claim-turns.js';

/** How many of those whose lease has expired are read at once. */
const LATE_AT_ONCE = 512;

const COLUMNS = (of: string): string =>
  ['id', 'agent_id', 'organization', 'state', 'cancel_pending', 'claimable_at', 'turn_at']
    .map((name) => `${of}.${name}`)
    .join(', ');

/** The first of the queue that the row `of` is in, as the index has them. */
const IN_QUEUE = (of: string): string =>
  `SELECT q.id FROM delegations q WHERE q.claimable_at = 0 AND q.cancel_pending = ${of}.cancel_pending
     AND q.agent_id = ${of}.agent_id AND q.organization = ${of}.organization
   ORDER BY q.turn_at, q.id LIMIT 1`;

/** The head of a queue. */
interface Head extends Waiting {
  /** The one behind it; null when there is none, or when it is in no queue. */
  readonly second: string | null;
}

export interface Candidates {
  readonly waiting: readonly Waiting[];
  /** More may be found once those found have been taken. */
  readonly mayBeMore: boolean;
}

/**
 * Enough of what may be claimed at `now` to choose from: of each queue (of one organization for one agent)
 * with capacity as many of the first as may be claimed, and what has lost its runner. Costs nothing for what is
 * queued for agents without capacity, however much that is.
 */
export function* candidates(tx: Tx, capacity: ClaimCapacity, now: number): Work<Candidates> {
  const size = Math.max(LATE_AT_ONCE, capacity.free(0));
  const heads = yield* tx.all<Head>(headsAndLate(capacity), [
    ...capacityParams(capacity),
    now,
    ...capacityParams(capacity),
    size,
  ]);
  const late = heads.filter(({ claimable_at }) => claimable_at > 0).length;
  return {
    waiting: [...heads, ...(yield* behind(tx, heads, capacity))],
    mayBeMore: late === size,
  };
}

/** Leaps from queue to queue by the index: there are few, and each may be long. */
function headsAndLate(capacity: ClaimCapacity): string {
  return `WITH RECURSIVE agents (cancel_pending, agent_id) AS (
      SELECT kind.cancel_pending, (SELECT MIN(d.agent_id) FROM delegations d
          WHERE d.claimable_at = 0 AND d.cancel_pending = kind.cancel_pending)
        FROM (SELECT 0 AS cancel_pending UNION ALL SELECT 1) kind
      UNION ALL
      SELECT a.cancel_pending, (SELECT MIN(d.agent_id) FROM delegations d
          WHERE d.claimable_at = 0 AND d.cancel_pending = a.cancel_pending AND d.agent_id > a.agent_id)
        FROM agents a WHERE a.agent_id IS NOT NULL
    ), queues (cancel_pending, agent_id, organization) AS (
      SELECT a.cancel_pending, a.agent_id, (SELECT MIN(d.organization) FROM delegations d
          WHERE d.claimable_at = 0 AND d.cancel_pending = a.cancel_pending AND d.agent_id = a.agent_id)
        FROM agents a WHERE a.agent_id IS NOT NULL AND ${hasCapacity('a', capacity)}
      UNION ALL
      SELECT l.cancel_pending, l.agent_id, (SELECT MIN(d.organization) FROM delegations d
          WHERE d.claimable_at = 0 AND d.cancel_pending = l.cancel_pending AND d.agent_id = l.agent_id
            AND d.organization > l.organization)
        FROM queues l WHERE l.organization IS NOT NULL
    )
    SELECT ${COLUMNS('d')}, (${IN_QUEUE('d')} OFFSET 1) AS second
      FROM queues l JOIN delegations d ON d.id = (${IN_QUEUE('l')})
      WHERE l.organization IS NOT NULL
    UNION ALL
    SELECT ${COLUMNS('late')}, NULL FROM (
      SELECT * FROM delegations d WHERE d.claimable_at > 0 AND d.claimable_at <= ?
        AND ${hasCapacity('d', capacity)} ORDER BY d.claimable_at LIMIT ?) late`;
}

function hasCapacity(row: string, capacity: ClaimCapacity): string {
  const kinds = [0, 1].flatMap((cancel_pending) => {
    if (capacity.free(cancel_pending) <= 0) return [];
    const full = capacity.full(cancel_pending).length;
    return `(${row}.cancel_pending = ${cancel_pending}${full > 0 ? ` AND ${row}.agent_id NOT IN ${listOf(full)}` : ''})`;
  });
  return `(${kinds.join(' OR ')})`;
}

/** What {@link hasCapacity} leaves open. */
function capacityParams(capacity: ClaimCapacity): SqlValue[] {
  return [0, 1].flatMap((cancel_pending) =>
    capacity.free(cancel_pending) > 0 ? capacity.full(cancel_pending) : [],
  );
}

const BEHIND = `SELECT * FROM (SELECT ${COLUMNS('d')} FROM delegations d
  WHERE d.claimable_at = 0 AND d.cancel_pending = ? AND d.agent_id = ? AND d.organization = ?
  ORDER BY d.turn_at, d.id LIMIT ? OFFSET 1) queue`;

/** As many behind the heads of their queues as may still be taken. */
function* behind(tx: Tx, heads: readonly Head[], capacity: ClaimCapacity): Work<Waiting[]> {
  const longer = heads.filter((head) => head.second !== null && capacity.for(head) > 1);
  const found: Waiting[] = [];
  for (const piece of pieces(longer)) {
    const rows = yield* tx.all<Waiting>(
      piece.map(() => BEHIND).join(' UNION ALL '),
      piece.flatMap((head) => [
        head.cancel_pending,
        head.agent_id,
        head.organization,
        capacity.for(head) - 1,
      ]),
    );
    found.push(...rows);
  }
  return found;
}
