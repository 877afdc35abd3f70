import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { PublicKey, SigningKey } from '../signing-key.js';
import { SigningKeyStore } from '../signing-key-store.js';

interface Row {
  readonly generation: number;
  readonly public_key: string;
  readonly private_key: string | null;
  readonly created_at: number | string;
  readonly signs_from: number | string;
  readonly revoked_at: number | string | null;
}

/** {@link SigningKeyStore} on the hub's database. */
@Injectable()
export class SqlSigningKeyStore extends SigningKeyStore {
  constructor(private readonly database: Database) {
    super();
  }

  async all(): Promise<readonly SigningKey[]> {
    const rows = await this.database.read<Row>(
      `SELECT generation, public_key, private_key, created_at, signs_from, revoked_at
       FROM signing_keys ORDER BY generation`,
    );
    return rows.map((row) => this.toKey(row));
  }

  add(key: SigningKey, signing: number): Promise<boolean> {
    return this.database.write(function* (tx) {
      const added = yield* tx.run(
        `INSERT INTO signing_keys
           (generation, kid, public_key, private_key, created_at, signs_from, revoked_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (generation) DO NOTHING`,
        [
          key.generation,
          key.publicKey.kid,
          JSON.stringify(key.publicKey),
          key.sealedPrivateKey,
          key.createdAt.getTime(),
          key.signsFrom.getTime(),
          key.revokedAt?.getTime() ?? null,
        ],
      );
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

  private toKey(row: Row): SigningKey {
    return {
      generation: row.generation,
      publicKey: JSON.parse(row.public_key) as PublicKey,
      sealedPrivateKey: row.private_key,
      createdAt: new Date(Number(row.created_at)),
      signsFrom: new Date(Number(row.signs_from)),
      revokedAt: row.revoked_at === null ? null : new Date(Number(row.revoked_at)),
    };
  }
}
