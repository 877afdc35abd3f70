import { describe, expect, it } from '@jest/globals';
import { FakeSigningKeyStore } from '../../src/signing/fake-signing-key.store.js';
import type { Tx, Work } from '../../src/database/sql.js';
import { SignatureOrder } from '../../src/signing/signature-order.js';
import { SqlSigningKeyStore } from '../../src/signing/persistence/sql-signing-key.store.js';
import { keyOf, signingKeyStoreContract } from '../contract/signing-key-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describe('SigningKeyStore (in memory)', () => {
  signingKeyStoreContract(() => {
    const store = new FakeSigningKeyStore();
    return Promise.resolve({ store, sign: (last) => void (store.last = last) });
  });
});

describeDatabases('SigningKeyStore', (databases) => {
  const open = async () => {
    const database = await databases.openEmptied();
    const order = new SetOrder();
    const store = new SqlSigningKeyStore(database, order);
    return { database, store, sign: (last: number) => void (order.now = last) };
  };
  signingKeyStoreContract(open);

  it('holds a key that is not revoked', async () => {
    const { database, store } = await open();
    await store.add(keyOf(1), 1);
    const holds = (kid: string) => database.write((tx) => store.hold(tx, kid));
    expect(await holds('key-1')).toBe(true);
    expect(await holds('none')).toBe(false);
    await store.revoke('key-1', new Date(5000));
    expect(await holds('key-1')).toBe(false);
  });
});

class SetOrder extends SignatureOrder {
  now = 0;

  *last(tx: Tx): Work<number> {
    yield* tx.all('SELECT 1 AS n');
    return this.now;
  }
}
