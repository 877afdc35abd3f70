import { TaskState } from './a2a.js';
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatus } from './a2a.js';
import type { Payload } from './build.js';
import { isOutline, statusOutlineOf } from './outline.js';
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
 * - A chunk goes to the end of its artifact; for an unknown artifact it begins one.
 * - A message (of the client) goes into the history unchanged, after the status message it answers.
 *   A `reply` is for its sender only and changes nothing; what is `held` is for {@link applyHeld}.
 * - A whole task replaces the artifacts it has and leaves those it does not mention.
 * - A terminal task stays as it is (A2A §4.1.3).
 * - A task that is only outlined ({@link isOutline}) gets its status and its metadata.
 */
export function applyEvent(task: Task, payload: Payload, kind?: string): Task {
  const ended = isTerminal(stateOf(task.status));
  if (kind === 'reply' || kind === 'held' || ended) return task;
  if (isOutline(task)) return applyToOutline(task, payload);
  switch (payload.$case) {
    case 'statusUpdate':
      if (payload.value.status) setStatus(task, payload.value.status);
      mergeMetadata(task, payload.value.metadata);
      return task;
    case 'artifactUpdate':
      addChunk(task.artifacts, payload.value);
      return task;
    case 'message':
      moveStatusMessageToHistory(task);
      task.history.push(payload.value);
      return task;
    case 'task':
      return mergeTask(task, payload.value);
  }
}

function applyToOutline(task: Task, payload: Payload): Task {
  if (payload.$case === 'artifactUpdate') return task;
  if (payload.$case === 'message') {
    const { status } = task;
    if (status)
      task.status = { state: status.state, timestamp: status.timestamp, message: undefined };
    return task;
  }
  const { status, metadata } = payload.value;
  if (status) task.status = statusOutlineOf(status);
  mergeMetadata(task, metadata);
  return task;
}

/**
 * Adds one event to the artifacts that are held beside a task because they do not count yet, in
 * place, by the rules of {@link applyEvent}. An artifact that comes as an ordinary event counts from
 * there on and is held no more; once the task has ended nothing is.
 */
export function applyHeld(held: Artifact[], payload: Payload, kind?: string): void {
  if (payload.$case === 'artifactUpdate') {
    if (kind === 'held') addChunk(held, payload.value);
    else if (held.length > 0) release(held, payload.value.artifact?.artifactId);
  } else if (payload.$case === 'statusUpdate' && isTerminal(stateOf(payload.value.status))) {
    held.length = 0;
  }
}

/**
 * Whether an event gives a task something in place of what it has (an artifact once more, an artifact
 * that was held, metadata): then the task grows by less than the event.
 */
export function repeats(
  task: Task,
  held: readonly Artifact[],
  payload: Payload,
  kind?: string,
): boolean {
  if (payload.$case === 'statusUpdate') {
    const { metadata } = payload.value;
    return Object.keys(metadata ?? {}).some((key) => Object.hasOwn(task.metadata ?? {}, key));
  }
  if (payload.$case !== 'artifactUpdate') return false;
  const { artifact, append } = payload.value;
  const id = artifact?.artifactId ?? '';
  if (kind === 'held') return !append && indexOfArtifact(held, id) >= 0;
  const isHeld = held.length > 0 && indexOfArtifact(held, id) >= 0;
  return isHeld || (!append && indexOfArtifact(task.artifacts, id) >= 0);
}

function release(held: Artifact[], artifactId: string | undefined): void {
  const index = held.findIndex((each) => each.artifactId === artifactId);
  if (index < 0) return;
  held.splice(index, 1);
  indexes.delete(held);
}

function stateOf(status: TaskStatus | undefined): TaskState {
  return status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
}

/** A copy of held artifacts that later events do not change. */
export function cloneHeld(held: readonly Artifact[]): Artifact[] {
  return held.map(cloneArtifact);
}

/**
 * A copy that later events of the original do not change: what can change is copied, what never
 * does (parts, messages, statuses) is shared. So is metadata, which the next event that adds to it copies.
 */
export function cloneTask(task: Task): Task {
  share(task.metadata);
  return { ...task, artifacts: task.artifacts.map(cloneArtifact), history: [...task.history] };
}

function cloneArtifact(artifact: Artifact): Artifact {
  share(artifact.metadata);
  return { ...artifact, parts: [...artifact.parts] };
}

function setStatus(task: Task, status: TaskStatus): void {
  moveStatusMessageToHistory(task);
  task.status = status;
}

/** The status message has been followed by something: it is history now. */
function moveStatusMessageToHistory(task: Task): void {
  if (!task.status?.message) return;
  task.history.push(task.status.message);
  task.status = { ...task.status, message: undefined };
}

/** Metadata that was made here and that one task or artifact alone has: more is added in place, however much there is. */
const unshared = new WeakSet<object>();

function share(metadata: Task['metadata']): void {
  if (metadata !== undefined) unshared.delete(metadata);
}

function mergeMetadata(target: { metadata: Task['metadata'] }, more: Task['metadata']): void {
  if (more === undefined) return;
  const names = Object.keys(more);
  if (names.length === 0) return;
  let { metadata } = target;
  if (metadata === undefined || !unshared.has(metadata)) {
    metadata = { ...metadata };
    unshared.add(metadata);
    target.metadata = metadata;
  }
  for (const name of names) addMember(metadata, name, more[name]);
}

/** As a spread would: a member `__proto__` is one like all others. */
function addMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else
    Object.defineProperty(target, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
}

function addChunk(artifacts: Artifact[], update: TaskArtifactUpdateEvent): void {
  const chunk = update.artifact;
  if (!chunk) return;
  const index = indexOfArtifact(artifacts, chunk.artifactId);
  const known = artifacts[index];
  if (!known) {
    artifacts.push(cloneArtifact(chunk));
  } else if (update.append) {
    for (const part of chunk.parts) known.parts.push(part);
    if (chunk.name) known.name = chunk.name;
    if (chunk.description) known.description = chunk.description;
    mergeMetadata(known, chunk.metadata);
    addExtensions(known, chunk.extensions);
  } else {
    artifacts[index] = cloneArtifact(chunk);
  }
}

/** The most extensions of an artifact that its chunks add: each chunk compares its own with those before. */
const MAX_ADDED_EXTENSIONS = 1000;

function addExtensions(artifact: Artifact, more: readonly string[]): void {
  if (more.length === 0 || artifact.extensions.length >= MAX_ADDED_EXTENSIONS) return;
  const known = new Set(artifact.extensions);
  const fresh = more.filter((uri) => !known.has(uri));
  if (fresh.length > 0) artifact.extensions = [...artifact.extensions, ...fresh];
}

/** Above this many artifacts their places are remembered instead of searched. */
const INDEX_FROM = 16;
const indexes = new WeakMap<readonly Artifact[], Map<string, number>>();

/**
 * The place of an artifact, -1 when it is not there. Artifacts are only ever added or replaced; who
 * takes one out forgets the index.
 */
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
