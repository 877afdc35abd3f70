import { describe } from '@jest/globals';
import { agentDelegationsContract } from '../contract/agent-delegations.contract.js';
import { consentRequestsContract } from '../contract/consent-requests.contract.js';
import { contextStoreContract } from '../contract/context-store.contract.js';
import { endedTasksContract } from '../contract/ended-tasks.contract.js';
import { exactLimitsContract } from '../contract/exact-limits.contract.js';
import { idempotencyContract } from '../contract/idempotency.contract.js';
import { spendingContract } from '../contract/spending.contract.js';
import { taskClaimsContract } from '../contract/task-claims.contract.js';
import { taskListsContract } from '../contract/task-lists.contract.js';
import { taskSearchesContract } from '../contract/task-searches.contract.js';
import { taskTokensContract } from '../contract/task-tokens.contract.js';
import { taskUsageContract } from '../contract/task-usage.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('tasks', (databases) => {
  describe('claims', () => taskClaimsContract(databases));
  describe('delegations of agents', () => agentDelegationsContract(databases));
  describe('lists of tasks', () => taskListsContract(databases));
  describe('searches for tasks', () => taskSearchesContract(databases));
  describe('idempotency keys', () => idempotencyContract(databases));
  describe('ended tasks in the audit log', () => endedTasksContract(databases));
  describe('an access token of a caller', () => taskTokensContract(databases));
  describe('requests for consent', () => consentRequestsContract(databases));
  describe('usage', () => taskUsageContract(databases));
  describe('limits', () => exactLimitsContract(databases));
  describe('spending', () => spendingContract(databases));
  describe('contexts', () => contextStoreContract(databases));
});
