import { Role, type Message, type Part, type StreamResponse, type TaskState } from './a2a.js';
import type { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from './a2a.js';

/** What a log entry or one event of a stream carries. */
export type Payload = NonNullable<StreamResponse['payload']>;

/** The ids of the task that a message or an event belongs to. */
export interface TaskRef {
  readonly taskId: string;
  readonly contextId: string;
}

/** A text part. */
export function textPart(text: string): Part {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: '',
  };
}

/** A message of an agent (or of the hub itself) about a task. */
export function agentMessage(
  messageId: string,
  ref: TaskRef,
  parts: Part[] | string,
  metadata?: Record<string, unknown>,
): Message {
  return {
    messageId,
    contextId: ref.contextId,
    taskId: ref.taskId,
    role: Role.ROLE_AGENT,
    parts: typeof parts === 'string' ? [textPart(parts)] : parts,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** A change of status. The time is written with its zone (`Z`): clients refuse it otherwise. */
export function statusUpdate(
  ref: TaskRef,
  state: TaskState,
  at: Date,
  message?: Message,
  metadata?: TaskStatusUpdateEvent['metadata'],
): Payload {
  return {
    $case: 'statusUpdate',
    value: {
      taskId: ref.taskId,
      contextId: ref.contextId,
      status: { state, message, timestamp: at.toISOString() },
      metadata,
    },
  };
}

/** A new artifact, or a chunk of one. */
export function artifactUpdate(
  ref: TaskRef,
  update: Pick<TaskArtifactUpdateEvent, 'artifact' | 'append' | 'lastChunk'> &
    Partial<Pick<TaskArtifactUpdateEvent, 'metadata'>>,
): Payload {
  return {
    $case: 'artifactUpdate',
    value: {
      taskId: ref.taskId,
      contextId: ref.contextId,
      artifact: update.artifact,
      append: update.append,
      lastChunk: update.lastChunk,
      metadata: update.metadata,
    },
  };
}

/** The text parts of a message, joined by line breaks. */
export function textOf(message: Message | undefined): string {
  const texts: string[] = [];
  for (const part of message?.parts ?? []) {
    if (part.content?.$case === 'text') texts.push(part.content.value);
  }
  return texts.join('\n');
}
