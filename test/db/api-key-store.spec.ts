import { describe } from '@jest/globals';
import { FakeApiKeyStore } from '../../src/auth/fake-api-key.store.js';
import { TypeormApiKeyStore } from '../../src/auth/persistence/typeorm-api-key.store.js';
import { apiKeyStoreContract } from '../contract/api-key-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describe('ApiKeyStore (in memory)', () => {
  apiKeyStoreContract(() => Promise.resolve(new FakeApiKeyStore()));
});

describeDatabases('ApiKeyStore', (databases) => {
  apiKeyStoreContract(async () => new TypeormApiKeyStore(await databases.openEmptied()));
});
