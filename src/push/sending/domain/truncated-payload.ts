import type { Payload } from '../../../protocol/build.js';
import type { Artifact, Task } from '../../../protocol/a2a.js';

/** Where what the hub says of a body (that it is shortened, that it is a test) sits in its metadata. */
export const PUSH_EXTENSION_URI = 'urn:a2a-hub:push:v1';

export interface TruncationMark {
  /** The body was truncated; `getTask` returns the whole task. */
  readonly thin: true;
  /** Bytes the whole body would have had, at least. */
  readonly bytes: number;
  /** Absent when the hub does not know its public address. */
  readonly getTask?: TaskReference;
}

/** The JSON-RPC call that gets a task, in the protocol version of the webhook. */
export interface TaskReference {
  /** Where to post it. */
  readonly url: string;
  readonly method: 'GetTask' | 'tasks/get';
  /** The parameter `id`. */
  readonly id: string;
}

/**
 * What is sent instead of a body that is too large: still a valid Task or StreamResponse, without
 * history and with artifacts that have no parts, marked in its metadata. `bare` also leaves out status
 * messages, artifacts and all other metadata, for tasks that are too large even so.
 */
export function truncatedPayload(payload: Payload, mark: TruncationMark, bare = false): Payload {
  switch (payload.$case) {
    case 'task':
      return { $case: 'task', value: truncatedTask(payload.value, mark, bare) };
    case 'statusUpdate': {
      const { status } = payload.value;
      return {
        $case: 'statusUpdate',
        value: {
          ...payload.value,
          status: status && { ...status, message: undefined },
          metadata: marked(bare ? undefined : payload.value.metadata, mark),
        },
      };
    }
    case 'artifactUpdate': {
      const { artifact } = payload.value;
      return {
        $case: 'artifactUpdate',
        value: {
          ...payload.value,
          artifact: artifact && withoutParts(artifact, bare),
          metadata: marked(bare ? undefined : payload.value.metadata, mark),
        },
      };
    }
    case 'message':
      return {
        $case: 'message',
        value: { ...payload.value, parts: [], metadata: marked(undefined, mark) },
      };
  }
}

function truncatedTask(task: Task, mark: TruncationMark, bare: boolean): Task {
  const { status } = task;
  return {
    ...task,
    status: status && bare ? { ...status, message: undefined } : status,
    artifacts: bare ? [] : task.artifacts.map((artifact) => withoutParts(artifact, false)),
    history: [],
    metadata: marked(bare ? undefined : task.metadata, mark),
  };
}

function withoutParts(artifact: Artifact, bare: boolean): Artifact {
  if (!bare) return { ...artifact, parts: [] };
  return { ...artifact, parts: [], description: '', metadata: undefined, extensions: [] };
}

function marked(metadata: Task['metadata'], mark: TruncationMark): Record<string, unknown> {
  return { ...metadata, [PUSH_EXTENSION_URI]: mark };
}
