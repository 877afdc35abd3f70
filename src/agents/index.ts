export { type Agent, type AgentBudgets, type AgentEndpoint, RESERVED_AGENT_IDS } from './agent.js';
export {
  AgentCallError,
  type AgentCallOptions,
  AgentClient,
  type AgentSend,
} from './agent-client.js';
export { AgentRegistry } from './agent-registry.js';
export { type AgentFilter, AgentStore } from './agent-store.js';
export { AgentsModule } from './agents.module.js';
