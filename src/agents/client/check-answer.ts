import {
  type Artifact,
  type Message,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '../../protocol/a2a.js';
import { isNestedWithin, JsonLimitError, MAX_NESTING } from '../../common/json-limits.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { beyondLimits } from '../binding/answer-limits.js';

/** A date and a time with any fraction and no zone: UTC is meant. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?$/i;

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

export function checkTask(task: Task): Task {
  requireText(task.id, 'task.id');
  checkFree(task.metadata, 'task.metadata');
  // 0.x translations hand through what was absent.
  task.contextId ??= '';
  checkStatus(task.status, 'task.status');
  task.artifacts.forEach((one, index) => checkArtifact(one, `task.artifacts[${index}]`));
  task.history.forEach((one, index) => checkMessage(one, `task.history[${index}]`));
  return task;
}

export function checkMessage(message: Message, field: string): Message {
  requireText(message.messageId, `${field}.messageId`);
  if (message.role !== Role.ROLE_USER && message.role !== Role.ROLE_AGENT) {
    throw invalid(`${field}.role is unknown`);
  }
  checkFree(message.metadata, `${field}.metadata`);
  checkParts(message.parts, `${field}.parts`);
  return message;
}

function checkArtifact(artifact: Artifact | undefined, field: string): void {
  if (artifact === undefined) throw invalid(`${field} is missing`);
  requireText(artifact.artifactId, `${field}.artifactId`);
  checkFree(artifact.metadata, `${field}.metadata`);
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
  if (isNestedWithin(value, MAX_NESTING)) return;
  const why = `is nested more than ${MAX_NESTING} levels deep`;
  throw beyondLimits(new JsonLimitError(`${why} at ${field}`), why);
}

function requireText(value: unknown, field: string): void {
  if (typeof value !== 'string' || value === '') throw invalid(`${field} is missing`);
}

function invalid(what: string): AgentCallError {
  return new AgentCallError('invalid', `the agent's answer is not A2A: ${what}`);
}
