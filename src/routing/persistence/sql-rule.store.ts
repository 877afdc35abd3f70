import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { Revision } from '../../database/revision.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import type { Rule } from '../rules/domain/rule.js';
import { RuleStore } from '../rules/rule-store.js';
import { RuleEntity } from './rule.entity.js';

const RULES = new Table(RuleEntity);
const RULE = RULES.select();
const SELECT = `SELECT ${RULE.names} FROM routing_rules ORDER BY position, id`;
const UPSERT = RULES.upsert();
const REVISION = new Revision('routing_rule_revisions');

/** {@link RuleStore} on the hub's database. */
@Injectable()
export class SqlRuleStore extends RuleStore {
  constructor(private readonly database: Database) {
    super();
  }

  async all(): Promise<Rule[]> {
    return (await this.database.read<DatabaseRow>(SELECT)).map(RULE.read).map(toRule);
  }

  change(change: (rules: readonly Rule[]) => readonly Rule[]): Promise<readonly Rule[]> {
    return this.database.write(function* (tx): Work<readonly Rule[]> {
      yield* REVISION.lock(tx);
      const present = (yield* tx.all<DatabaseRow>(SELECT)).map(RULE.read);
      const next = change(present.map(toRule));
      const written = yield* write(tx, present, next.map(toEntity));
      if (written > 0) yield* REVISION.raise(tx);
      return next;
    });
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}

/** Brings the table to these rows and touches no row that is as it should be; how many it touched. */
function* write(tx: Tx, present: readonly RuleEntity[], rows: readonly RuleEntity[]): Work<number> {
  const wanted = new Set(rows.map(({ id }) => id));
  const gone = present.flatMap(({ id }) => (wanted.has(id) ? [] : [id]));
  for (const piece of pieces(gone)) {
    yield* tx.run(`DELETE FROM routing_rules WHERE id IN ${listOf(piece.length)}`, piece);
  }
  const before = new Map(present.map((row) => [row.id, RULES.values(row)]));
  const changed = rows.filter((row) => !isDeepStrictEqual(before.get(row.id), RULES.values(row)));
  yield* UPSERT.apply(tx, changed);
  return gone.length + changed.length;
}

function toEntity(rule: Rule, position: number): RuleEntity {
  const { createdAt, updatedAt } = rule;
  const unknown = new Date(0);
  return { ...rule, position, createdAt: createdAt ?? unknown, updatedAt: updatedAt ?? unknown };
}

function toRule(row: RuleEntity): Rule {
  const { id, name, enabled, conditions, target, createdAt, updatedAt } = row;
  return { id, name, enabled, conditions, target, source: 'api', createdAt, updatedAt };
}
