import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../common/canonical-json.js';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import { Revision } from '../../database/revision.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
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
import { CompositeSkillEntity, CompositeSkillVersionEntity } from './composite-skill.entity.js';
import { VersionRows } from './version-rows.js';

const SKILLS = new Table(CompositeSkillEntity);
const SKILL = SKILLS.selectBut('deletedAt');
const VERSIONS = new Table(CompositeSkillVersionEntity);
const VERSION_ROWS = new VersionRows(VERSIONS.select());
const CURRENT = `SELECT ${SKILL.names} FROM composite_skills WHERE deleted_at IS NULL`;
const REVISION = new Revision('composite_skill_revisions');

/** The next version of a deleted one, else the first; nothing when the id is taken. */
const INSERT = SKILLS.insert(`ON CONFLICT (id) DO UPDATE SET version = composite_skills.version + 1,
    definition = excluded.definition, source = excluded.source, created_at = excluded.created_at,
    updated_at = excluded.updated_at, deleted_at = NULL
  WHERE composite_skills.deleted_at IS NOT NULL`);
const UPDATE = SKILLS.update(['version', 'definition', 'source', 'updatedAt']);
const INSERT_VERSION = VERSIONS.insert();

/** {@link CompositeStore} on the hub's database. */
@Injectable()
export class SqlCompositeStore extends CompositeStore {
  constructor(private readonly database: Database) {
    super();
  }

  add(composite: NewComposite, now: Date): Promise<Composite> {
    const { id, source } = composite;
    const definition = definitionOf(composite);
    const row = {
      id,
      version: 1,
      definition,
      source,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    return this.database.write(function* (tx): Work<Composite> {
      const added = yield* INSERT.one(tx, row);
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
      yield* UPDATE.apply(tx, [{ ...after, definition: definitionOf(after) }]);
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
      yield* REVISION.raise(tx);
      return true;
    });
  }

  async get(id: string): Promise<Composite | undefined> {
    const rows = await this.database.read<DatabaseRow>(`${CURRENT} AND id = ?`, [id]);
    return rows.map(toComposite)[0];
  }

  async list(limit: number, cursor?: string): Promise<Page<Composite>> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<DatabaseRow>(
      `${CURRENT} AND ${id} > ? ORDER BY ${id} LIMIT ?`,
      [cursor ?? '', limit + 1],
    );
    const items = rows.slice(0, limit).map(toComposite);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async all(): Promise<Composite[]> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<DatabaseRow>(`${CURRENT} ORDER BY ${id}`);
    return rows.map(toComposite);
  }

  async version(id: string, version: number): Promise<CompositeVersion | undefined> {
    const row = await VERSION_ROWS.one(this.database, id, version);
    return row && toVersion(row);
  }

  async versions(id: string, limit: number, cursor?: string): Promise<Page<CompositeVersion>> {
    const page = await VERSION_ROWS.page(this.database, id, limit, cursor);
    return { ...page, items: page.items.map(toVersion) };
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}

/** The composite skill as it is now, held until the work ends. */
function* stand(tx: Tx, id: string): Work<Composite | undefined> {
  const rows = yield* tx.all<DatabaseRow>(`${CURRENT} AND id = ?${forUpdate(tx)}`, [id]);
  return rows.map(toComposite)[0];
}

function* keepVersion(tx: Tx, composite: Composite, now: Date): Work<void> {
  const { id, version, source } = composite;
  const definition = definitionOf(composite);
  yield* INSERT_VERSION.apply(tx, [{ id, version, definition, source, createdAt: now }]);
  yield* REVISION.raise(tx);
}

/** Equal whatever the order of members is. */
function isSame(one: CompositeDefinition, other: CompositeDefinition): boolean {
  return canonicalJson(definitionOf(one)) === canonicalJson(definitionOf(other));
}

function toVersion({ definition, ...version }: CompositeSkillVersionEntity): CompositeVersion {
  return { ...definition, ...version };
}

function toComposite(row: DatabaseRow): Composite {
  const { definition, ...skill } = SKILL.read(row);
  return { ...definition, ...skill };
}
