import { Inject, Injectable } from '@nestjs/common';
import { IdSource } from '../../common/ids.js';
import { Database } from '../../database/database.js';
import { pieces, rowsOf } from '../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { UsageStore, type OwnedUsage } from '../store/usage-store.js';
import { dayOf, type OwnedUsageChange, usageKey, type UsageOwner } from '../store/usage.js';
import { ENDED_COLUMNS } from './usage-counters.js';

/** Rows of one principal at most. */
const SHARDS = 16;

/** The clocks of processes differ by less. */
const SKEW_MS = 60 * 60 * 1000;
/** A later day has begun; or an earlier one, as the clock was set back. */
const BEGINS_DAY = `excluded.day > task_usage.day
  OR (excluded.day < task_usage.day AND excluded.updated_at < task_usage.updated_at - ${SKEW_MS})`;
const SUMMED = ['open_tasks', 'stored_bytes', ...ENDED_COLUMNS.values()];
const ADD = `INSERT INTO task_usage
    (organization, principal_id, shard, day, begun, updated_at, ${SUMMED.join(', ')})
  VALUES ${rowsOf(1, 6 + SUMMED.length)}
  ON CONFLICT (organization, principal_id, shard) DO UPDATE SET
    ${SUMMED.map((name) => `${name} = task_usage.${name} + excluded.${name}`).join(', ')},
    begun = CASE WHEN ${BEGINS_DAY} THEN excluded.begun
      WHEN excluded.day = task_usage.day THEN task_usage.begun + excluded.begun
      ELSE task_usage.begun END,
    day = CASE WHEN ${BEGINS_DAY} THEN excluded.day ELSE task_usage.day END,
    updated_at = excluded.updated_at`;

/**
 * Usage in the hub's database: one row for each principal and shard. A process writes to one shard, so
 * that processes of one PostgreSQL do not wait for each other's commits.
 */
@Injectable()
export class SqlUsageStore extends UsageStore {
  private readonly shard: number;

  constructor(
    private readonly database: Database,
    @Inject(IdSource) ids: Pick<IdSource, 'jitter'>,
  ) {
    super();
    this.shard = database.soleProcess ? 0 : Math.floor(ids.jitter() * SHARDS);
  }

  *add(tx: Tx, changes: readonly OwnedUsageChange[], now: Date): Work<void> {
    for (const { owner, openTasks, begun, storedBytes, ended } of changes) {
      yield* tx.run(ADD, [
        ...[owner.organization, owner.principalId, this.shard],
        ...[dayOf(now), begun, now.getTime(), openTasks, storedBytes],
        ...[...ENDED_COLUMNS.keys()].map((state) => ended?.get(state) ?? 0),
      ]);
    }
  }

  async read(now: Date, changedSince: Date | null): Promise<OwnedUsage[]> {
    const changed = `WHERE (organization, principal_id) IN
      (SELECT organization, principal_id FROM task_usage WHERE updated_at >= ?)`;
    const params: SqlValue[] = [dayOf(now)];
    if (changedSince !== null) params.push(changedSince.getTime());
    const rows = await this.database.read<UsageRow>(
      `SELECT organization, principal_id, SUM(open_tasks) AS open_tasks,
         SUM(stored_bytes) AS stored_bytes, SUM(CASE WHEN day = ? THEN begun ELSE 0 END) AS begun
       FROM task_usage ${changedSince === null ? '' : changed}
       GROUP BY organization, principal_id`,
      params,
    );
    return rows.map((row) => ({
      organization: row.organization,
      principalId: row.principal_id,
      openTasks: row.open_tasks,
      tasksToday: row.begun,
      storedBytes: row.stored_bytes,
    }));
  }

  async missing(owners: readonly UsageOwner[]): Promise<UsageOwner[]> {
    const stored = new Set<string>();
    for (const piece of pieces(owners)) {
      const rows = await this.database.read<Pick<UsageRow, 'organization' | 'principal_id'>>(
        `SELECT organization, principal_id FROM task_usage
         WHERE (organization, principal_id) IN (VALUES ${rowsOf(piece.length, 2)})`,
        piece.flatMap(({ organization, principalId }) => [organization, principalId]),
      );
      for (const { organization, principal_id: principalId } of rows) {
        stored.add(usageKey({ organization, principalId }));
      }
    }
    return owners.filter((owner) => !stored.has(usageKey(owner)));
  }
}

interface UsageRow {
  readonly organization: string;
  readonly principal_id: string;
  readonly open_tasks: number;
  readonly stored_bytes: number;
  readonly begun: number;
}
