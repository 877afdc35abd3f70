import { Inject, Injectable } from '@nestjs/common';
import { pageOf } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';
import { Database } from '../../database/database.js';
import { HubSettings } from '../../database/hub-settings.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import { type BlockedCaller, type SignInBlock, SignInBlocks } from '../sign-in-blocks.js';
import { SignInBlockEntity } from './sign-in-block.entity.js';

const BLOCKS = new Table(SignInBlockEntity);
const BLOCK = BLOCKS.select();
const INSERT = BLOCKS.insert('ON CONFLICT (id) DO NOTHING');

/** {@link SignInBlocks} in the hub's database. */
@Injectable()
export class SqlSignInBlocks extends SignInBlocks {
  constructor(
    private readonly database: Database,
    @Inject(HubSettings) private readonly settings: Pick<HubSettings, 'fingerprint'>,
  ) {
    super();
  }

  idFor({ issuer, organization, subject }: BlockedCaller): Promise<string> {
    return this.settings.fingerprint(['blocked caller', issuer, organization, subject]);
  }

  *isBlocked(tx: Tx, id: string): Work<boolean> {
    return (yield* tx.all('SELECT id FROM sign_in_blocks WHERE id = ?', [id])).length > 0;
  }

  *addIn(tx: Tx, ids: readonly string[], createdAt: Date): Work<void> {
    yield* INSERT.apply(
      tx,
      ids.map((id) => ({ id, createdAt })),
    );
  }

  async list(limit: number, cursor = ''): Promise<Page<SignInBlock>> {
    const found = await BLOCK.list(this.database, 'WHERE id > ? ORDER BY id LIMIT ?', [
      storable(cursor),
      limit + 1,
    ]);
    return pageOf('sign-in-blocks', found, limit, ({ id }) => id);
  }

  async lift(id: string): Promise<boolean> {
    const sql = 'DELETE FROM sign_in_blocks WHERE id = ?';
    return (await this.database.write((tx) => tx.run(sql, [storable(id)]))) > 0;
  }
}
