import type { AgentCallOptions } from '../../agents/index.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { TaskTokens } from '../store/task-tokens.js';
import type { Delegation, SentWith, TaskRecord } from '../task.js';

/** What calls to agents need of the hub. */
export interface CallSources {
  readonly instanceId: string;
  readonly tokens: Pick<TaskTokens, 'of'>;
}

/** The hubs that the messages of a task have passed, this one (`instanceId`) included. */
export function hopsOf(record: TaskRecord, instanceId: string): readonly string[] {
  return [...record.hops, instanceId];
}

/** What every call to an agent carries beside its arguments, whatever it asks. */
export function agentCallOptions(
  record: TaskRecord,
  { downstreamContextId }: Pick<Delegation, 'downstreamContextId'>,
  sentWith: SentWith,
  { instanceId, tokens }: CallSources,
  signal: AbortSignal,
): AgentCallOptions {
  const { id: taskId, contextId, principalId, organization, chain, traceparent } = record;
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
    ...(traceparent !== null && { traceparent }),
    extensions: sentWith.extensions.filter((uri) => uri !== ROUTING_EXTENSION_URI),
    hops: hopsOf(record, instanceId),
  };
}
