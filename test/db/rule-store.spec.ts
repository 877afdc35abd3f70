import { TypeormRuleStore } from '../../src/routing/persistence/typeorm-rule.store.js';
import { ruleStoreContract } from '../contract/rule-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('routing rules', (databases) => {
  ruleStoreContract(async () => new TypeormRuleStore(await databases.openEmptied()));
});
