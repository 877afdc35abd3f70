import type { Message } from '../../protocol/a2a.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import type { StoredTask } from '../store/task-store.js';
import {
  FIRST_MESSAGE_SEQ,
  type Delegation,
  type NewDelegation,
  type TaskChange,
  type TaskRecord,
} from '../task.js';

/** A task before its first update: nothing of it is stored, and its version is 0. */
export function unstarted(record: TaskRecord): StoredTask {
  return {
    aggregate: {
      record,
      task: emptyTask(record.id, record.contextId),
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

/** What creates a task: the task itself with its metadata, the client's message, and the delegations. */
export function firstUpdate(
  record: TaskRecord,
  message: Message,
  metadata: Readonly<Record<string, unknown>>,
  delegations: readonly NewDelegation[],
): TaskChange {
  const { id, contextId, state, createdAt } = record;
  const task = {
    ...emptyTask(id, contextId),
    status: { state, message: undefined, timestamp: createdAt.toISOString() },
    metadata: { ...metadata },
  };
  return {
    events: [
      { kind: 'task', payload: { $case: 'task', value: task } },
      {
        kind: 'message',
        payload: { $case: 'message', value: { ...message, taskId: id, contextId } },
      },
    ],
    begins: delegations.map((each) => firstDelegation(each, record)),
  };
}

function firstDelegation(
  delegation: NewDelegation,
  { id: taskId, organization, principalId, createdAt }: TaskRecord,
): Delegation {
  return {
    ...delegation,
    taskId,
    organization,
    principalId,
    messageSeq: FIRST_MESSAGE_SEQ,
    calls: 0,
    downstreamTaskId: null,
    progress: { artifacts: [] },
    reason: null,
    cancelPending: false,
    epoch: 0,
    owner: null,
    leaseUntil: null,
    begunAt: delegation.state === 'queued' ? createdAt : null,
    createdAt,
    updatedAt: createdAt,
  };
}
