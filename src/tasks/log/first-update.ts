import { storable } from '../../database/text.js';
import { TaskState } from '../../protocol/a2a.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import { planOf } from '../../routing/index.js';
import type { StoredTask } from '../task-store.js';
import {
  FIRST_MESSAGE_SEQ,
  type Delegation,
  type NewEvent,
  type NewTask,
  type TaskChange,
  type TaskRecord,
} from '../task.js';

/** A task before its first update: nothing of it is stored, and its version is 0. */
export function unstarted(task: NewTask, now: Date): StoredTask {
  return {
    aggregate: {
      record: firstRecord(task, now),
      task: emptyTask(task.id, task.contextId),
      held: [],
      delegations: [],
    },
    version: 0,
    checkpointSize: 0,
    eventsSince: 0,
    sizeSince: 0,
    storedBytes: 0,
    repeatedSince: 0,
    checkpointValues: 0,
    valuesSince: 0,
  };
}

/** What creates a task: its first two events and its delegations. */
export function firstUpdate(task: NewTask, now: Date): TaskChange {
  return {
    events: firstEvents(task, now),
    begins: task.delegations.map((each) => firstDelegation(each, task, now)),
  };
}

/** The same task with a context id that every database can hold. */
export function normalised(task: NewTask): NewTask {
  const contextId = storable(task.contextId);
  return { ...task, contextId, message: { ...task.message, taskId: task.id, contextId } };
}

function firstEvents(task: NewTask, now: Date): NewEvent[] {
  const submitted = {
    ...emptyTask(task.id, task.contextId),
    status: {
      state: TaskState.TASK_STATE_SUBMITTED,
      message: undefined,
      timestamp: now.toISOString(),
    },
    metadata: { ...task.metadata },
  };
  return [
    { kind: 'task', payload: { $case: 'task', value: submitted } },
    { kind: 'message', payload: { $case: 'message', value: task.message } },
  ];
}

function firstRecord(task: NewTask, now: Date): TaskRecord {
  return {
    id: task.id,
    contextId: task.contextId,
    principalId: task.principal.id,
    organization: task.principal.organization,
    state: TaskState.TASK_STATE_SUBMITTED,
    statusAt: now,
    seq: 0,
    route: task.route,
    plan: planOf(task.route),
    allowReply: task.allowReply,
    cancelRequestedAt: null,
    cancelMetadata: null,
    deadlineAt: task.deadlineAt,
    keyId: task.principal.keyId ?? null,
    traceparent: task.traceparent,
    extensions: task.extensions,
    hops: task.hops,
    acceptedOutputModes: task.acceptedOutputModes,
    requestMetadata: task.requestMetadata,
    createdAt: now,
    updatedAt: now,
  };
}

function firstDelegation(
  delegation: NewTask['delegations'][number],
  { id: taskId, principal }: NewTask,
  now: Date,
): Delegation {
  return {
    id: delegation.id,
    taskId,
    agentId: delegation.agentId,
    agentName: delegation.agentName,
    organization: principal.organization,
    principalId: principal.id,
    skillId: delegation.skillId,
    position: delegation.position,
    step: delegation.step,
    state: delegation.state,
    messageSeq: FIRST_MESSAGE_SEQ,
    calls: 0,
    downstreamTaskId: null,
    downstreamContextId: delegation.downstreamContextId,
    fallbacks: delegation.fallbacks,
    progress: { artifacts: [] },
    reason: null,
    untold: false,
    epoch: 0,
    owner: null,
    leaseUntil: null,
    deadlineAt: delegation.deadlineAt,
    begunAt: delegation.state === 'queued' ? now : null,
    createdAt: now,
    updatedAt: now,
  };
}
