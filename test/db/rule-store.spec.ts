import { SqlRuleStore } from '../../src/routing/persistence/sql-rule.store.js';
import { ruleStoreContract } from '../contract/rule-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('routing rules', (databases) => {
  ruleStoreContract(async () => new SqlRuleStore(await databases.openEmptied()));
});
