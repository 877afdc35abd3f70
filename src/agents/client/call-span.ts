import type { Span, Tracing } from '../../common/tracing/tracing.js';
import {
  ATTR,
  EVENT,
  RPC_OF_GRPC,
  RPC_OF_JSON,
  SPAN,
} from '../../observability/tracing/span-names.js';
import { type StreamResponse, TaskState } from '../../protocol/a2a.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import type { AgentCallError } from '../binding/agent-call-error.js';
import type { AgentMethod } from '../binding/agent-method.js';
import type { Binding } from '../binding/binding.js';
import { bindingOf } from '../binding/bindings.js';
import type { AgentCallOptions } from './agent-client.js';

const SYSTEMS: Readonly<Record<string, string>> = { GRPC: RPC_OF_GRPC, JSONRPC: RPC_OF_JSON };

/** The span of one call at an interface of an agent; undefined where its trace is not recorded. */
export function beginCallSpan(
  tracing: Pick<Tracing, 'begin'>,
  method: AgentMethod,
  agent: Pick<Agent, 'id' | 'card'>,
  { url, protocolBinding, protocolVersion }: AgentEndpoint,
  { traceparent, caller }: AgentCallOptions,
): Span | undefined {
  const span = tracing.begin(traceparent, SPAN.call(method), 'client');
  if (span === undefined) return undefined;
  span.set(ATTR.RPC_SYSTEM, SYSTEMS[protocolBinding]);
  span.set(ATTR.RPC_METHOD, method);
  noteAddress(span, bindingOf(protocolBinding), url);
  span.set(ATTR.BINDING, protocolBinding);
  span.set(ATTR.PROTOCOL_VERSION, protocolVersion);
  span.set(ATTR.GEN_AI_AGENT_ID, agent.id);
  span.set(ATTR.GEN_AI_AGENT_NAME, agent.card.name || agent.id);
  span.set(ATTR.GEN_AI_CONVERSATION, caller?.contextId);
  span.set(ATTR.TASK_ID, caller?.taskId);
  return span;
}

function noteAddress(span: Span, binding: Binding, written: string): void {
  const [address] = binding.urls(written);
  if (address === undefined) return;
  const { protocol, hostname, port } = new URL(address);
  // An address of gRPC is a host and a port, without a scheme.
  if (binding.isOverHttp) span.set(ATTR.URL_SCHEME, protocol.slice(0, -1));
  span.set(ATTR.SERVER_ADDRESS, hostname);
  span.set(ATTR.SERVER_PORT, port === '' ? null : Number(port));
}

/** What `prepare` gives. Where it throws, the call is not made, and its span is over. */
export function endingIfThrown<T>(span: Span | undefined, prepare: () => T): T {
  try {
    return prepare();
  } catch (error) {
    span?.end('internal');
    throw error;
  }
}

/** Notes an event of the agent by its kind and the state it reports; nothing of its contents. */
export function noteEvent(span: Span, { payload }: StreamResponse): void {
  const state =
    payload?.$case === 'task' || payload?.$case === 'statusUpdate'
      ? payload.value.status?.state
      : undefined;
  span.event(EVENT.of(payload?.$case ?? 'unknown'), stateOf(state));
}

export function failCallSpan(span: Span | undefined, { kind, detail }: AgentCallError): void {
  if (span === undefined) return;
  span.set(ATTR.HTTP_STATUS, detail.httpStatus);
  span.set(ATTR.RPC_STATUS, detail.code === undefined ? null : String(detail.code));
  span.end(kind);
}

function stateOf(state: TaskState | undefined): Readonly<Record<string, string>> {
  return state === undefined ? {} : { [ATTR.TASK_STATE]: TaskState[state] };
}
