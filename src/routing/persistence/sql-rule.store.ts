import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { flatten, pieces, rowsOf } from '../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import type { Rule, RuleAction, RuleConditions } from '../rules/domain/rule.js';
import { RuleStore } from '../rules/rule-store.js';

interface Row {
  readonly id: string;
  readonly position: number;
  readonly name: string;
  readonly enabled: number;
  readonly conditions: string;
  readonly target: string;
  readonly created_at: number | string;
  readonly updated_at: number | string;
}

const COLUMNS = [
  'id',
  'position',
  'name',
  'enabled',
  'conditions',
  'target',
  'created_at',
  'updated_at',
] as const;
const REPLACED = COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`);
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM routing_rules ORDER BY position, id`;
const REVISION = 'SELECT revision FROM routing_rule_revisions WHERE id = 1';

/** {@link RuleStore} on the hub's database. */
@Injectable()
export class SqlRuleStore extends RuleStore {
  constructor(private readonly database: Database) {
    super();
  }

  async all(): Promise<Rule[]> {
    return (await this.database.read<Row>(SELECT)).map(toRule);
  }

  change(change: (rules: readonly Rule[]) => readonly Rule[]): Promise<readonly Rule[]> {
    return this.database.write(function* (tx): Work<readonly Rule[]> {
      // SQLite runs one work at a time; on PostgreSQL this row lets one change in after another.
      yield* tx.all(`${REVISION}${tx.dialect === 'postgres' ? ' FOR UPDATE' : ''}`);
      const present = yield* tx.all<Row>(SELECT);
      const next = change(present.map(toRule));
      const rows = next.map(toRow);
      const written = yield* write(tx, new Map(present.map((row) => [row.id, row])), rows);
      if (written > 0) {
        yield* tx.run('UPDATE routing_rule_revisions SET revision = revision + 1 WHERE id = 1');
      }
      return next;
    });
  }

  async revision(): Promise<number> {
    const [row] = await this.database.read<{ revision: number | string }>(REVISION);
    return Number(row?.revision ?? 0);
  }
}

/** Brings the table to these rows and touches no row that is as it should be; how many it touched. */
function* write(tx: Tx, present: ReadonlyMap<string, Row>, rows: readonly Row[]): Work<number> {
  const wanted = new Set(rows.map(({ id }) => id));
  const gone = [...present.keys()].filter((id) => !wanted.has(id));
  for (const piece of pieces(gone)) {
    yield* tx.run(`DELETE FROM routing_rules WHERE id IN ${rowsOf(1, piece.length)}`, piece);
  }
  const changed = rows.filter((row) => !isSame(present.get(row.id), row));
  for (const piece of pieces(changed)) {
    yield* tx.run(
      `INSERT INTO routing_rules (${COLUMNS.join(', ')}) VALUES ${rowsOf(piece.length, COLUMNS.length)}
       ON CONFLICT (id) DO UPDATE SET ${REPLACED.join(', ')}`,
      flatten(piece, addValues),
    );
  }
  return gone.length + changed.length;
}

/** PostgreSQL gives a `bigint` as text. */
function isSame(present: Row | undefined, row: Row): boolean {
  if (present === undefined) return false;
  const [created, updated] = [Number(present.created_at), Number(present.updated_at)];
  return isDeepStrictEqual({ ...present, created_at: created, updated_at: updated }, row);
}

function addValues(params: SqlValue[], row: Row): void {
  params.push(...COLUMNS.map((column) => row[column]));
}

function toRow(rule: Rule, index: number): Row {
  return {
    id: rule.id,
    position: index,
    name: storable(rule.name),
    enabled: rule.enabled ? 1 : 0,
    conditions: JSON.stringify(rule.conditions),
    target: JSON.stringify(rule.target),
    created_at: rule.createdAt?.getTime() ?? 0,
    updated_at: rule.updatedAt?.getTime() ?? 0,
  };
}

function toRule(row: Row): Rule {
  return {
    id: row.id,
    name: row.name,
    enabled: Number(row.enabled) === 1,
    conditions: JSON.parse(row.conditions) as RuleConditions,
    target: JSON.parse(row.target) as RuleAction,
    source: 'api',
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
  };
}
