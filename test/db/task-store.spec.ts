import { agentDelegationsContract } from '../contract/agent-delegations.contract.js';
import { contextStoreContract } from '../contract/context-store.contract.js';
import { idempotencyContract } from '../contract/idempotency.contract.js';
import { taskClaimsContract } from '../contract/task-claims.contract.js';
import { taskListsContract } from '../contract/task-lists.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('claims', taskClaimsContract);

describeDatabases('delegations of agents', agentDelegationsContract);

describeDatabases('lists of tasks', taskListsContract);

describeDatabases('idempotency keys', idempotencyContract);

describeDatabases('contexts', contextStoreContract);
