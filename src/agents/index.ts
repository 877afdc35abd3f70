export { type Agent, type AgentBudgets, type AgentEndpoint, RESERVED_AGENT_IDS } from './agent.js';
export { canStream } from './can-stream.js';
export {
  AGENT_TOO_LATE,
  type AgentCallback,
  AgentCallError,
  type AgentCallOptions,
  type ConnectionWatch,
  AgentClient,
  type AgentSend,
} from './agent-client.js';
export {
  type Admission,
  type AgentCondition,
  AgentHealth,
  type TaskResult,
} from './agent-health.js';
export { AgentLoad, type AgentQueue, type QueueAsker } from './agent-load.js';
export { AgentQuirks } from './agent-quirks.js';
export { AgentRegistry } from './agent-registry.js';
export { type AgentFilter, AgentStore } from './agent-store.js';
export { AgentsModule } from './agents.module.js';
export { readDeclaredAgents } from './declared-agent.js';
export { AgentsService } from './agents.service.js';
