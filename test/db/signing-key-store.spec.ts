import { describe } from '@jest/globals';
import { FakeSigningKeyStore } from '../../src/signing/fake-signing-key.store.js';
import { TypeormSigningKeyStore } from '../../src/signing/persistence/typeorm-signing-key.store.js';
import { signingKeyStoreContract } from '../contract/signing-key-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describe('SigningKeyStore (in memory)', () => {
  signingKeyStoreContract(() => Promise.resolve(new FakeSigningKeyStore()));
});

describeDatabases('SigningKeyStore', (databases) => {
  signingKeyStoreContract(async () => new TypeormSigningKeyStore(await databases.openEmptied()));
});
