import { describe } from '@jest/globals';
import { FakeApiKeyStore } from '../../src/auth/fake-api-key.store.js';
import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import { apiKeyStoreContract } from '../contract/api-key-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describe('ApiKeyStore (in memory)', () => {
  apiKeyStoreContract(() => Promise.resolve(new FakeApiKeyStore()));
});

describeDatabases('ApiKeyStore', (databases) => {
  apiKeyStoreContract(async () => new SqlApiKeyStore(await databases.openEmptied()));
});
