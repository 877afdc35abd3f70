import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { forUpdate } from '../../database/rows.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import {
  type Organization,
  type OrganizationEdits,
  type OrganizationFilter,
  type OrganizationRecord,
  OrganizationStore,
} from '../organization-store.js';
import type { Authority } from '../authority.js';
import { OrganizationEntity } from './organization.entity.js';
import { openDeletionOf } from './open-deletions.js';
import { REVISION, scopesHeld } from './principal-writes.js';

const ORGANIZATIONS = new Table(OrganizationEntity);
const ORGANIZATION = ORGANIZATIONS.select();
const INSERT = ORGANIZATIONS.insert('ON CONFLICT (id) DO NOTHING');
const EDIT = ORGANIZATIONS.update(['displayName', 'description', 'labels']);
const SELECT = `SELECT ${ORGANIZATION.namesOf('o')},
    (SELECT COUNT(*) FROM principals p WHERE p.organization = o.id) AS principals
  FROM organizations o`;

const IN_STATE = { enabled: 'o.disabled_at IS NULL', disabled: 'o.disabled_at IS NOT NULL' };

/** {@link OrganizationStore} on the hub's database. */
@Injectable()
export class SqlOrganizationStore extends OrganizationStore {
  constructor(private readonly database: Database) {
    super();
  }

  create(organization: Organization): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      if ((yield* INSERT.one(tx, organization)) === 0) return false;
      const deletion = yield* openDeletionOf(tx, { organization: organization.id });
      if (deletion !== undefined) throw new HubError('CONFLICT', deletion);
      return true;
    });
  }

  async get(id: string): Promise<OrganizationRecord | undefined> {
    const rows = await this.database.read<DatabaseRow>(`${SELECT} WHERE o.id = ?`, [storable(id)]);
    return rows.map(toRecord)[0];
  }

  async list(
    { id, state }: OrganizationFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<OrganizationRecord>> {
    const conditions = state === undefined ? ['1 = 1'] : [IN_STATE[state]];
    const params: SqlValue[] = [];
    if (id !== undefined) {
      conditions.push('o.id = ?');
      params.push(storable(id));
    }
    if (cursor !== undefined) {
      conditions.push('o.id > ?');
      params.push(cursor);
    }
    const rows = await this.database.read<DatabaseRow>(
      `${SELECT} WHERE ${conditions.join(' AND ')} ORDER BY o.id LIMIT ?`,
      [...params, limit + 1],
    );
    const items = rows.slice(0, limit).map(toRecord);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  change(id: string, edits: OrganizationEdits): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* lock(tx, id);
      if (row === undefined) return false;
      yield* EDIT.apply(tx, [{ ...row, ...edits }]);
      return true;
    });
  }

  disable(id: string, at: Date, by: Authority): Promise<readonly string[] | undefined> {
    return this.database.write((tx) => set(tx, id, at, by));
  }

  enable(id: string, by: Authority): Promise<readonly string[] | undefined> {
    return this.database.write((tx) => set(tx, id, null, by));
  }

  delete(id: string, left: (tx: Tx, id: string) => Work<void>): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const row = yield* lock(tx, id);
      if (row === undefined) return false;
      const principals = yield* tx.all('SELECT id FROM principals WHERE organization = ? LIMIT 1', [
        row.id,
      ]);
      if (principals.length > 0) {
        throw new HubError(
          'CONFLICT',
          `The organization ${row.id} has principals: delete them first.`,
        );
      }
      yield* left(tx, row.id);
      yield* tx.run('DELETE FROM organizations WHERE id = ?', [row.id]);
      return true;
    });
  }
}

function* lock(tx: Tx, id: string): Work<Organization | undefined> {
  const sql = `SELECT ${ORGANIZATION.names} FROM organizations WHERE id = ?${forUpdate(tx)}`;
  const [row] = yield* tx.all<DatabaseRow>(sql, [storable(id)]);
  return row && ORGANIZATION.read(row);
}

/** Disables the organization, or (null) enables it, with all of its principals. */
function* set(tx: Tx, id: string, at: Date | null, by: Authority): Work<string[] | undefined> {
  const row = yield* lock(tx, id);
  if (row === undefined) return undefined;
  // In the order in which others lock several.
  const principals = yield* tx.all<{ id: string }>(
    `SELECT id FROM principals WHERE organization = ? ORDER BY id${forUpdate(tx)}`,
    [row.id],
  );
  by.refuse(yield* scopesHeld(tx, 'organization', row.id));
  const ids = principals.map((principal) => principal.id);
  if ((row.disabledAt === null) === (at === null)) return ids;
  const disabledAt = at === null ? null : at.getTime();
  const sql = 'UPDATE organizations SET disabled_at = ? WHERE id = ?';
  yield* tx.run(sql, [disabledAt, row.id]);
  const revision = yield* REVISION.raise(tx);
  yield* tx.run(
    'UPDATE principals SET organization_disabled_at = ?, unreconciled = ? WHERE organization = ?',
    [disabledAt, revision, row.id],
  );
  return ids;
}

function toRecord(row: DatabaseRow): OrganizationRecord {
  return { ...ORGANIZATION.read(row), principals: row['principals'] as number };
}
