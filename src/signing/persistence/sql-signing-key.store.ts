import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Tx, Work } from '../../database/sql.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { SignatureOrder } from '../signature-order.js';
import type { SigningKey } from '../signing-key.js';
import { SigningKeyEntity } from './signing-key.entity.js';
import { SigningKeyStore } from '../signing-key-store.js';

const KEYS = new Table(SigningKeyEntity);
const KEY = KEYS.selectBut('kid');
const INSERT = KEYS.insert('ON CONFLICT (generation) DO NOTHING');

/** {@link SigningKeyStore} on the hub's database. */
@Injectable()
export class SqlSigningKeyStore extends SigningKeyStore {
  constructor(
    private readonly database: Database,
    private readonly order: SignatureOrder,
  ) {
    super();
  }

  async all(): Promise<readonly SigningKey[]> {
    const sql = `SELECT ${KEY.names} FROM signing_keys ORDER BY generation`;
    return (await this.database.read<DatabaseRow>(sql)).map(KEY.read);
  }

  add(key: SigningKey, signing: number): Promise<boolean> {
    return this.database.write(function* (tx) {
      const added = yield* INSERT.one(tx, { ...key, kid: key.publicKey.kid });
      if (added === 0) return false;
      yield* tx.run('UPDATE signing_keys SET private_key = NULL WHERE generation < ?', [signing]);
      return true;
    });
  }

  revoke(kid: string, at: Date): Promise<boolean> {
    const { order } = this;
    return this.database.write(function* (tx) {
      // The update waits for those who hold the key: what they have signed comes before this.
      const revoked = yield* tx.run(
        'UPDATE signing_keys SET revoked_at = ?, private_key = NULL WHERE kid = ? AND revoked_at IS NULL',
        [at.getTime(), kid],
      );
      if (revoked === 0) {
        return (yield* tx.all('SELECT 1 FROM signing_keys WHERE kid = ?', [kid])).length > 0;
      }
      const after = yield* order.last(tx);
      yield* tx.run('UPDATE signing_keys SET revoked_after = ? WHERE kid = ?', [after, kid]);
      return true;
    });
  }

  *hold(tx: Tx, kid: string): Work<boolean> {
    const lock = tx.dialect === 'postgres' ? ' FOR SHARE' : '';
    const sql = `SELECT 1 FROM signing_keys WHERE kid = ? AND revoked_at IS NULL${lock}`;
    return (yield* tx.all(sql, [kid])).length > 0;
  }
}
