import { isRecord } from '../../common/is-record.js';
import { StreamResponse, type Task } from '../../protocol/a2a.js';
import { camelCased } from './camel-case.js';

/**
 * Reads what an agent wrote in the form of another protocol version than the one it is spoken to in, or in
 * pieces of several: `{"taskId", "kind": "status-update", …}` with the enums of 1.0, `{"task": …}` with parts of
 * 0.3, and so on. Slower than the codecs of the versions, so it is asked only about what those cannot read.
 */

type Json = Readonly<Record<string, unknown>>;
type Case = 'task' | 'message' | 'statusUpdate' | 'artifactUpdate';

/** What an event is, by its `kind` (0.3) or by the member that it is in (1.0; `msg` in the proto of 0.3). */
const CASES: Readonly<Record<string, Case>> = {
  task: 'task',
  message: 'message',
  msg: 'message',
  'status-update': 'statusUpdate',
  statusUpdate: 'statusUpdate',
  'artifact-update': 'artifactUpdate',
  artifactUpdate: 'artifactUpdate',
};

/** An event, or the answer to a message, in any form; undefined when it is none. */
export function eventInAnyForm(json: unknown): StreamResponse | undefined {
  const written = camelCased(json);
  if (!isRecord(written)) return undefined;
  const found = flat(written) ?? wrapped(written);
  return found && StreamResponse.fromJSON({ [found[0]]: CURRENT[found[0]](found[1]) });
}

/** A task in any form, bare or wrapped like an event; undefined when it is none. */
export function taskInAnyForm(json: unknown): Task | undefined {
  const payload = eventInAnyForm(json)?.payload;
  return payload?.$case === 'task' ? payload.value : undefined;
}

/** The form of 0.3: it says itself what it is. A bare task need not. */
function flat(json: Json): readonly [Case, Json] | undefined {
  const { kind, id, status } = json;
  if (typeof kind === 'string') {
    const is = Object.hasOwn(CASES, kind) ? CASES[kind] : undefined;
    return is && [is, json];
  }
  return typeof id === 'string' && isRecord(status) ? ['task', json] : undefined;
}

/** The form of 1.0: it is in a member that says what it is. */
function wrapped(json: Json): readonly [Case, Json] | undefined {
  for (const [name, is] of Object.entries(CASES)) {
    const value = json[name];
    if (isRecord(value)) return [is, value];
  }
  return undefined;
}

/** Each of them in the JSON of 1.0. */
const CURRENT: Readonly<Record<Case, (json: Json) => Json>> = {
  task,
  message,
  statusUpdate: (json) => ({ ...json, status: status(json['status']) }),
  artifactUpdate: (json) => ({ ...json, artifact: artifact(json['artifact']) }),
};

function task(json: Json): Json {
  return {
    ...json,
    status: status(json['status']),
    artifacts: listOf(json['artifacts']).map(artifact),
    history: listOf(json['history']).filter(isRecord).map(message),
  };
}

/** In the proto of 0.3 the message of a status is its `update`. */
function status(json: unknown): unknown {
  if (!isRecord(json)) return json;
  const said = json['message'] ?? json['update'];
  return { ...json, state: stateOf(json['state']), message: isRecord(said) ? message(said) : said };
}

/** In the proto of 0.3 the parts of a message are its `content`. */
function message(json: Json): Json {
  const parts = listOf(json['parts'] ?? json['content']).map(part);
  return { ...json, role: roleOf(json['role']), parts };
}

function artifact(json: unknown): unknown {
  return isRecord(json) ? { ...json, parts: listOf(json['parts']).map(part) } : json;
}

/** A part says in 1.0 what it is by its one content; in 0.3 a file is in a member of its own. */
function part(json: unknown): unknown {
  if (!isRecord(json)) return json;
  const { file, ...rest } = json;
  if (!isRecord(file)) return rest;
  const bytes = file['bytes'] ?? file['fileWithBytes'];
  const uri = file['uri'] ?? file['fileWithUri'];
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    metadata: rest['metadata'],
    filename: file['name'],
    mediaType: file['mimeType'],
  };
}

/** `input-required` is `TASK_STATE_INPUT_REQUIRED`; the proto of 0.3 spells one state otherwise. */
function stateOf(state: unknown): unknown {
  if (typeof state !== 'string') return state;
  if (state === 'TASK_STATE_CANCELLED') return 'TASK_STATE_CANCELED';
  if (state.startsWith('TASK_STATE_')) return state;
  return `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`;
}

function roleOf(role: unknown): unknown {
  return role === 'user' || role === 'agent' ? `ROLE_${role.toUpperCase()}` : role;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
