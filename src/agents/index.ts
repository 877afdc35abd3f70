export {
  type Agent,
  type AgentBudgets,
  type AgentEndpoint,
  budgetsOf,
  RESERVED_AGENT_IDS,
} from './agent.js';
export { needsCallersToken } from './client/authentication/schemes.js';
export { AgentData } from './registry/agent-data.js';
export type { ConsentKey } from './consents/consent.js';
export { ConsentFailed } from './client/authentication/consent-providers.js';
export { type ConsentPlace, UserConsents } from './client/authentication/user-consents.js';
export { canStream } from './client/can-stream.js';
export {
  AGENT_TOO_LATE,
  type AgentCallback,
  type AgentCallOptions,
  type ConnectionWatch,
  AgentClient,
  type AgentSend,
} from './client/agent-client.js';
export { AgentCallError } from './binding/agent-call-error.js';
export {
  type Admission,
  type AgentCondition,
  AgentHealth,
  type TaskResult,
} from './health/agent-health.js';
export { AgentLoad, type AgentQueue, type QueueAsker } from './health/agent-load.js';
export { type AgentHealthView, AgentMonitor } from './health/agent-monitor.js';
export { AgentDeviations } from './registry/agent-deviations.js';
export { administers, organizationOfAgents } from './registry/administered.js';
export { AgentRegistry, type Audience } from './registry/agent-registry.js';
export type { Requested } from './registry/permitted-agents.js';
export { type AgentFilter, AgentStore } from './registry/agent-store.js';
export { AgentsModule } from './agents.module.js';
export { readDeclaredAgents } from './registration/declared-agent.js';
export { AgentsService } from './registration/agents.service.js';
export { agentTrouble } from './health/agent-trouble.js';
export { UnreadAgents } from './registration/unread-agents.js';
export { AGENT_VERDICTS, type AgentVerdict } from './health/domain/agent-verdict.js';
export { isFaultyRefusal } from './health/domain/health-sign.js';
export { AgentHours, type FailingAgent } from './health/agent-hours.js';
