/**
 * Every name that the hub's spans use, and the only place for them. Experimental: the conventions for HTTP, RPC and errors are
 * stable, those for generative AI (`gen_ai.*`) and for A2A (`a2a.*`) are being written, and names follow them.
 */
export const SPAN = {
  ROUTE: 'a2a.route',
  WEBHOOK: 'a2a.webhook',
  /** What the GenAI conventions call a span of an agent's work. */
  invokeAgent: (agentName: string): string => `invoke_agent ${agentName}`,
  /** Of a call to an agent: the operation of A2A. */
  call: (method: string): string => `a2a.${method}`,
  http: (method: string, route: string): string => `${method} ${route}`,
} as const;

/** Names of attributes. */
export const ATTR = {
  // HTTP, stable: opentelemetry.io/docs/specs/semconv/http/http-spans
  HTTP_METHOD: 'http.request.method',
  HTTP_ROUTE: 'http.route',
  HTTP_STATUS: 'http.response.status_code',
  SERVER_ADDRESS: 'server.address',
  SERVER_PORT: 'server.port',
  URL_SCHEME: 'url.scheme',
  // opentelemetry.io/docs/specs/semconv/rpc
  RPC_SYSTEM: 'rpc.system.name',
  RPC_METHOD: 'rpc.method',
  RPC_STATUS: 'rpc.response.status_code',
  // opentelemetry.io/docs/specs/semconv/registry/attributes/error, stable
  ERROR_TYPE: 'error.type',
  // github.com/open-telemetry/semantic-conventions-genai
  GEN_AI_OPERATION: 'gen_ai.operation.name',
  GEN_AI_AGENT_ID: 'gen_ai.agent.id',
  GEN_AI_AGENT_NAME: 'gen_ai.agent.name',
  GEN_AI_CONVERSATION: 'gen_ai.conversation.id',
  // A2A
  REQUEST_ID: 'a2a.hub.request.id',
  OPERATION: 'a2a.operation',
  PROTOCOL_VERSION: 'a2a.protocol.version',
  BINDING: 'a2a.protocol.binding',
  TASK_ID: 'a2a.task.id',
  TASK_STATE: 'a2a.task.state',
  DELEGATION_ID: 'a2a.delegation.id',
  DELEGATION_STATE: 'a2a.delegation.state',
  DELEGATION_CALLS: 'a2a.delegation.calls',
  SKILL_ID: 'a2a.skill.id',
  ROUTE_REASON: 'a2a.route.reason',
  ROUTE_STRATEGY: 'a2a.route.strategy',
  ROUTE_RULE: 'a2a.route.rule.id',
  ROUTE_AGENTS: 'a2a.route.agents',
  ROUTE_SKIPPED: 'a2a.route.skipped.count',
  STEP: 'a2a.route.step',
  ERROR_REASON: 'a2a.error.reason',
  WEBHOOK_ID: 'a2a.webhook.id',
  WEBHOOK_SEQ: 'a2a.webhook.sequence',
  WEBHOOK_ATTEMPT: 'a2a.webhook.attempt',
} as const;

/** Names of what happens in a span. */
export const EVENT = {
  /** The agent has sent an event of this kind. */
  of: (kind: string): string => `a2a.event.${kind}`,
} as const;

export const INVOKE_AGENT = 'invoke_agent';
export const RPC_OF_GRPC = 'grpc';
export const RPC_OF_JSON = 'jsonrpc';
