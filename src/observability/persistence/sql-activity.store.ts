import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { type ActivityCount, type ActivityKind, MINUTE_MS } from '../activity/activity.js';
import {
  type ActivityQuery,
  type ActivitySpan,
  ActivityStore,
  type ActivitySum,
} from '../activity/activity-store.js';
import { ActivityEntity } from './activity.entity.js';

/** Rows of one transaction, which holds up others for a few milliseconds. */
const AT_ONCE = 256;
const SPANS: readonly ActivitySpan[] = [1, 15];

const TABLE = new Table(ActivityEntity);
const ADD = TABLE.insert(
  `ON CONFLICT (span, kind, organization, agent_id, at, name) DO UPDATE SET
     count = activity.count + excluded.count, total_ms = activity.total_ms + excluded.total_ms`,
);
const READ = TABLE.select();

interface SumRow {
  readonly kind: ActivityKind;
  readonly agent_id: string;
  readonly name: string;
  readonly sum: number;
}

/** {@link ActivityStore} in the hub's database. What a power failure takes back is not counted again. */
@Injectable()
export class SqlActivityStore extends ActivityStore {
  constructor(private readonly database: Database) {
    super();
  }

  async add(
    counts: readonly ActivityCount[],
  ): Promise<{ readonly left: readonly ActivityCount[]; readonly error?: unknown }> {
    // In one order for all processes.
    const sorted = [...counts].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    for (let start = 0; start < sorted.length; start += AT_ONCE) {
      const piece = sorted.slice(start, start + AT_ONCE);
      const rows = SPANS.flatMap((span) => rowsOf(piece, span));
      try {
        await this.database.write((tx) => ADD.apply(tx, rows), 'may-be-lost');
      } catch (error) {
        return { left: sorted.slice(start), error };
      }
    }
    return { left: [] };
  }

  read(query: ActivityQuery): Promise<ActivityCount[]> {
    if (query.agentIds?.length === 0) return Promise.resolve([]);
    const { sql, params } = meant(query);
    return READ.list(this.database, `WHERE ${sql} ORDER BY at`, params);
  }

  async latest(kind: ActivityKind, agentId: string, before: number): Promise<ActivityCount[]> {
    const those = `kind = ? AND organization = '' AND agent_id = ?`;
    const bySpan = await Promise.all(
      SPANS.map((span) => {
        const params = [span, kind, storable(agentId)];
        // A quarter that has begun may be of what comes afterwards.
        const ended = before - (before % (span * MINUTE_MS));
        return READ.list(
          this.database,
          `WHERE span = ? AND ${those} AND at =
             (SELECT MAX(at) FROM activity WHERE span = ? AND ${those} AND at < ?)`,
          [...params, ...params, ended],
        );
      }),
    );
    const [minutes = [], quarters = []] = bySpan;
    return (minutes[0]?.at ?? -1) >= (quarters[0]?.at ?? -1) ? minutes : quarters;
  }

  async sums(query: ActivityQuery): Promise<ActivitySum[]> {
    if (query.agentIds?.length === 0) return [];
    const { sql, params } = meant(query);
    const rows = await this.database.read<SumRow>(
      `SELECT kind, agent_id, name, SUM(count) AS sum FROM activity WHERE ${sql}
       GROUP BY kind, agent_id, name`,
      params,
    );
    return rows.map(({ kind, agent_id: agentId, name, sum }) => ({
      kind,
      agentId,
      name,
      count: Number(sum),
    }));
  }

  prune(span: ActivitySpan, before: Date, limit: number): Promise<number> {
    const key = 'span, kind, organization, agent_id, at, name';
    return this.database.write(
      (tx) =>
        tx.run(
          `DELETE FROM activity WHERE (${key}) IN
             (SELECT ${key} FROM activity WHERE span = ? AND at < ? LIMIT ?)`,
          [span, before.getTime(), limit],
        ),
      'may-be-lost',
    );
  }
}

function meant({ span, kinds, organization = '', agentIds = [''], from, to }: ActivityQuery) {
  return {
    sql: `span = ? AND kind IN ${listOf(kinds.length)} AND organization = ?
      AND agent_id IN ${listOf(agentIds.length)} AND at >= ? AND at < ?`,
    params: [span, ...kinds, storable(organization), ...agentIds, from, to],
  };
}

/** Those of one span, each key once: a statement cannot add to a row twice. */
function rowsOf(counts: readonly ActivityCount[], span: ActivitySpan) {
  const spanMs = span * MINUTE_MS;
  const rows = new Map<string, ActivityCount & { readonly span: ActivitySpan }>();
  for (const each of counts) {
    const at = each.at - (each.at % spanMs);
    const key = orderOf({ ...each, at });
    const { count, totalMs } = rows.get(key) ?? { count: 0, totalMs: 0 };
    const sums = { count: count + each.count, totalMs: totalMs + Math.round(each.totalMs) };
    rows.set(key, { ...each, ...sums, at, span });
  }
  return [...rows.values()];
}

function orderOf({ kind, organization, agentId, name, at }: ActivityCount): string {
  return `${kind}\n${organization}\n${agentId}\n${at}\n${name}`;
}
