import { Injectable } from '@nestjs/common';
import { longTurn } from '../../common/long-work.js';
import { PieceSize } from '../../common/piece-size.js';
import type { Writable } from '../../common/writable.js';
import { type Condition, condition } from '../../database/conditions.js';
import { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { type ActivityCount, type ActivityKind, MINUTE_MS } from '../activity/activity.js';
import {
  type ActivityPoint,
  type ActivityQuery,
  type ActivitySpan,
  ActivityStore,
  type ActivitySum,
} from '../activity/activity-store.js';
import { ActivityEntity } from './activity.entity.js';

/** Rows of one transaction, which holds up others for a few milliseconds. */
const AT_ONCE = 256;
/** Agents of one statement. */
const AGENTS_AT_ONCE = 200;
/** Minutes or quarters of agents that SQLite reads between two turns of the event loop: each has up to twenty rows. */
const ROWS_READ = [32, 256, 64] as const;
/** The same where it adds the rows up, which is quicker. */
const ROWS_SUMMED = [64, 1024, 256] as const;
const SPANS: readonly ActivitySpan[] = [1, 15];

const TABLE = new Table(ActivityEntity);
const ADD = TABLE.insert(
  `ON CONFLICT (span, kind, organization, agent_id, at, name) DO UPDATE SET
     count = activity.count + excluded.count, total_ms = activity.total_ms + excluded.total_ms`,
);
const READ = TABLE.select();

interface PointRow {
  readonly kind: ActivityKind;
  readonly name: string;
  readonly at: number | string;
  readonly count: number | string;
  readonly total_ms: number | string;
}

interface SumRow {
  readonly kind: ActivityKind;
  readonly agent_id: string;
  readonly name: string;
  readonly sum: number | string;
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

  async read(query: ActivityQuery): Promise<ActivityCount[]> {
    const counts: ActivityCount[] = [];
    // The plus keeps SQLite from the index by time, which has what all others did, too.
    const piece = ({ sql, params }: Condition) =>
      READ.list(this.database, `WHERE ${sql} ORDER BY +at`, params);
    await this.inPieces(query, ROWS_READ, piece, (each) => counts.push(each));
    return counts;
  }

  async points(query: ActivityQuery): Promise<ActivityPoint[]> {
    const points = new Map<string, Writable<ActivityPoint>>();
    const piece = ({ sql, params }: Condition) =>
      this.database.read<PointRow>(
        `SELECT kind, name, at, SUM(count) AS count, SUM(total_ms) AS total_ms FROM activity
         WHERE ${sql} GROUP BY kind, at, name`,
        params,
      );
    await this.inPieces(query, ROWS_SUMMED, piece, ({ kind, name, ...row }) => {
      const [at, count, totalMs] = [row.at, row.count, row.total_ms].map(Number);
      const key = `${kind}\n${at}\n${name}`;
      const known = points.get(key);
      if (known === undefined)
        points.set(key, { kind, name, at: at!, count: count!, totalMs: totalMs! });
      else {
        known.count += count!;
        known.totalMs += totalMs!;
      }
    });
    return [...points.values()];
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
    const sums = new Map<string, Writable<ActivitySum>>();
    const piece = ({ sql, params }: Condition) =>
      this.database.read<SumRow>(
        `SELECT kind, agent_id, name, SUM(count) AS sum FROM activity WHERE ${sql}
         GROUP BY kind, agent_id, name`,
        params,
      );
    await this.inPieces(query, ROWS_SUMMED, piece, ({ kind, agent_id: agentId, name, sum }) => {
      const key = `${kind}\n${agentId}\n${name}`;
      const known = sums.get(key);
      if (known === undefined) sums.set(key, { kind, agentId, name, count: Number(sum) });
      else known.count += Number(sum);
    });
    return [...sums.values()];
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

  /**
   * Reads some agents at a time, on SQLite so few, or so little of the time of one, that the event loop is held for a few
   * milliseconds.
   */
  private async inPieces<Row>(
    query: ActivityQuery,
    sizes: readonly [least: number, most: number, first: number],
    read: (piece: Condition) => Promise<Row[]>,
    take: (row: Row) => void,
  ): Promise<void> {
    const { agentIds = [''], from, to } = query;
    const spanMs = query.span * MINUTE_MS;
    const spans = Math.ceil((to - from) / spanMs);
    const size = new PieceSize(...sizes);
    const most = (): number => (this.database.dialect === 'sqlite' ? size.rows : Infinity);
    let isFirst = true;
    for (let first = 0, agents: number; first < agentIds.length; first += agents) {
      agents = Math.min(AGENTS_AT_ONCE, Math.max(1, Math.floor(most() / spans)));
      const those = agentIds.slice(first, first + agents);
      for (let begin = from; begin < to;) {
        if (!isFirst) await longTurn();
        isFirst = false;
        const end = agents === 1 ? Math.min(to, begin + most() * spanMs) : to;
        const began = performance.now();
        const reading = read(meant({ ...query, agentIds: those, from: begin, to: end }));
        const readMs = performance.now() - began;
        const rows = await reading;
        size.time(() => rows.forEach(take), readMs);
        begin = rows.length > 0 || end === to ? end : await this.nextAt(query.span, end, to);
      }
    }
  }

  /** When the next minute or quarter began in which anything was counted at all; `to` when none did before. */
  private async nextAt(span: ActivitySpan, from: number, to: number): Promise<number> {
    const [row] = await this.database.read<{ at: number | string | null }>(
      'SELECT MIN(at) AS at FROM activity WHERE span = ? AND at >= ? AND at < ?',
      [span, from, to],
    );
    return row?.at == null ? to : Number(row.at);
  }
}

function meant(query: ActivityQuery): Condition {
  const { span, kinds, organization = '', agentIds = [''], from, to } = query;
  return condition(
    `span = ? AND kind IN ${listOf(kinds.length)} AND organization = ?
      AND agent_id IN ${listOf(agentIds.length)} AND at >= ? AND at < ?`,
    ...[span, ...kinds, storable(organization), ...agentIds, from, to],
  );
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
