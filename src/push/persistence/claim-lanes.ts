import { listOf, pieces } from '../../database/multi-row.js';
import type { Tx, Work } from '../../database/sql.js';
import { type LaneCandidate, type LaneCaps, chooseLanes } from '../domain/lane-choice.js';
import type { Lane } from '../lane-store.js';
import { type ConfigRow, type LaneRow, forUpdate, toConfig, toLane } from './push-rows.js';

/** Due lanes looked at for one claim, as a multiple of those it may take. */
const LOOK_AHEAD = 4;

export interface Claim {
  readonly owner: string;
  readonly now: Date;
  readonly leaseMs: number;
  readonly caps: LaneCaps;
}

/** See `LaneStore.claim`. */
export function* claimLanes(tx: Tx, { owner, now, leaseMs, caps }: Claim): Work<Lane[]> {
  const at = now.getTime();
  const busy = yield* busyEndpoints(tx, at);
  const due = yield* dueLanes(tx, at, busy, caps);
  const chosen = chooseLanes(due, busy, caps);
  if (chosen.length === 0) return [];
  const lanes: Lane[] = [];
  for (const piece of pieces(chosen)) {
    const rows = yield* tx.all<LaneRow>(
      `UPDATE push_lanes SET owner = ?, lease_until = ?, epoch = epoch + 1, updated_at = ?
       WHERE id IN ${listOf(piece.length)} RETURNING *`,
      [owner, at + leaseMs, at, ...piece],
    );
    const configs = yield* tx.all<ConfigRow>(
      `SELECT * FROM push_configs WHERE uid IN ${listOf(rows.length)}`,
      rows.map((row) => row.config_uid),
    );
    const byUid = new Map(configs.map((row) => [row.uid, toConfig(row)]));
    for (const row of rows) lanes.push(toLane(row, byUid.get(row.config_uid)!));
  }
  return lanes;
}

function* busyEndpoints(tx: Tx, at: number): Work<Map<string, number>> {
  const rows = yield* tx.all<{ endpoint: string; total: number }>(
    'SELECT endpoint, COUNT(*) AS total FROM push_lanes WHERE lease_until > ? GROUP BY endpoint',
    [at],
  );
  return new Map(rows.map((row) => [row.endpoint, Number(row.total)]));
}

function* dueLanes(
  tx: Tx,
  at: number,
  busy: ReadonlyMap<string, number>,
  caps: LaneCaps,
): Work<LaneCandidate[]> {
  const full = [...busy].filter(([, count]) => count >= caps.perEndpoint).map(([each]) => each);
  const others = full.length > 0 ? `AND endpoint NOT IN ${listOf(full.length)}` : '';
  return yield* tx.all<LaneCandidate>(
    `SELECT id, organization, endpoint FROM push_lanes
     WHERE due_at <= ? AND COALESCE(lease_until, 0) <= ? ${others}
     ORDER BY due_at LIMIT ?${forUpdate(tx, true)}`,
    [at, at, ...full, caps.free * LOOK_AHEAD],
  );
}
