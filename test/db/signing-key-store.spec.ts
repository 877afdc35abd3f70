import { describe } from '@jest/globals';
import { FakeSigningKeyStore } from '../../src/signing/fake-signing-key.store.js';
import { SqlSigningKeyStore } from '../../src/signing/persistence/sql-signing-key.store.js';
import { signingKeyStoreContract } from '../contract/signing-key-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describe('SigningKeyStore (in memory)', () => {
  signingKeyStoreContract(() => Promise.resolve(new FakeSigningKeyStore()));
});

describeDatabases('SigningKeyStore', (databases) => {
  signingKeyStoreContract(async () => new SqlSigningKeyStore(await databases.openEmptied()));
});
