import { Injectable } from '@nestjs/common';
import {
  type DataOwner,
  type DataRecord,
  type DataRemoval,
  OwnedData,
} from '../../common/owned-data.js';
import { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { Table } from '../../database/table.js';
import { AuthData } from '../auth-data.js';
import { SignInBlocks } from '../sign-in-blocks.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { IdentityEntity } from './identity.entity.js';
import { REVISION } from './principal-writes.js';
import { OrganizationEntity } from './organization.entity.js';
import { PrincipalEntity } from './principal.entity.js';
import { SessionEntity } from './session.entity.js';

const OF_ORGANIZATION = 'principal_id IN (SELECT id FROM principals WHERE organization = ?)';
const IDENTITY = new Table(IdentityEntity).select('id', 'issuer', 'organization', 'subject');
const PIECE = 32;

/** {@link AuthData} in the hub's database; the principals themselves come last, as others are found by them. */
@Injectable()
export class SqlAuthData extends AuthData {
  readonly kinds: readonly OwnedData[];

  constructor(database: Database, blocks: SignInBlocks) {
    super();
    this.kinds = [
      new OwnedRows(database, {
        kind: 'consoleSessions',
        entity: SessionEntity,
        key: ['id'],
        ofOrganization: 'organization = ?',
        ofPrincipal: 'principal_id = ?',
        hidden: ['secretHash'],
      }),
      new OwnedRows(database, {
        kind: 'keys',
        entity: ApiKeyEntity,
        key: ['principal_id', 'id'],
        ofOrganization: OF_ORGANIZATION,
        ofPrincipal: 'principal_id = ?',
        hidden: ['hash'],
        revision: REVISION,
      }),
      new Identities(database, blocks),
      new OwnedRows(database, {
        kind: 'principals',
        entity: PrincipalEntity,
        key: ['id'],
        ofOrganization: 'organization = ?',
        ofPrincipal: 'id = ?',
        hidden: ['unreconciled'],
        revision: REVISION,
      }),
      new Organizations(database),
    ];
  }
}

/** Whom issuers know principals as: what makes a person of an id. */
class Identities extends OwnedData {
  readonly kind = 'identities';
  readonly tables = ['identities'];
  private readonly all: OwnedRows<IdentityEntity>;

  constructor(
    private readonly rows: Database,
    private readonly blocks: SignInBlocks,
  ) {
    super();
    this.all = new OwnedRows(rows, {
      kind: this.kind,
      entity: IdentityEntity,
      key: ['id'],
      ofOrganization: 'organization = ?',
      ofPrincipal: 'principal_id = ?',
    });
  }

  count(owner: DataOwner): Promise<number> {
    return this.all.count(owner);
  }

  records(owner: DataOwner): AsyncGenerator<readonly DataRecord[]> {
    return this.all.records(owner);
  }

  async delete(owner: DataOwner, { blocks, now }: DataRemoval): Promise<number> {
    const [column, name] =
      'organization' in owner
        ? ['organization', owner.organization]
        : ['principal_id', owner.principal];
    const found = await IDENTITY.list(this.rows, `WHERE ${column} = ? ORDER BY id LIMIT ${PIECE}`, [
      name,
    ]);
    if (found.length === 0) return 0;
    const own = await Promise.all(found.map((each) => this.blocks.idFor(each)));
    const { blocks: store } = this;
    return this.rows.write(function* (tx) {
      if (blocks) yield* store.addIn(tx, own, now);
      const ids = found.map(({ id }) => id);
      const deleted = yield* tx.run(
        `DELETE FROM identities WHERE id IN ${listOf(ids.length)}`,
        ids,
      );
      // After the rows, as all do who change credentials.
      yield* REVISION.raise(tx);
      return deleted;
    });
  }
}

/**
 * The organization itself: it stays, disabled and without its names, where those of it may not come back, so that they and
 * keys for it are refused.
 */
class Organizations extends OwnedRows<OrganizationEntity> {
  constructor(private readonly rows: Database) {
    super(rows, {
      kind: 'organizations',
      entity: OrganizationEntity,
      key: ['id'],
      ofOrganization: `id = ? AND (disabled_at IS NULL OR display_name IS NOT NULL
        OR description IS NOT NULL OR labels <> '{}')`,
      ofPrincipal: '1 = 0 AND id = ?',
    });
  }

  override delete(owner: DataOwner, removal?: DataRemoval): Promise<number> {
    if (!('organization' in owner)) return Promise.resolve(0);
    const { organization } = owner;
    if (removal?.blocks === true) {
      return this.rows.write((tx) =>
        tx.run(
          `UPDATE organizations SET display_name = NULL, description = NULL, labels = '{}',
             disabled_at = COALESCE(disabled_at, CAST(? AS bigint))
           WHERE id = ? AND (disabled_at IS NULL OR display_name IS NOT NULL
             OR description IS NOT NULL OR labels <> '{}')`,
          [removal.now.getTime(), organization],
        ),
      );
    }
    return this.rows.write((tx) =>
      tx.run('DELETE FROM organizations WHERE id = ?', [organization]),
    );
  }
}
