import { listOf, pieces, typedRows } from '../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import {
  type BusyLanes,
  type LaneCandidate,
  type LaneCaps,
  type LaneTurns,
  chooseLanes,
  inTurn,
} from '../domain/lane-choice.js';
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

interface DueRow extends LaneCandidate {
  readonly due_at: number;
}

/** See `LaneStore.claim`. */
export function* claimLanes(
  tx: Tx,
  { owner, now, leaseMs, caps }: Claim,
  turns: LaneTurns,
): Work<Lane[]> {
  const at = now.getTime();
  const busy = yield* busyLanes(tx, at);
  const open = eligible(at, busy, caps);
  const waiting = yield* waitingOrganizations(tx, open);
  const served = inTurn(waiting, busy.organizations, turns).slice(0, caps.free);
  const each = Math.ceil((caps.free * LOOK_AHEAD) / Math.max(served.length, 1));
  const due = yield* dueLanes(tx, served, open, each);
  const chosen = chooseLanes(due, busy, caps, turns);
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

function* busyLanes(tx: Tx, at: number): Work<BusyLanes> {
  const rows = yield* tx.all<{ organization: string; endpoint: string; total: number }>(
    `SELECT organization, endpoint, COUNT(*) AS total FROM push_lanes WHERE lease_until > ?
     GROUP BY organization, endpoint`,
    [at],
  );
  const endpoints = new Map<string, number>();
  const organizations = new Map<string, number>();
  for (const { organization, endpoint, total } of rows) {
    endpoints.set(endpoint, (endpoints.get(endpoint) ?? 0) + Number(total));
    organizations.set(organization, (organizations.get(organization) ?? 0) + Number(total));
  }
  return { endpoints, organizations };
}

/** The lanes that may be taken now. */
interface Eligible {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

function eligible(at: number, busy: BusyLanes, caps: LaneCaps): Eligible {
  const full = [...busy.endpoints]
    .filter(([, count]) => count >= caps.perEndpoint)
    .map(([endpoint]) => endpoint);
  const others = full.length > 0 ? ` AND endpoint NOT IN ${listOf(full.length)}` : '';
  return {
    sql: `due_at <= ? AND COALESCE(lease_until, 0) <= ?${others}`,
    params: [at, at, ...full],
  };
}

/**
 * The organizations that have something to take. Each step goes to the next organization in the index
 * push_lanes_turn, so a long backlog costs no more than a single lane.
 */
function* waitingOrganizations(tx: Tx, { sql, params }: Eligible): Work<string[]> {
  const rows = yield* tx.all<{ organization: string }>(
    `WITH RECURSIVE waiting (organization) AS (
       SELECT (SELECT organization FROM push_lanes WHERE due_at IS NOT NULL
         ORDER BY organization LIMIT 1)
       UNION ALL
       SELECT (SELECT l.organization FROM push_lanes l
         WHERE l.due_at IS NOT NULL AND l.organization > waiting.organization
         ORDER BY l.organization LIMIT 1)
       FROM waiting WHERE waiting.organization IS NOT NULL)
     SELECT organization FROM waiting WHERE organization IS NOT NULL AND EXISTS
       (SELECT 1 FROM push_lanes l WHERE l.organization = waiting.organization AND ${sql})`,
    params,
  );
  return rows.map((row) => row.organization);
}

/** The longest due lanes of each of these organizations, longest due first. */
function* dueLanes(
  tx: Tx,
  organizations: readonly string[],
  { sql, params }: Eligible,
  limit: number,
): Work<LaneCandidate[]> {
  const lanes = `SELECT id, organization, endpoint, due_at FROM push_lanes`;
  const found: DueRow[] = [];
  if (tx.dialect === 'postgres') {
    for (const piece of pieces(organizations)) {
      const rows = yield* tx.all<DueRow>(
        `SELECT due.* FROM (VALUES ${typedRows(piece.length, ['text'])}) AS o (name),
           LATERAL (${lanes} WHERE organization = o.name AND ${sql}
             ORDER BY due_at LIMIT ?${forUpdate(tx, true)}) AS due`,
        [...piece, ...params, limit],
      );
      found.push(...rows);
    }
  } else {
    for (const organization of organizations) {
      const rows = yield* tx.all<DueRow>(
        `${lanes} WHERE organization = ? AND ${sql} ORDER BY due_at LIMIT ?`,
        [organization, ...params, limit],
      );
      found.push(...rows);
    }
  }
  return found.sort((a, b) => Number(a.due_at) - Number(b.due_at));
}
