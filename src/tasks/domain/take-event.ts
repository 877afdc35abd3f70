import { merged } from '../../common/merged.js';
import type { IdSource } from '../../common/ids.js';
import { Role, TaskState } from '../../protocol/a2a.js';
import type {
  Message,
  StreamResponse,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from '../../protocol/a2a.js';
import { artifactUpdate, type Payload } from '../../protocol/build.js';
import {
  NO_CHANGE,
  type Delegation,
  type EndCode,
  type TaskAggregate,
  type TaskChange,
} from '../task.js';
import { decideOutcome, openDraft } from './delegation-decisions.js';
import {
  delegationStateOf,
  type EndState,
  isEnded,
  isRunning,
  isWaiting,
  taskStateOf,
} from './delegation-state.js';
import type { Draft } from './draft.js';
import { sameValue } from './equality.js';
import {
  newArtifactId,
  ownArtifact,
  ownMessage,
  ownMessageId,
  withHubData,
  withoutHubKeys,
} from './own-ids.js';
import { withAbandoned } from './abandoned-tasks.js';
import { reconcile } from './reconcile.js';
import { endDelegation } from './end-delegation.js';
import { givenArtifact, refusalOfArtifact, withChunk } from './given-artifacts.js';
import { holdsArtifacts } from './held-artifacts.js';
import { recomputeState } from './recompute-state.js';
import { isRepeatedEvent, lastState, statusKey } from './status-key.js';
import { cancelOf } from './operator-actions.js';
import { namedParts, reasonOf } from './wording.js';

const WORKING = TaskState.TASK_STATE_WORKING;

/** Characters of an agent's id of a task or a context. */
const MAX_ID = 4096;
const TOO_LONG_ID = `the agent sent the id of a task or a context that has more than ${MAX_ID} characters.`;

/** Why an answer is not allowed; undefined when it is. */
type Invalid = string | undefined;

/**
 * What one event of an agent (its own ids, as it came) adds to the hub's task. A whole task is
 * reconciled, so that streams, polls and recovery all come through here. An answer that A2A does not
 * allow fails the delegation (InvalidAgentResponse). Events of a delegation that has ended, or of a
 * task that has, add nothing.
 */
export function decideAgentEvent(
  aggregate: TaskAggregate,
  delegationId: string,
  event: StreamResponse,
  now: Date,
  ids: IdSource,
): TaskChange {
  const open = openDraft(aggregate, delegationId, now);
  if (!open || !event.payload) return NO_CHANGE;
  const invalid = takeEvent(open.draft, open.delegation, event.payload, ids);
  if (invalid === undefined) return open.draft.change();
  return decideOutcome(
    aggregate,
    delegationId,
    {
      state: 'failed',
      reason: `InvalidAgentResponse: ${invalid}`,
      code: 'INVALID_AGENT_RESPONSE',
    },
    now,
  );
}

/** Adds what an agent's event means to the draft, or returns why it is an invalid agent response. */
function takeEvent(draft: Draft, delegation: Delegation, payload: Payload, ids: IdSource): Invalid {
  if (payload.$case === 'message') {
    return isProgress(delegation, payload.value)
      ? takeProgress(draft, delegation, payload.value, ids)
      : takeReply(draft, delegation, payload.value, ids);
  }
  const taskId = payload.$case === 'task' ? payload.value.id : payload.value.taskId;
  const invalid = accept(draft, delegation, taskId, payload.value.contextId);
  if (invalid !== undefined) return invalid;
  if (payload.$case === 'task') forgetMissed(draft, delegation.id);
  const updates =
    payload.$case === 'task'
      ? reconcile(draft.aggregate, delegation.id, payload.value).map((each) => each.payload)
      : [payload];
  for (const update of updates) {
    if (update?.$case === 'statusUpdate') takeStatus(draft, delegation.id, update.value, ids);
    if (update?.$case !== 'artifactUpdate') continue;
    const refused = takeArtifact(draft, delegation.id, update.value);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/**
 * The agent works on a task: learns its ids and that the message was accepted. Some agents open another task of
 * the same context for every message, so the first answer to a message may change the id; the task before is
 * then abandoned, and to be canceled with the agent.
 */
function accept(draft: Draft, delegation: Delegation, taskId: string, contextId: string): Invalid {
  if (taskId.length > MAX_ID || contextId.length > MAX_ID) return TOO_LONG_ID;
  const first = delegation.state === 'sending';
  const known = delegation.downstreamTaskId;
  if (known !== null && taskId !== '' && taskId !== known && !first) {
    return 'the agent sent an event of another task.';
  }
  if (first) {
    const { pending, ...progress } = delegation.progress;
    const [next, ...later] = pending ?? [];
    draft.patch(delegation.id, {
      reason: null,
      ...(next === undefined
        ? { state: 'working' }
        : {
            state: 'queued',
            messageSeq: next,
            // What else comes behind this answer is not heard.
            progress: {
              ...progress,
              mayHaveMissed: true,
              ...(later.length > 0 && { pending: later }),
            },
            owner: null,
            leaseUntil: null,
          }),
    });
  }
  if (taskId !== '' && taskId !== known) {
    const { progress } = draft.delegation(delegation.id) ?? delegation;
    draft.patch(delegation.id, {
      downstreamTaskId: taskId,
      ...(known !== null && { progress: withAbandoned(progress, known, taskId) }),
    });
  }
  if (contextId !== '' && contextId !== delegation.downstreamContextId) {
    draft.patch(delegation.id, { downstreamContextId: contextId });
  }
  return undefined;
}

/** The whole task has come. Another message that waits to be sent goes to an agent that may say more meanwhile. */
function forgetMissed(draft: Draft, delegationId: string): void {
  const { state, progress } = draft.delegation(delegationId) ?? {};
  if (progress?.mayHaveMissed === undefined || state === 'queued') return;
  const { mayHaveMissed: _, ...rest } = progress;
  draft.patch(delegationId, { progress: rest });
}

/** Some agents report the progress of a task in messages that carry its id. */
function isProgress({ state, downstreamTaskId }: Delegation, { taskId }: Message): boolean {
  return state !== 'sending' && taskId !== '' && taskId === downstreamTaskId;
}

/** Each is an event of its own, also one with the same content: they are pieces of a text. */
function takeProgress(
  draft: Draft,
  { id, state }: Delegation,
  said: Message,
  ids: IdSource,
): Invalid {
  const message = { ...said, role: Role.ROLE_AGENT };
  // A delegation that waits for an answer still does.
  const status = {
    state: isWaiting(state) ? taskStateOf(state) : WORKING,
    message,
    timestamp: undefined,
  };
  takeStatus(draft, id, { taskId: '', contextId: '', status, metadata: undefined }, ids, true);
  return undefined;
}

/** A plain Message is the whole answer: the sender's reply, or else an artifact. */
function takeReply(draft: Draft, delegation: Delegation, message: Message, ids: IdSource): Invalid {
  if (delegation.state === 'queued') return undefined;
  if (delegation.state !== 'sending') return 'the agent sent a message after a task.';
  const contextId = message.contextId;
  if (contextId.length > MAX_ID) return TOO_LONG_ID;
  if (contextId !== '' && contextId !== delegation.downstreamContextId) {
    draft.patch(delegation.id, { downstreamContextId: contextId });
  }
  const own = ownMessage(message, draft.ref, delegation, ids);
  const asReply = draft.aggregate.record.allowReply && delegation.downstreamTaskId === null;
  if (asReply && !draft.several) {
    const value = { ...own, role: Role.ROLE_AGENT, taskId: '', referenceTaskIds: [] };
    draft.emit('reply', { $case: 'message', value });
  }
  if (own.parts.length > 0) {
    const refused = takeArtifact(draft, delegation.id, {
      taskId: '',
      contextId: '',
      artifact: {
        artifactId: own.messageId,
        name: '',
        description: '',
        parts: own.parts,
        metadata: own.metadata,
        extensions: own.extensions,
      },
      append: false,
      lastChunk: true,
      metadata: undefined,
    });
    if (refused !== undefined) return refused;
  }
  const status = {
    state: TaskState.TASK_STATE_COMPLETED,
    message: undefined,
    timestamp: undefined,
  };
  takeStatus(draft, delegation.id, { taskId: '', contextId: '', status, metadata: undefined }, ids);
  return undefined;
}

function takeArtifact(
  draft: Draft,
  delegationId: string,
  update: TaskArtifactUpdateEvent,
): Invalid {
  const delegation = draft.delegation(delegationId);
  if (!delegation || !update.artifact) return undefined;
  const theirs = update.artifact;
  const known = givenArtifact(delegation.progress, theirs.artifactId);
  const refused = known ? undefined : refusalOfArtifact(delegation.progress, theirs.artifactId);
  if (refused !== undefined) return refused;
  const id = known?.id ?? newArtifactId(theirs.artifactId, delegation, draft.delegations());
  const append = update.append && known !== undefined;
  const progress = withChunk(delegation.progress, theirs.artifactId, id, update.lastChunk);
  if (progress !== delegation.progress) draft.patch(delegationId, { progress });
  const artifact = ownArtifact(theirs, id, append ? undefined : draft.originOf(delegation));
  draft.emit(
    holdsArtifacts(draft.stepOf(delegation)) ? 'held' : 'artifact',
    artifactUpdate(draft.ref, {
      artifact,
      append,
      lastChunk: update.lastChunk,
      metadata: withoutHubKeys(update.metadata),
    }),
  );
  return undefined;
}

function takeStatus(
  draft: Draft,
  delegationId: string,
  { status, metadata }: TaskStatusUpdateEvent,
  ids: IdSource,
  isNews = false,
): void {
  const delegation = draft.delegation(delegationId);
  const said = status && delegationStateOf(status.state);
  if (!delegation || isEnded(delegation.state) || !status || said === undefined) return;
  const news = draft.several ? undefined : newsOf(draft, metadata);
  if (!isNews && !news && isRepeatedEvent(delegation, status)) return;
  // What comes while the client's next message waits to be sent is progress: the answer is about to be sent.
  const awaited = delegation.state === 'queued' && !isEnded(said) ? 'queued' : said;
  // A task that is being canceled takes no answer.
  const isPointless =
    awaited === 'input-required' && draft.aggregate.record.cancelRequestedAt !== null;
  const state = isPointless ? 'canceled' : awaited;
  const message = isPointless
    ? canceledMessage(draft)
    : status.message && ownMessage(status.message, draft.ref, delegation, ids);
  const begins = status.state === WORKING && lastState(delegation.progress) !== WORKING;
  const change = { state, message, news, begins };
  if (isEnded(state)) {
    const reason = state === 'completed' ? null : reasonOf(message);
    const code = endCodeOf(draft, state);
    endDelegation(draft, delegation, { state, reason, code, agentNotified: !isPointless });
  } else {
    draft.patch(delegationId, {
      state,
      progress: merged(delegation.progress, { lastStatus: statusKey(status) }),
      ...(isWaiting(state) && { reason: reasonOf(message) }),
      ...(state === 'working' && delegation.reason !== null && { reason: null }),
    });
  }
  if (draft.several) showProgress(draft, delegation, change, metadata);
  else showStatus(draft, status, change);
}

/** Null for a completed one. An agent that was to cancel, and has, has not canceled by itself. */
function endCodeOf({ aggregate: { record } }: Draft, state: EndState): EndCode | null {
  if (state === 'canceled' && record.cancelRequestedAt !== null) {
    return cancelOf(record.cancelMetadata).code;
  }
  return CODE_OF_END[state];
}

/** By the word of the agent. */
const CODE_OF_END: Readonly<Record<EndState, EndCode | null>> = {
  completed: null,
  failed: 'AGENT_FAILED',
  rejected: 'AGENT_REJECTED',
  canceled: 'AGENT_CANCELED',
  skipped: null,
};

function canceledMessage(draft: Draft): Message {
  return draft.say(cancelOf(draft.aggregate.record.cancelMetadata).reason);
}

interface StatusChange {
  readonly state: Delegation['state'];
  readonly message: Message | undefined;
  /** Metadata of the event that the task does not have yet. */
  readonly news: Record<string, unknown> | undefined;
  /** The agent says for the first time (or again, after something else) that it works. */
  readonly begins: boolean;
}

/** The only agent's status is the task's, but never goes back to submitted and never repeats. */
function showStatus(
  draft: Draft,
  status: TaskStatus,
  { state, message, news }: StatusChange,
): void {
  const submitted = status.state === TaskState.TASK_STATE_SUBMITTED;
  const shown =
    submitted && draft.state === TaskState.TASK_STATE_SUBMITTED
      ? TaskState.TASK_STATE_SUBMITTED
      : taskStateOf(state);
  if (shown === draft.state && !message && !news) return;
  draft.emitStatus(shown, message, news);
}

/** Among several agents a status of one is progress of the whole, with its name; then the task's state is recomputed. */
function showProgress(
  draft: Draft,
  delegation: Delegation,
  { state, message, begins }: StatusChange,
  metadata: TaskStatusUpdateEvent['metadata'],
): void {
  const named = message && {
    ...message,
    messageId: ownMessageId(message.messageId, delegation, draft.delegations()),
    parts: namedParts(delegation.agentName, message, ''),
    metadata: withHubData(
      { ...message.metadata, ...withoutHubKeys(metadata) },
      { state, ...draft.originOf(delegation) },
    ),
  };
  if (isWaiting(state) && named) draft.addQuestion(delegation.id, named);
  const others = draft
    .delegations()
    .some((each) => each.id !== delegation.id && isRunning(each.state));
  if (named && !(isWaiting(state) && !others)) draft.emitStatus(WORKING, named);
  else if (!named && (isEnded(state) || (begins && state === 'working'))) {
    draft.emitStatus(WORKING, progressOf(draft, delegation, state));
  }
  // An agent that worked and still works advances no step; agents report that often.
  const before = draft.aggregate.delegations.find(({ id }) => id === delegation.id)?.state;
  if (state === before && isRunning(state) && draft.state === WORKING) return;
  recomputeState(draft, { asks: isWaiting(state) });
}

function progressOf(draft: Draft, delegation: Delegation, state: Delegation['state']): Message {
  const words = state === 'working' ? 'is working.' : `${state}.`;
  const hubData = { state, ...draft.originOf(delegation) };
  return draft.say(`${delegation.agentName} ${words}`, withHubData(undefined, hubData));
}

/** The event's metadata that the task does not have yet. */
function newsOf(
  draft: Draft,
  metadata: TaskStatusUpdateEvent['metadata'],
): Record<string, unknown> | undefined {
  const theirs = withoutHubKeys(metadata);
  const ours = draft.aggregate.task.metadata;
  return theirs && Object.entries(theirs).some(([key, value]) => !sameValue(value, ours?.[key]))
    ? theirs
    : undefined;
}
