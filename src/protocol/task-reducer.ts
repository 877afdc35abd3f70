import { TaskState } from './a2a.js';
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatus } from './a2a.js';
import type { Payload } from './build.js';
import { isTerminal } from './task-state.js';

/** A task that nothing has happened to. */
export function emptyTask(id: string, contextId: string): Task {
  return {
    id,
    contextId,
    status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
    artifacts: [],
    history: [],
    metadata: undefined,
  };
}

/**
 * Adds one event to a task: the only place that knows what an event does to a task, used by the
 * store, the streams, the aggregation and the recovery.
 *
 * It consumes the task it is given: changes it in place and returns it, so that a chunk costs the
 * same however large the task has become. Take {@link cloneTask} first to keep the old one. The
 * payload is never changed, and shares only its parts and messages with the task.
 *
 * - A status replaces the status; the message of the one before goes into the history.
 * - A chunk goes to the end of its artifact; for an artifact nobody has heard of it begins one.
 * - A message (of the client) goes into the history unchanged, after the status message it answers.
 *   A `reply` is for its sender only and changes nothing.
 * - A whole task replaces the artifacts it has and leaves those it does not mention.
 * - A terminal task stays as it is (A2A §4.1.3).
 */
export function applyEvent(task: Task, payload: Payload, kind?: string): Task {
  if (kind === 'reply' || isTerminal(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED)) {
    return task;
  }
  switch (payload.$case) {
    case 'statusUpdate':
      if (payload.value.status) setStatus(task, payload.value.status);
      mergeMetadata(task, payload.value.metadata);
      return task;
    case 'artifactUpdate':
      addChunk(task, payload.value);
      return task;
    case 'message':
      setAsideStatusMessage(task);
      task.history.push(payload.value);
      return task;
    case 'task':
      return mergeTask(task, payload.value);
  }
}

/**
 * A copy that later events of the original do not change: what can change is copied, what never
 * does (parts, messages, statuses, metadata) is shared.
 */
export function cloneTask(task: Task): Task {
  return { ...task, artifacts: task.artifacts.map(cloneArtifact), history: [...task.history] };
}

function cloneArtifact(artifact: Artifact): Artifact {
  return { ...artifact, parts: [...artifact.parts] };
}

function setStatus(task: Task, status: TaskStatus): void {
  setAsideStatusMessage(task);
  task.status = status;
}

/** The status message has been followed by something: it is history now. */
function setAsideStatusMessage(task: Task): void {
  if (!task.status?.message) return;
  task.history.push(task.status.message);
  task.status = { ...task.status, message: undefined };
}

function mergeMetadata(target: { metadata: Task['metadata'] }, more: Task['metadata']): void {
  if (more && Object.keys(more).length > 0) target.metadata = { ...target.metadata, ...more };
}

function addChunk(task: Task, update: TaskArtifactUpdateEvent): void {
  const chunk = update.artifact;
  if (!chunk) return;
  const index = indexOfArtifact(task.artifacts, chunk.artifactId);
  const known = task.artifacts[index];
  if (!known) {
    task.artifacts.push(cloneArtifact(chunk));
  } else if (update.append) {
    for (const part of chunk.parts) known.parts.push(part);
    if (chunk.name) known.name = chunk.name;
    if (chunk.description) known.description = chunk.description;
    mergeMetadata(known, chunk.metadata);
    addExtensions(known, chunk.extensions);
  } else {
    task.artifacts[index] = cloneArtifact(chunk);
  }
}

function addExtensions(artifact: Artifact, more: readonly string[]): void {
  const fresh = more.filter((uri) => !artifact.extensions.includes(uri));
  if (fresh.length > 0) artifact.extensions = [...artifact.extensions, ...fresh];
}

/** Above this many artifacts their places are remembered instead of searched. */
const INDEX_FROM = 16;
const indexes = new WeakMap<readonly Artifact[], Map<string, number>>();

/** The place of an artifact, -1 when it is not there; artifacts are only ever added or replaced. */
function indexOfArtifact(artifacts: readonly Artifact[], id: string): number {
  if (artifacts.length < INDEX_FROM) {
    return artifacts.findIndex((artifact) => artifact.artifactId === id);
  }
  const index = indexes.get(artifacts) ?? new Map<string, number>();
  if (index.size === 0) indexes.set(artifacts, index);
  for (let i = index.size; i < artifacts.length; i++) index.set(artifacts[i]!.artifactId, i);
  return index.get(id) ?? -1;
}

function mergeTask(task: Task, snapshot: Task): Task {
  task.id = snapshot.id || task.id;
  task.contextId = snapshot.contextId || task.contextId;
  for (const artifact of snapshot.artifacts) {
    const index = indexOfArtifact(task.artifacts, artifact.artifactId);
    if (index < 0) task.artifacts.push(cloneArtifact(artifact));
    else task.artifacts[index] = cloneArtifact(artifact);
  }
  const before = task.status?.message;
  mergeHistory(task, snapshot.history);
  if (snapshot.status) {
    const moved = before && !task.history.some((each) => each.messageId === before.messageId);
    if (moved && snapshot.status.message?.messageId !== before.messageId) task.history.push(before);
    task.status = snapshot.status;
  }
  mergeMetadata(task, snapshot.metadata);
  return task;
}

function mergeHistory(task: Task, messages: readonly Message[]): void {
  if (messages.length === 0) return;
  const known = new Set(task.history.map((message) => message.messageId));
  for (const message of messages) {
    if (!known.has(message.messageId)) task.history.push(message);
  }
}
