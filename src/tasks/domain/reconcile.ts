import { Role, TaskState } from '../../protocol/a2a.js';
import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '../../protocol/a2a.js';
import { artifactUpdate, type TaskRef } from '../../protocol/build.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import type { Delegation, TaskAggregate } from '../task.js';
import { isEnded, isWaiting } from './delegation-state.js';
import { sameValue, startsWith } from './equality.js';
import { ownMessageId, realParts, withoutHubKeys } from './own-ids.js';
import { isKnownStatus } from './status-key.js';

/**
 * The events that are missing between what a delegation has given so far and its agent's task as it
 * is now, in the agent's ids and in the order to be decided: messages not shown yet, artifacts,
 * then the status. Nothing when nothing is new, or when the delegation has ended.
 *
 * While the delegation waits for its client, in a status that is known, messages that its agent never streamed are
 * not shown: the question stays the last word.
 *
 * An artifact whose known parts begin the agent's is appended to; any other is given whole. One the
 * agent does not mention stays. In a terminal task every chunk is the last of its artifact.
 */
export function reconcile(
  aggregate: TaskAggregate,
  delegationId: string,
  downstream: Task,
): StreamResponse[] {
  const delegation = aggregate.delegations.find((each) => each.id === delegationId);
  if (!delegation || isEnded(delegation.state)) return [];
  const ref = { taskId: downstream.id, contextId: downstream.contextId };
  const status = statusWithQuestion(downstream);
  const news = missingStatus(aggregate, delegation, downstream, status, ref);
  const stillWaits = isWaiting(delegation.state) && news.length === 0;
  return [
    ...(stillWaits ? [] : missingMessages(aggregate, delegation, downstream, status, ref)),
    ...missingArtifacts(aggregate, delegation, downstream, ref),
    ...news,
  ];
}

/**
 * The status of a whole task, with the message that belongs to it. Some agents keep it only in the
 * history: a question, or the answer of a task that has no artifact, is then the agent's last message.
 */
function statusWithQuestion(task: Task): TaskStatus | undefined {
  const { status } = task;
  if (!status || status.message) return status;
  const last = task.history.at(-1);
  const answer = isTerminal(status.state) && task.artifacts.length === 0;
  if (last?.role !== Role.ROLE_AGENT || !(isInterrupted(status.state) || answer)) return status;
  return { ...status, message: last };
}

/**
 * Messages the agent said since the client's last message and that the hub has not shown, as the
 * progress they were. Only behind a message of this task: a history may begin with the context's.
 */
function missingMessages(
  aggregate: TaskAggregate,
  delegation: Delegation,
  downstream: Task,
  status: TaskStatus | undefined,
  ref: TaskRef,
): StreamResponse[] {
  if (downstream.history.length === 0) return [];
  const { task } = aggregate;
  const shown = new Set(task.history.map((message) => message.messageId));
  // What begins a later step is sent under the delegation's id.
  shown.add(delegation.id);
  const start = downstream.history.findLastIndex(
    ({ role, messageId }) => role === Role.ROLE_USER && shown.has(messageId),
  );
  if (start < 0) return [];
  if (task.status?.message) shown.add(task.status.message.messageId);
  const isNew = ({ role, messageId }: Message): boolean =>
    role === Role.ROLE_AGENT &&
    messageId !== '' &&
    messageId !== status?.message?.messageId &&
    !shown.has(ownMessageId(messageId, delegation, aggregate.delegations));
  return downstream.history
    .slice(start + 1)
    .filter(isNew)
    .map((message) =>
      statusEvent(ref, { state: TaskState.TASK_STATE_WORKING, message, timestamp: undefined }),
    );
}

function missingArtifacts(
  { task, held }: TaskAggregate,
  { progress }: Delegation,
  downstream: Task,
  ref: TaskRef,
): StreamResponse[] {
  if (downstream.artifacts.length === 0) return [];
  const lastChunk = isTerminal(downstream.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
  const given = new Map(
    [...task.artifacts, ...held].map((artifact) => [artifact.artifactId, artifact]),
  );
  const known = new Map(progress.artifacts.map(({ theirs, id }) => [theirs, given.get(id)]));
  const latest = new Map(downstream.artifacts.map((artifact) => [artifact.artifactId, artifact]));
  const missing: StreamResponse[] = [];
  for (const artifact of latest.values()) {
    const chunk = missingChunk(artifact, known.get(artifact.artifactId));
    if (chunk) missing.push({ payload: artifactUpdate(ref, { lastChunk, ...chunk }) });
  }
  return missing;
}

function missingChunk(
  artifact: Artifact,
  known: Artifact | undefined,
): { artifact: Artifact; append: boolean } | undefined {
  const parts = realParts(artifact.parts);
  if (!known || !startsWith(parts, known.parts)) {
    return { artifact: { ...artifact, parts }, append: false };
  }
  const rest = parts.slice(known.parts.length);
  return rest.length === 0 ? undefined : { artifact: { ...artifact, parts: rest }, append: true };
}

function missingStatus(
  aggregate: TaskAggregate,
  delegation: Delegation,
  downstream: Task,
  status: TaskStatus | undefined,
  ref: TaskRef,
): StreamResponse[] {
  if (!status || isKnownStatus(delegation, status)) return [];
  return [statusEvent(ref, status, newMetadata(downstream.metadata, aggregate.task.metadata))];
}

function statusEvent(
  ref: TaskRef,
  status: TaskStatus,
  metadata?: Task['metadata'],
): StreamResponse {
  return { payload: { $case: 'statusUpdate', value: { status, metadata, ...ref } } };
}

/** The agent's metadata of the task that the hub's task does not have yet. */
function newMetadata(theirs: Task['metadata'], ours: Task['metadata']): Task['metadata'] {
  const fresh = Object.entries(withoutHubKeys(theirs) ?? {}).filter(
    ([key, value]) => !sameValue(value, ours?.[key]),
  );
  return fresh.length > 0 ? Object.fromEntries(fresh) : undefined;
}
