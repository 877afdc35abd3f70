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
import { PrincipalEntity } from './principal.entity.js';

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

  override async end(owner: DataOwner, { blocks, now }: DataRemoval): Promise<void> {
    if (!blocks || !('organization' in owner)) return;
    const id = await this.blocks.idForOrganization(owner.organization);
    await this.rows.write((tx) => this.blocks.addIn(tx, [id], now));
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
    const own = await Promise.all(found.map(async (each) => (await this.blocks.idsFor(each))[0]!));
    const { blocks: store } = this;
    return this.rows.write(function* (tx) {
      if (blocks) yield* store.addIn(tx, own, now);
      const ids = found.map(({ id }) => id);
      yield* REVISION.raise(tx);
      return yield* tx.run(`DELETE FROM identities WHERE id IN ${listOf(ids.length)}`, ids);
    });
  }
}
