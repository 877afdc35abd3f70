import { isFiniteWithin, JsonLimitError, MAX_NESTING } from '../../common/json-limits.js';
import {
  type Artifact,
  type Message,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '../../protocol/a2a.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import type { AgentTransport } from '../binding/agent-transport.js';
import { beyondLimits } from '../binding/answer-limits.js';
import { eventInAnyForm, taskInAnyForm } from '../binding/any-form.js';

/** A date and a time with any fraction and no zone: UTC is meant. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?$/i;

/** The most extensions that a message or an artifact may name: those of clients are held to the same. */
const MAX_EXTENSIONS = 100;

/** What a message was answered with. */
export type Sent = { readonly message: Message } | { readonly task: Task };

/** The call that an answer is of. */
export interface Answered {
  readonly transport: Pick<AgentTransport, 'lastJson'>;
  /** Called when the answer is in another form than its version has. */
  readonly otherForm: () => void;
}

/**
 * An answer that the hub can build upon. What the codec of its version has not read, or has read as something
 * that does not hold, is read again in whatever form it has; what cannot be read in any fails as it did first.
 */
export function readEvent(event: StreamResponse, call: Answered): StreamResponse {
  try {
    return checkEvent(event);
  } catch (error) {
    return again(call, error, (json) => {
      const other = eventInAnyForm(json);
      return other && checkEvent(other);
    });
  }
}

/** See {@link readEvent}. */
export async function readTask(requested: Promise<Task>, call: Answered): Promise<Task> {
  try {
    return checkTask(await requested);
  } catch (error) {
    return again(call, error, (json) => {
      const other = taskInAnyForm(json);
      return other && checkTask(other);
    });
  }
}

/** See {@link readEvent}. */
export async function readSent(requested: Promise<Message | Task>, call: Answered): Promise<Sent> {
  try {
    const answer = await requested;
    return 'messageId' in answer
      ? { message: checkMessage(answer, 'message') }
      : { task: checkTask(answer) };
  } catch (error) {
    return again(call, error, sentInAnyForm);
  }
}

function sentInAnyForm(json: unknown): Sent | undefined {
  const payload = eventInAnyForm(json)?.payload;
  if (payload?.$case === 'task') return { task: checkTask(payload.value) };
  if (payload?.$case === 'message') return { message: checkMessage(payload.value, 'message') };
  return undefined;
}

function again<T>(
  { transport, otherForm }: Answered,
  error: unknown,
  read: (json: unknown) => T | undefined,
): T {
  const { lastJson } = transport;
  let other: T | undefined;
  try {
    other = lastJson === undefined ? undefined : read(lastJson);
  } catch {
    // The first error tells what is wrong in the form that was asked for.
  }
  if (other === undefined) throw error;
  otherForm();
  return other;
}

/**
 * The checks below make sure that what the SDK decoded (it fills gaps instead of refusing them) has
 * everything the hub builds upon. They throw AgentCallError `invalid` naming the member, and put
 * timestamps right in place.
 */
export function checkEvent(event: StreamResponse): StreamResponse {
  const { payload } = event;
  switch (payload?.$case) {
    case 'task':
      checkTask(payload.value);
      return event;
    case 'message':
      checkMessage(payload.value, 'message');
      return event;
    case 'statusUpdate':
      requireText(payload.value.taskId, 'statusUpdate.taskId');
      checkFree(payload.value.metadata, 'statusUpdate.metadata');
      checkStatus(payload.value.status, 'statusUpdate.status');
      return event;
    case 'artifactUpdate':
      requireText(payload.value.taskId, 'artifactUpdate.taskId');
      checkFree(payload.value.metadata, 'artifactUpdate.metadata');
      checkArtifact(payload.value.artifact, 'artifactUpdate.artifact');
      return event;
    default:
      throw invalid('an event is none of task, message, statusUpdate and artifactUpdate');
  }
}

function checkTask(task: Task): Task {
  requireText(task.id, 'task.id');
  checkFree(task.metadata, 'task.metadata');
  // 0.x translations hand through what was absent.
  task.contextId ??= '';
  checkStatus(task.status, 'task.status');
  task.artifacts.forEach((one, index) => checkArtifact(one, `task.artifacts[${index}]`));
  task.history.forEach((one, index) => checkMessage(one, `task.history[${index}]`));
  return task;
}

function checkMessage(message: Message, field: string): Message {
  requireText(message.messageId, `${field}.messageId`);
  if (message.role !== Role.ROLE_USER && message.role !== Role.ROLE_AGENT) {
    throw invalid(`${field}.role is unknown`);
  }
  checkFree(message.metadata, `${field}.metadata`);
  checkExtensions(message.extensions, `${field}.extensions`);
  checkParts(message.parts, `${field}.parts`);
  return message;
}

function checkArtifact(artifact: Artifact | undefined, field: string): void {
  if (artifact === undefined) throw invalid(`${field} is missing`);
  requireText(artifact.artifactId, `${field}.artifactId`);
  checkFree(artifact.metadata, `${field}.metadata`);
  checkExtensions(artifact.extensions, `${field}.extensions`);
  checkParts(artifact.parts, `${field}.parts`);
}

function checkStatus(status: TaskStatus | undefined, field: string): void {
  if (status === undefined) throw invalid(`${field} is missing`);
  // JSON decodes an unknown state as UNRECOGNIZED, protobuf as whatever number it was.
  const known = status.state !== TaskState.UNRECOGNIZED && TaskState[status.state] !== undefined;
  if (!known) throw invalid(`${field}.state is unknown`);
  if (status.message !== undefined) checkMessage(status.message, `${field}.message`);
  if (status.timestamp !== undefined) status.timestamp = inUtc(status.timestamp);
}

/** Empty lists pass: agents close an artifact with a chunk that has no parts. */
function checkParts(parts: Message['parts'], field: string): void {
  for (const [index, part] of parts.entries()) {
    const content = part.content;
    if (part.metadata !== undefined) checkFree(part.metadata, `${field}[${index}].metadata`);
    if (content?.$case === 'data') checkFree(content.value, `${field}[${index}].data`);
    if (content === undefined) throw invalid(`${field}[${index}] has no content`);
    if (content.$case === 'text' || content.$case === 'url') {
      if (typeof content.value !== 'string') throw invalid(`${field}[${index}] is not a text`);
    }
  }
}

/**
 * The timestamp as A2A §5.6.1 wants it: UTC with milliseconds. Without a zone it is UTC (Python agents
 * leave it out, and strict clients refuse the whole answer then). What cannot be read is dropped.
 */
function inUtc(timestamp: unknown): string | undefined {
  if (typeof timestamp !== 'string') return undefined;
  const zoned = WITHOUT_ZONE.test(timestamp) ? `${timestamp}Z` : timestamp;
  const time = Date.parse(zoned.replace(',', '.'));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** What readers of the hub can follow: clients are held to the same. */
function checkFree(value: unknown, field: string): void {
  if (isFiniteWithin(value, MAX_NESTING)) return;
  const why = isFiniteWithin(value, Infinity)
    ? `is nested more than ${MAX_NESTING} levels deep`
    : 'has a number that is not finite';
  throw beyondLimits(new JsonLimitError(`${why} at ${field}`), why);
}

/** 0.x translations may leave them out. */
function checkExtensions(named: readonly string[] | undefined, field: string): void {
  const count = named?.length ?? 0;
  if (count <= MAX_EXTENSIONS) return;
  const why = `names ${count} extensions at ${field}; at most ${MAX_EXTENSIONS} are taken`;
  throw beyondLimits(new JsonLimitError(why));
}

function requireText(value: unknown, field: string): void {
  if (typeof value !== 'string' || value === '') throw invalid(`${field} is missing`);
}

function invalid(what: string): AgentCallError {
  return new AgentCallError('invalid', `the agent's answer is not A2A: ${what}`);
}
