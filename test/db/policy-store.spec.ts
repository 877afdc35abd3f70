import { SqlPolicyStore } from '../../src/policies/persistence/sql-policy.store.js';
import { policyStoreContract } from '../contract/policy-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('policies', (databases) => {
  policyStoreContract(async () => new SqlPolicyStore(await databases.openEmptied()));
});
