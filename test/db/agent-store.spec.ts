import { TypeormAgentStore } from '../../src/agents/persistence/typeorm-agent.store.js';
import { agentStoreContract } from '../contract/agent-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('agents', (databases) => {
  agentStoreContract(async () => new TypeormAgentStore(await databases.open()));
});
