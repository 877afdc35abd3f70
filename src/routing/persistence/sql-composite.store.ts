import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../common/canonical-json.js';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import type { Tx, Work } from '../../database/sql.js';
import {
  CompositeStore,
  type CompositeVersion,
  type NewComposite,
} from '../composites/composite-store.js';
import {
  type Composite,
  type CompositeDefinition,
  definitionOf,
} from '../composites/domain/composite.js';

interface VersionRow {
  readonly id: string;
  readonly version: number;
  readonly definition: string;
  readonly source: string;
  readonly created_at: number | string;
}

interface Row extends VersionRow {
  readonly updated_at: number | string;
}

const COLUMNS = 'id, version, definition, source, created_at';

/** The next version of a deleted one, else the first; nothing when the id is taken. */
const INSERT = `INSERT INTO composite_skills
  (id, version, definition, source, created_at, updated_at, deleted_at) VALUES (?, 1, ?, ?, ?, ?, NULL)
  ON CONFLICT (id) DO UPDATE SET version = composite_skills.version + 1,
    definition = excluded.definition, source = excluded.source, created_at = excluded.created_at,
    updated_at = excluded.updated_at, deleted_at = NULL
  WHERE composite_skills.deleted_at IS NOT NULL`;

/** {@link CompositeStore} on the hub's database. */
@Injectable()
export class SqlCompositeStore extends CompositeStore {
  constructor(private readonly database: Database) {
    super();
  }

  add(composite: NewComposite, now: Date): Promise<Composite> {
    const { id, source } = composite;
    const time = now.getTime();
    return this.database.write(function* (tx): Work<Composite> {
      const definition = JSON.stringify(definitionOf(composite));
      const added = yield* tx.run(INSERT, [id, definition, source, time, time]);
      if (added === 0) {
        throw new HubError('CONFLICT', `There is a composite skill with the id ${id}.`);
      }
      const stored = yield* stand(tx, id);
      if (!stored) throw new Error(`The composite skill ${id} was added and is not there.`);
      yield* keepVersion(tx, stored, now);
      return stored;
    });
  }

  update(
    id: string,
    change: (composite: Composite) => CompositeDefinition & Pick<Composite, 'source'>,
    now: Date,
  ): Promise<Composite | undefined> {
    return this.database.write(function* (tx): Work<Composite | undefined> {
      const before = yield* stand(tx, id);
      if (!before) return undefined;
      const changed = change(before);
      const { source } = changed;
      if (source === before.source && isSame(changed, before)) return before;
      const after: Composite = {
        ...before,
        ...definitionOf(changed),
        source,
        version: before.version + 1,
        updatedAt: now,
      };
      yield* tx.run(
        `UPDATE composite_skills SET version = ?, definition = ?, source = ?, updated_at = ?
         WHERE id = ?`,
        [after.version, JSON.stringify(definitionOf(after)), source, now.getTime(), id],
      );
      yield* keepVersion(tx, after, now);
      return after;
    });
  }

  remove(id: string, now: Date, check?: (composite: Composite) => void): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const present = yield* stand(tx, id);
      if (!present) return false;
      check?.(present);
      yield* tx.run('UPDATE composite_skills SET deleted_at = ? WHERE id = ?', [now.getTime(), id]);
      yield* raiseRevision(tx);
      return true;
    });
  }

  async get(id: string): Promise<Composite | undefined> {
    const sql = 'SELECT * FROM composite_skills WHERE id = ? AND deleted_at IS NULL';
    const rows = await this.database.read<Row>(sql, [id]);
    return rows.map(toComposite)[0];
  }

  async list(limit: number, cursor?: string): Promise<Page<Composite>> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<Row>(
      `SELECT * FROM composite_skills WHERE ${id} > ? AND deleted_at IS NULL ORDER BY ${id} LIMIT ?`,
      [cursor ?? '', limit + 1],
    );
    const items = rows.slice(0, limit).map(toComposite);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async all(): Promise<Composite[]> {
    const id = byCharacters('id', this.database.dialect);
    const sql = `SELECT * FROM composite_skills WHERE deleted_at IS NULL ORDER BY ${id}`;
    const rows = await this.database.read<Row>(sql);
    return rows.map(toComposite);
  }

  async version(id: string, version: number): Promise<CompositeVersion | undefined> {
    const rows = await this.database.read<VersionRow>(
      `SELECT ${COLUMNS} FROM composite_skill_versions WHERE id = ? AND version = ?`,
      [id, version],
    );
    return rows.map(toVersion)[0];
  }

  async versions(id: string, limit: number, cursor?: string): Promise<Page<CompositeVersion>> {
    const older = cursor === undefined ? '' : 'AND version < ?';
    const rows = await this.database.read<VersionRow>(
      `SELECT ${COLUMNS} FROM composite_skill_versions WHERE id = ? ${older}
       ORDER BY version DESC LIMIT ?`,
      [id, ...(cursor === undefined ? [] : [Number(cursor)]), limit + 1],
    );
    const items = rows.slice(0, limit).map(toVersion);
    const last = items.at(-1);
    return { items, nextCursor: rows.length > limit && last ? String(last.version) : null };
  }

  async revision(): Promise<number> {
    const sql = 'SELECT revision FROM composite_skill_revisions WHERE id = 1';
    const [row] = await this.database.read<{ revision: number | string }>(sql);
    return Number(row?.revision ?? 0);
  }
}

/** The composite skill as it is now, held until the work ends. */
function* stand(tx: Tx, id: string): Work<Composite | undefined> {
  // SQLite runs one work at a time; PostgreSQL has to hold the row.
  const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
  const sql = `SELECT * FROM composite_skills WHERE id = ? AND deleted_at IS NULL${lock}`;
  const rows = yield* tx.all<Row>(sql, [id]);
  return rows.map(toComposite)[0];
}

function* keepVersion(tx: Tx, composite: Composite, now: Date): Work<void> {
  const { id, version, source } = composite;
  yield* tx.run(`INSERT INTO composite_skill_versions (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`, [
    id,
    version,
    JSON.stringify(definitionOf(composite)),
    source,
    now.getTime(),
  ]);
  yield* raiseRevision(tx);
}

function* raiseRevision(tx: Tx): Work<void> {
  yield* tx.run('UPDATE composite_skill_revisions SET revision = revision + 1 WHERE id = 1');
}

/** Equal whatever the order of members is. */
function isSame(one: CompositeDefinition, other: CompositeDefinition): boolean {
  return canonicalJson(definitionOf(one)) === canonicalJson(definitionOf(other));
}

function toVersion(row: VersionRow): CompositeVersion {
  return {
    ...(JSON.parse(row.definition) as CompositeDefinition),
    id: row.id,
    version: Number(row.version),
    source: row.source as Composite['source'],
    createdAt: new Date(Number(row.created_at)),
  };
}

function toComposite(row: Row): Composite {
  return { ...toVersion(row), updatedAt: new Date(Number(row.updated_at)) };
}
