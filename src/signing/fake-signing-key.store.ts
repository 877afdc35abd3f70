import type { Tx, Work } from '../database/sql.js';
import type { SigningKey } from './signing-key.js';
import { SigningKeyStore } from './signing-key-store.js';

/** {@link SigningKeyStore} in memory, for unit tests. It passes the same contract suite. */
export class FakeSigningKeyStore extends SigningKeyStore {
  private keys: SigningKey[] = [];
  /** The last that was signed. */
  last = 0;
  /** How often all keys were read. */
  reads = 0;

  all(): Promise<readonly SigningKey[]> {
    this.reads += 1;
    return Promise.resolve([...this.keys].sort((a, b) => a.generation - b.generation));
  }

  add(key: SigningKey, signing: number): Promise<boolean> {
    if (this.keys.some(({ generation }) => generation === key.generation)) {
      return Promise.resolve(false);
    }
    const kept = this.keys.map((old) =>
      old.generation < signing ? { ...old, sealedPrivateKey: null } : old,
    );
    this.keys = [...kept, key];
    return Promise.resolve(true);
  }

  revoke(kid: string, at: Date): Promise<boolean> {
    const found = this.keys.some(({ publicKey }) => publicKey.kid === kid);
    this.keys = this.keys.map((key) =>
      key.publicKey.kid === kid
        ? {
            ...key,
            sealedPrivateKey: null,
            revokedAt: key.revokedAt ?? at,
            revokedAfter: key.revokedAfter ?? this.last,
          }
        : key,
    );
    return Promise.resolve(found);
  }

  // oxlint-disable-next-line require-yield -- it has no statement to make
  *hold(_tx: Tx, kid: string): Work<boolean> {
    return this.keys.some(({ publicKey, revokedAt }) => publicKey.kid === kid && !revokedAt);
  }
}
