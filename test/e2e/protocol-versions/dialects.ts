import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../support/json.js';

/**
 * The three ways to write the protocol's objects: the JSON of 1.0, the JSON of 0.3 (and 0.2.5), and
 * the messages of package `a2a.v1`, which gRPC of 0.3 carries (here in the form of their codec: a
 * `oneof` is `{$case, value}`, an enum a number).
 */
export const DIALECTS = ['1.0', '0.3', 'proto'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What a message carries beside its id, its role and its context, written in its dialect. */
export interface MessageFields {
  readonly parts: readonly Json[];
  readonly others?: JsonObject;
}

/** A task as an agent answers with it; what is in it is written in the agent's dialect. */
export interface TaskFields {
  readonly state?: State;
  readonly artifacts?: readonly JsonObject[];
  readonly statusMessage?: MessageFields;
  readonly timestamp?: string;
  readonly history?: readonly MessageFields[];
  readonly metadata?: JsonObject;
}

/** One event of a stream; what is in it is written in the agent's dialect. */
export type EventFields =
  | { readonly kind: 'task'; readonly task: TaskFields }
  | { readonly kind: 'message'; readonly message: MessageFields }
  | {
      readonly kind: 'status';
      readonly state: State;
      readonly timestamp?: string;
      readonly message?: MessageFields;
      readonly metadata?: JsonObject;
    }
  | {
      readonly kind: 'artifact';
      readonly artifact: JsonObject;
      readonly append?: boolean;
      readonly lastChunk?: boolean;
      readonly metadata?: JsonObject;
    };

/** The same in every dialect: what is seen of an event. */
export interface SeenEvent {
  readonly kind: EventFields['kind'];
  readonly taskId: string;
  readonly state?: State;
  readonly timestamp?: string;
  readonly final?: boolean;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
  readonly artifact?: JsonObject;
}

export type State =
  | 'submitted'
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'input-required'
  | 'rejected'
  | 'auth-required'
  | 'unknown';

/** By the numbers of `a2a.v1.TaskState`. */
const STATES: readonly State[] = [
  'unknown',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
];

export const AT = '2026-01-31T12:00:00.000Z';

/** The ids that every object of one task carries. */
export interface Ids {
  readonly id: string;
  readonly contextId: string;
}

/** A part that holds a text. */
export function textPart(dialect: Dialect, text: string): Json {
  if (dialect === '1.0') return { text };
  return dialect === '0.3' ? { kind: 'text', text } : { part: { $case: 'text', value: text } };
}

/** The text of a part, in whichever dialect. */
export function textOf(part: Json): string {
  return String(part['text'] ?? part['part']?.['value'] ?? '');
}

/** The parts of a message, as the dialect names them. */
export function partsOf(dialect: Dialect, message: JsonObject): Json[] {
  return message[dialect === 'proto' ? 'content' : 'parts'] as Json[];
}

/** The message of a task's status. */
export function statusMessageOf(dialect: Dialect, task: JsonObject): JsonObject {
  const status = task['status'] as JsonObject;
  return status[dialect === 'proto' ? 'update' : 'message'] as JsonObject;
}

export function stateName(dialect: Dialect, state: State): string | number {
  if (dialect === '0.3') return state;
  if (dialect === 'proto') return STATES.indexOf(state);
  if (state === 'unknown') return 'TASK_STATE_UNSPECIFIED';
  return `TASK_STATE_${state.toUpperCase().replace('-', '_')}`;
}

function stateOf(dialect: Dialect, written: Json): State {
  return STATES.find((state) => stateName(dialect, state) === written) ?? 'unknown';
}

/** A message in its dialect. */
export function messageOf(
  dialect: Dialect,
  { parts, others }: MessageFields,
  role: 'user' | 'agent',
): JsonObject {
  const messageId = randomUUID();
  if (dialect === '1.0') {
    return { messageId, role: `ROLE_${role.toUpperCase()}`, parts, ...others };
  }
  if (dialect === '0.3') return { kind: 'message', messageId, role, parts, ...others };
  return {
    messageId,
    contextId: '',
    taskId: '',
    role: role === 'user' ? 1 : 2,
    content: parts,
    metadata: undefined,
    extensions: [],
    ...others,
  };
}

/** An artifact in its dialect. */
export function artifactOf(
  dialect: Dialect,
  parts: readonly Json[],
  others: JsonObject = {},
): JsonObject {
  const empty = { name: '', description: '', metadata: undefined, extensions: [] };
  return {
    artifactId: 'result',
    ...(dialect === 'proto' ? empty : {}),
    parts,
    ...others,
  };
}

/** A task in its dialect. */
export function taskOf(dialect: Dialect, fields: TaskFields, { id, contextId }: Ids): JsonObject {
  const { artifacts = [], history = [], metadata } = fields;
  return {
    ...(dialect === '0.3' ? { kind: 'task' } : {}),
    id,
    contextId,
    status: statusOf(dialect, fields),
    artifacts,
    history: history.map((message) => messageOf(dialect, message, 'agent')),
    ...(metadata ? { metadata } : {}),
  };
}

/** An event of a stream in its dialect. */
export function eventOf(dialect: Dialect, fields: EventFields, ids: Ids): JsonObject {
  const names = NAMES[fields.kind];
  const value = valueOf(dialect, fields, ids);
  if (dialect === '1.0') return { [names.current]: value };
  if (dialect === '0.3') return { ...value, kind: names.legacy };
  return { payload: { $case: names.proto, value } };
}

/** What a client sees in an event of its dialect. */
export function seenIn(dialect: Dialect, event: JsonObject): SeenEvent {
  const [kind, value] = opened(dialect, event);
  const status = (value['status'] ?? {}) as JsonObject;
  const { final, append, lastChunk, metadata, artifact } = value as SeenEvent;
  return {
    kind,
    taskId: String(value[kind === 'task' ? 'id' : 'taskId'] ?? ''),
    ...('state' in status ? { state: stateOf(dialect, status['state']) } : {}),
    ...('timestamp' in status ? { timestamp: String(status['timestamp']) } : {}),
    ...(final === undefined ? {} : { final }),
    ...(kind === 'artifact' ? { append: append ?? false, lastChunk: lastChunk ?? false } : {}),
    ...(metadata === undefined ? {} : { metadata }),
    ...(artifact === undefined ? {} : { artifact }),
  };
}

const NAMES = {
  task: { current: 'task', legacy: 'task', proto: 'task' },
  message: { current: 'message', legacy: 'message', proto: 'msg' },
  status: { current: 'statusUpdate', legacy: 'status-update', proto: 'statusUpdate' },
  artifact: { current: 'artifactUpdate', legacy: 'artifact-update', proto: 'artifactUpdate' },
} as const;

const KINDS = Object.keys(NAMES) as EventFields['kind'][];

function opened(dialect: Dialect, event: JsonObject): [EventFields['kind'], JsonObject] {
  if (dialect === '0.3') {
    return [KINDS.find((kind) => NAMES[kind].legacy === event['kind'])!, event];
  }
  if (dialect === '1.0') {
    const kind = KINDS.find((one) => NAMES[one].current in event)!;
    return [kind, event[NAMES[kind].current] as JsonObject];
  }
  const { $case, value } = event['payload'] as JsonObject;
  return [KINDS.find((kind) => NAMES[kind].proto === $case)!, value as JsonObject];
}

function valueOf(dialect: Dialect, fields: EventFields, ids: Ids): JsonObject {
  if (fields.kind === 'task') return taskOf(dialect, fields.task, ids);
  if (fields.kind === 'message') {
    const { message } = fields;
    const others = { contextId: ids.contextId, ...message.others };
    return messageOf(dialect, { ...message, others }, 'agent');
  }
  const about = { taskId: ids.id, contextId: ids.contextId };
  const metadata = fields.metadata ? { metadata: fields.metadata } : {};
  if (fields.kind === 'artifact') {
    const { artifact, append = false, lastChunk = false } = fields;
    return { ...about, artifact, append, lastChunk, ...metadata };
  }
  const final = dialect === '1.0' ? {} : { final: fields.state === 'completed' };
  const { state, timestamp, message } = fields;
  const status = statusOf(dialect, {
    state,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(message === undefined ? {} : { statusMessage: message }),
  });
  return { ...about, status, ...final, ...metadata };
}

function statusOf(dialect: Dialect, fields: TaskFields): JsonObject {
  const { state = 'completed', statusMessage, timestamp = AT } = fields;
  const message = statusMessage && messageOf(dialect, statusMessage, 'agent');
  return {
    state: stateName(dialect, state),
    timestamp,
    ...(message ? { [dialect === 'proto' ? 'update' : 'message']: message } : {}),
  };
}
