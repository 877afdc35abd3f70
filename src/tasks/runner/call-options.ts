import type { AgentCallOptions } from '../../agents/index.js';
import type { Tracing } from '../../common/tracing/tracing.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { TaskTokens } from '../store/task-tokens.js';
import type { Delegation, SentWith, TaskRecord } from '../task.js';

/** What calls to agents need of the hub. */
export interface CallSources {
  readonly instanceId: string;
  readonly tokens: Pick<TaskTokens, 'of'>;
  readonly tracing: Pick<Tracing, 'isOn' | 'within'>;
}

/** The hubs that the messages of a task have passed, this one (`instanceId`) included. */
export function hopsOf(record: TaskRecord, instanceId: string): readonly string[] {
  return [...record.hops, instanceId];
}

/** What every call to an agent carries beside its arguments, whatever it asks. */
export function agentCallOptions(
  record: TaskRecord,
  { id: delegationId, downstreamContextId }: Pick<Delegation, 'id' | 'downstreamContextId'>,
  sentWith: SentWith,
  { instanceId, tokens, tracing }: CallSources,
  signal: AbortSignal,
): AgentCallOptions {
  const { id: taskId, contextId, principalId, organization, chain } = record;
  const { traceparent, tracestate } = record;
  return {
    signal,
    caller: {
      principalId,
      organization,
      chain,
      token: () => tokens.of(taskId),
      taskId,
      contextId,
    },
    ...(downstreamContextId !== null && { contextId: downstreamContextId }),
    ...(traceparent !== null && {
      traceparent: tracing.isOn ? tracing.within(traceparent, delegationId) : traceparent,
    }),
    ...(tracestate !== null && { tracestate }),
    extensions: sentWith.extensions.filter((uri) => uri !== ROUTING_EXTENSION_URI),
    hops: hopsOf(record, instanceId),
  };
}
