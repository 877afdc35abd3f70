import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import { Revision } from '../../database/revision.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import type { Policy, PolicyDefinition } from '../domain/policy.js';
import { PoliciesChanged, PolicyStore, type PolicyVersion } from '../policy-store.js';
import { PolicyEntity, PolicyVersionEntity } from './policy.entity.js';

const POLICIES = new Table(PolicyEntity);
const POLICY = POLICIES.select();
const SELECT = `SELECT ${POLICY.names} FROM policies`;
const INSERT = POLICIES.insert('ON CONFLICT (id) DO NOTHING');
const UPDATE = POLICIES.update([
  'version',
  'organization',
  'description',
  'enabled',
  'text',
  'tests',
  'updatedAt',
]);
const VERSIONS = new Table(PolicyVersionEntity);
const VERSION = VERSIONS.select();
const INSERT_VERSION = VERSIONS.insert();
const REVISION = new Revision('policy_revisions');

/** {@link PolicyStore} on the hub's database. */
@Injectable()
export class SqlPolicyStore extends PolicyStore {
  constructor(private readonly database: Database) {
    super();
  }

  async all(): Promise<Policy[]> {
    const id = byCharacters('id', this.database.dialect);
    const rows = await this.database.read<DatabaseRow>(`${SELECT} ORDER BY ${id}`);
    return rows.map(POLICY.read).map(toPolicy);
  }

  add(
    id: string,
    definition: PolicyDefinition,
    limit: number,
    now: Date,
    revision?: number,
  ): Promise<Policy> {
    const row = { ...definition, id, version: 1, createdAt: now, updatedAt: now };
    return this.database.write(function* (tx): Work<Policy> {
      yield* lock(tx, revision);
      const { organization } = definition;
      const [count] = yield* tx.all<{ n: number }>(
        `SELECT COUNT(*) AS n FROM policies WHERE ${organization === null ? 'organization IS NULL' : 'organization = ?'}`,
        organization === null ? [] : [organization],
      );
      if (Number(count?.n) >= limit) {
        const whose = organization === null ? 'The hub' : `The organization ${organization}`;
        throw new HubError('CONFLICT', `${whose} has ${limit} policies: delete one first.`);
      }
      if ((yield* INSERT.one(tx, row)) === 0) {
        throw new HubError('CONFLICT', `There is a policy with the id ${id}.`);
      }
      // Nothing is left here of an earlier policy with that id, but by versions of the hub that could leave some.
      yield* tx.run('DELETE FROM policy_versions WHERE id = ?', [id]);
      const added = toPolicy(row);
      yield* keep(tx, added, now);
      return added;
    });
  }

  update(
    id: string,
    change: (policy: Policy) => PolicyDefinition,
    now: Date,
    revision?: number,
  ): Promise<Policy | undefined> {
    return this.database.write(function* (tx): Work<Policy | undefined> {
      yield* lock(tx, revision);
      const [row] = yield* tx.all<DatabaseRow>(`${SELECT} WHERE id = ?`, [id]);
      if (row === undefined) return undefined;
      const before = toPolicy(POLICY.read(row));
      const { description, organization, enabled, text, tests } = change(before);
      const changed = { ...before, description, organization, enabled, text, tests };
      const after = { ...changed, version: before.version + 1, updatedAt: now };
      yield* UPDATE.apply(tx, [after]);
      yield* keep(tx, after, now);
      return after;
    });
  }

  remove(id: string, revision?: number): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      yield* lock(tx, revision);
      if ((yield* tx.run('DELETE FROM policies WHERE id = ?', [id])) === 0) return false;
      yield* tx.run('DELETE FROM policy_versions WHERE id = ?', [id]);
      yield* REVISION.raise(tx);
      return true;
    });
  }

  async versions(id: string, limit: number): Promise<readonly PolicyVersion[]> {
    const found = await VERSION.list(this.database, 'WHERE id = ? ORDER BY version DESC LIMIT ?', [
      id,
      limit,
    ]);
    return found.map(({ version, definition, at }) => ({ ...definition, version, at }));
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }
}

/** Lets one change in after another, to the policies of this revision alone. */
function* lock(tx: Tx, revision: number | undefined): Work<void> {
  yield* REVISION.lock(tx);
  if (revision !== undefined && (yield* REVISION.readIn(tx)) !== revision) {
    throw new PoliciesChanged('the policies have changed');
  }
}

function* keep(tx: Tx, policy: Policy, at: Date): Work<void> {
  const { id, version, description, organization, enabled, text, tests } = policy;
  const definition = { description, organization, enabled, text, tests };
  yield* INSERT_VERSION.one(tx, { id, version, definition, at });
  yield* REVISION.raise(tx);
}

function toPolicy(row: Omit<PolicyEntity, 'definition'>): Policy {
  return { ...row, source: 'api' };
}
