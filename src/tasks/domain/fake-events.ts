import { Role, TaskState } from '../../protocol/a2a.js';
import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '../../protocol/a2a.js';
import { agentMessage, textPart } from '../../protocol/build.js';
import { emptyTask } from '../../protocol/task-reducer.js';

export function userMessage(messageId: string, text: string): Message {
  const message = agentMessage(messageId, { taskId: 'task', contextId: 'context' }, text);
  return { ...message, role: Role.ROLE_USER };
}

/** Ids as the agent uses them. */
const THEIRS = { taskId: 'down-task', contextId: 'down-context' };

export function said(text: string, messageId = `msg-${text}`): Message {
  return agentMessage(messageId, THEIRS, text);
}

export function status(
  state: keyof typeof STATES,
  message?: Message | string,
  taskId = THEIRS.taskId,
): StreamResponse {
  return {
    payload: {
      $case: 'statusUpdate',
      value: {
        taskId,
        contextId: THEIRS.contextId,
        status: statusOf(state, message),
        metadata: undefined,
      },
    },
  };
}

export function statusOf(state: keyof typeof STATES, message?: Message | string): TaskStatus {
  return {
    state: STATES[state],
    message: typeof message === 'string' ? said(message) : message,
    timestamp: undefined,
  };
}

export function chunk(
  artifactId: string,
  text: string,
  { append = false, lastChunk = false } = {},
): StreamResponse {
  return {
    payload: {
      $case: 'artifactUpdate',
      value: {
        ...THEIRS,
        artifact: artifact(artifactId, text),
        append,
        lastChunk,
        metadata: undefined,
      },
    },
  };
}

export function artifact(artifactId: string, ...texts: string[]): Artifact {
  return {
    artifactId,
    name: '',
    description: '',
    parts: texts.map(textPart),
    metadata: undefined,
    extensions: [],
  };
}

export function snapshot(
  fields: Partial<Omit<Task, 'status'>> & { status: TaskStatus },
): StreamResponse {
  const value = { ...emptyTask(THEIRS.taskId, THEIRS.contextId), ...fields };
  return { payload: { $case: 'task', value } };
}

export function reply(text: string): StreamResponse {
  return { payload: { $case: 'message', value: said(text) } };
}

const STATES = {
  unspecified: TaskState.TASK_STATE_UNSPECIFIED,
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input: TaskState.TASK_STATE_INPUT_REQUIRED,
  auth: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  rejected: TaskState.TASK_STATE_REJECTED,
} as const;
