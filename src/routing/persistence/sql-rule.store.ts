import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../common/canonical-json.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import { Revision } from '../../database/revision.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { definitionOf, type Rule, type RuleDefinition } from '../rules/domain/rule.js';
import { RuleStore, type RuleVersion } from '../rules/rule-store.js';
import { RuleEntity, RuleVersionEntity } from './rule.entity.js';
import { VersionRows } from './version-rows.js';

const RULES = new Table(RuleEntity);
const RULE = RULES.select();
const IN_ORDER = 'ORDER BY position, id';
const UPSERT = RULES.upsert();
const SET_VERSION = RULES.update(['version']);
const VERSIONS = new Table(RuleVersionEntity);
const VERSION = VERSIONS.select();
const VERSION_ROWS = new VersionRows(VERSION);
const INSERT_VERSION = VERSIONS.insert();
const REVISION = new Revision('routing_rule_revisions');

/** The newest version of each id. */
const NEWEST = `WHERE version = (SELECT MAX(version) FROM routing_rule_versions AS every
  WHERE every.id = routing_rule_versions.id)`;

/** {@link RuleStore} on the hub's database. */
@Injectable()
export class SqlRuleStore extends RuleStore {
  constructor(private readonly database: Database) {
    super();
  }

  async all(): Promise<Rule[]> {
    return (await RULE.list(this.database, IN_ORDER)).map(toRule);
  }

  change(change: (rules: readonly Rule[]) => readonly Rule[], now: Date): Promise<readonly Rule[]> {
    return this.database.write(function* (tx): Work<readonly Rule[]> {
      yield* REVISION.lock(tx);
      const present = yield* RULE.all(tx, IN_ORDER);
      const before = present.map(toRule);
      const next = yield* keepVersions(tx, before, change(before), now);
      const written = yield* write(tx, present, next.map(toEntity));
      if (written > 0) yield* REVISION.raise(tx);
      return next;
    });
  }

  keepDeclared(declared: readonly Rule[], now: Date): Promise<readonly Rule[]> {
    return this.database.write(function* (tx): Work<readonly Rule[]> {
      yield* REVISION.lock(tx);
      const newest = yield* VERSION.all(tx, NEWEST);
      const ofFile = newest.filter(({ source }) => source === 'config');
      const stood = new Set(ofFile.map(({ id }) => id));
      for (const { id } of declared) stood.delete(id);
      const stored = yield* RULE.all(tx, IN_ORDER);
      const back = stored.map(toRule).filter(({ id }) => stood.has(id));
      const kept = yield* keepVersions(tx, ofFile, [...declared, ...back], now);
      const numbered = kept.slice(declared.length);
      yield* SET_VERSION.apply(tx, numbered);
      if (numbered.length > 0) yield* REVISION.raise(tx);
      return kept.slice(0, declared.length);
    });
  }

  async version(id: string, version: number): Promise<RuleVersion | undefined> {
    return VERSION_ROWS.one(this.database, id, version);
  }

  async versions(id: string, limit: number, cursor?: string): Promise<Page<RuleVersion>> {
    return VERSION_ROWS.page(this.database, id, limit, cursor);
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}

/** The rules with their versions: those of `before` that are the same keep theirs, of the others the next one is stored. */
function* keepVersions(
  tx: Tx,
  before: readonly (RuleDefinition & Pick<Rule, 'id' | 'version' | 'source'>)[],
  rules: readonly Rule[],
  now: Date,
): Work<readonly Rule[]> {
  const known = new Map(before.map((each) => [each.id, each] as const));
  const versions = new Map<string, number>();
  for (const rule of rules) {
    const same = known.get(rule.id);
    if (same && same.source === rule.source && isSame(same, rule)) {
      versions.set(rule.id, same.version);
    }
  }
  const changed = rules.filter(({ id }) => !versions.has(id));
  for (const piece of pieces(changed)) {
    const last = yield* tx.all<{ id: string; last: number }>(
      `SELECT id, MAX(version) AS last FROM routing_rule_versions
       WHERE id IN ${listOf(piece.length)} GROUP BY id`,
      piece.map(({ id }) => id),
    );
    const lastOf = new Map(last.map((each) => [each.id, each.last] as const));
    for (const { id } of piece) versions.set(id, (lastOf.get(id) ?? 0) + 1);
  }
  const numbered = (rule: Rule): Rule => ({ ...rule, version: versions.get(rule.id)! });
  yield* INSERT_VERSION.apply(
    tx,
    changed.map((rule) => ({ ...numbered(rule), createdAt: now })),
  );
  return rules.map(numbered);
}

/** Equal whatever the order of members is. */
function isSame(one: RuleDefinition, other: RuleDefinition): boolean {
  return canonicalJson(definitionOf(one)) === canonicalJson(definitionOf(other));
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
  const { id, version, name, enabled, conditions, target, createdAt, updatedAt } = row;
  return { id, version, name, enabled, conditions, target, source: 'api', createdAt, updatedAt };
}
