export { PoliciesModule } from './policies.module.js';
export { readDeclaredPolicies } from './declared-policies.js';
export { KnownAgents } from './known-agents.js';
export { PolicyData } from './policy-data.js';
export { PolicyDecisionPoint } from './policy-decision-point.js';
export { type Permits, PermittedLists, prepareAll } from './permitted-lists.js';
export { refusalBy, refusalSentence } from './refusal-by.js';
export type { HubOperation, PolicyResource } from './domain/policy.js';
