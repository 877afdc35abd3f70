import type { AgentSend } from '../../agents/index.js';
import { EVERYTHING } from '../../auth/index.js';
import { Role, StreamResponse, type Message } from '../../protocol/a2a.js';
import { withHops } from '../../protocol/hops.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { wireOf } from '../../protocol/wire-json.js';
import { policyOf } from '../../routing/index.js';
import { withoutHubKeys } from '../domain/own-ids.js';
import { firstMessage } from '../domain/step-input.js';
import type { TaskLog } from '../log/task-log.js';
import { FIRST_MESSAGE_SEQ, type Delegation, type SentWith, type TaskAggregate } from '../task.js';
import { referencesFor } from './references.js';
import type { RunContext } from './run-context.js';

/** A client's message and what came with it. */
export interface ClientMessage {
  readonly message: Message;
  readonly sentWith: SentWith;
}

/**
 * The message that the delegation must send: at first the client's, or what its step makes of it and of
 * earlier steps; then the client's further ones, as they are in the log. The same at every call.
 */
export async function messageToSend(
  log: TaskLog,
  aggregate: TaskAggregate,
  delegation: Delegation,
): Promise<ClientMessage> {
  const { task, record } = aggregate;
  const { taskId, messageSeq } = delegation;
  const first = task.history[0];
  if (messageSeq === FIRST_MESSAGE_SEQ && first) {
    return { message: firstMessage(aggregate, delegation, first), sentWith: record };
  }
  const [event] = await log.events(taskId, messageSeq - 1, 1);
  const body = event && ((await wireOf(event.body)) as { sentWith?: SentWith });
  const payload = body && StreamResponse.fromJSON(body).payload;
  if (payload?.$case !== 'message') throw new Error(`log entry ${messageSeq} is not a message`);
  return { message: payload.value, sentWith: body?.sentWith ?? record };
}

/** The message of a run, read from the log: a run that waits for its agent or its client keeps none in memory. */
export async function messageOf(run: RunContext): Promise<Message> {
  return (await messageAmongOthers(run)).message;
}

/** The message of a run as {@link messageOf} gives it, and the ids under which the agent may have got others before it. */
export async function messageAmongOthers({
  deps,
  record,
  delegation,
}: RunContext): Promise<{ readonly message: Message; readonly others: ReadonlySet<string> }> {
  const aggregate = await deps.log.read(record.id, EVERYTHING);
  if (!aggregate) throw new Error(`task ${record.id} is gone`);
  const { message } = await messageToSend(deps.log, aggregate, delegation);
  const clients = aggregate.task.history.filter(({ role }) => role === Role.ROLE_USER);
  const others = new Set([delegation.id, ...clients.map(({ messageId }) => messageId)]);
  others.delete(message.messageId);
  return { message, others };
}

/**
 * The message as the agent gets it: the client's own id, parts, metadata and extensions; the agent's
 * task and context ids; of the hub's own keys only the hubs it has passed.
 */
export async function outgoing(run: RunContext, message: Message): Promise<AgentSend> {
  const { sentWith } = run;
  const references = await referencesFor(run, message.referenceTaskIds);
  return {
    message: {
      ...message,
      parts: [...message.parts, ...references.parts],
      taskId: run.delegation.downstreamTaskId ?? '',
      contextId: (await downstreamContext(run)) ?? '',
      metadata: withoutHubKeys(message.metadata),
      extensions: message.extensions.filter((uri) => uri !== ROUTING_EXTENSION_URI),
      referenceTaskIds: [...references.taskIds],
    },
    metadata: withHops(withoutHubKeys(sentWith.requestMetadata ?? undefined), run.hops),
    acceptedOutputModes: sentWith.acceptedOutputModes,
  };
}

/**
 * Looked up when the task was made. After a failover it is another agent's, and an earlier step may have
 * begun one with the agent of a later step, so look again.
 */
async function downstreamContext({
  deps,
  agent,
  delegation,
  record,
}: RunContext): Promise<string | null | undefined> {
  const step = record.plan[delegation.step];
  const asPlanned =
    step?.after.length === 0 &&
    (policyOf(step.strategy).fansOut || step.chosen[0]?.agentId === delegation.agentId);
  if (delegation.downstreamContextId !== null || asPlanned) return delegation.downstreamContextId;
  const registrations = deps.registry.registrationsOf(agent);
  return deps.contexts.downstream(record.contextId, record, agent.id, registrations);
}
