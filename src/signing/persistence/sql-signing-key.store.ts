import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import type { SigningKey } from '../signing-key.js';
import { SigningKeyEntity } from './signing-key.entity.js';
import { SigningKeyStore } from '../signing-key-store.js';

const KEYS = new Table(SigningKeyEntity);
const KEY = KEYS.selectBut('kid');
const INSERT = KEYS.insert('ON CONFLICT (generation) DO NOTHING');

/** {@link SigningKeyStore} on the hub's database. */
@Injectable()
export class SqlSigningKeyStore extends SigningKeyStore {
  constructor(private readonly database: Database) {
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

  async revoke(kid: string, at: Date): Promise<boolean> {
    const changes = await this.database.write((tx) =>
      tx.run(
        `UPDATE signing_keys SET revoked_at = COALESCE(revoked_at, ?), private_key = NULL
         WHERE kid = ?`,
        [at.getTime(), kid],
      ),
    );
    return changes > 0;
  }
}
