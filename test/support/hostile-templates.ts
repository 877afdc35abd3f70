import type { Json, JsonObject } from './json.js';

/**
 * What a template names instead of a task of the hub; as long as the hub's own ids, so that they can
 * be exchanged in any bytes.
 */
export const TASK_PLACES = {
  working: '00000000-0000-7000-8000-00000000000a',
  asking: '00000000-0000-7000-8000-00000000000b',
  ended: '00000000-0000-7000-8000-00000000000c',
} as const;

export type TaskPlace = keyof typeof TASK_PLACES;

/** What a template names instead of the webhook's address; its port has as many digits. */
export const HOOK_PLACE = 'http://127.0.0.1:65535/hook';

/** What a template about a task is about, in turn. */
export const ABOUT: readonly TaskPlace[] = ['working', 'asking', 'ended'];

/** The three ways to write a message; `grpc` ones are the objects of the SDK's codecs. */
export type Written = 'json-1.0' | 'json-0.3' | 'proto-0.3' | 'grpc-1.0' | 'grpc-0.3';

const METADATA = { 'urn:x': [1] };
const ROUTING = {
  'urn:a2a-hub:routing:v1': {
    agentId: 'quick',
    tags: ['scripted'],
    match: 'any',
    strategy: 'one',
    require: 'best-effort',
    deadlineSeconds: 60,
    maxAgents: 2,
  },
};
const BYTES = 'aGk=';
const URI = 'https://example.com/a.pdf';
const DATA = { a: null };

/** A message with everything in it: a new one, or one for a task. */
export function fullMessage(written: Written, taskId?: string): JsonObject {
  const ids =
    taskId === undefined
      ? { contextId: 'context-of-the-client' }
      : { taskId, ...(written.startsWith('grpc') ? { contextId: '' } : {}) };
  return {
    ...(written === 'json-0.3' ? { kind: 'message' } : {}),
    ...(written.startsWith('grpc') ? { taskId: '' } : {}),
    messageId: 'm-1',
    ...ids,
    role: ROLES[written],
    [written.endsWith('0.3') && written !== 'json-0.3' ? 'content' : 'parts']: PARTS[written],
    metadata: { ...ROUTING, ...METADATA },
    extensions: ['urn:x'],
    referenceTaskIds: [TASK_PLACES.ended],
  };
}

/** A webhook with everything that can be said of it. */
export function fullPushConfig(written: Written): JsonObject {
  const authentication = written.endsWith('1.0')
    ? { scheme: 'Bearer', credentials: 'secret' }
    : { schemes: ['Bearer', 'Basic'], credentials: 'secret' };
  return { id: 'one', url: HOOK_PLACE, token: 'token', authentication };
}

/** A send with everything in it. */
export function fullSend(written: Written, taskId?: string): JsonObject {
  const message = fullMessage(written, taskId);
  const push = fullPushConfig(written);
  const configuration = {
    acceptedOutputModes: ['text/plain', 'application/json'],
    historyLength: 2,
    ...(written.endsWith('1.0') ? { returnImmediately: false } : { blocking: true }),
    [PUSH_NAMES[written]]: written === 'grpc-1.0' ? { tenant: '', taskId: '', ...push } : push,
  };
  return {
    ...(written.endsWith('1.0') ? { tenant: 'quick' } : {}),
    [written === 'grpc-0.3' ? 'request' : 'message']: message,
    configuration,
    metadata: METADATA,
  };
}

const ROLES: Readonly<Record<Written, Json>> = {
  'json-1.0': 'ROLE_USER',
  'json-0.3': 'user',
  'proto-0.3': 'ROLE_USER',
  'grpc-1.0': 1,
  'grpc-0.3': 1,
};

const PUSH_NAMES: Readonly<Record<Written, string>> = {
  'json-1.0': 'taskPushNotificationConfig',
  'json-0.3': 'pushNotificationConfig',
  'proto-0.3': 'pushNotification',
  'grpc-1.0': 'taskPushNotificationConfig',
  'grpc-0.3': 'pushNotification',
};

const PARTS: Readonly<Record<Written, readonly Json[]>> = {
  'json-1.0': [
    { text: 'hello', mediaType: 'text/plain', metadata: METADATA },
    { raw: BYTES, filename: 'a.txt', mediaType: 'text/plain' },
    { url: URI },
    { data: DATA },
  ],
  'json-0.3': [
    { kind: 'text', text: 'hello', metadata: METADATA },
    { kind: 'file', file: { bytes: BYTES, name: 'a.txt', mimeType: 'text/plain' } },
    { kind: 'file', file: { uri: URI } },
    { kind: 'data', data: DATA },
  ],
  'proto-0.3': [
    { text: 'hello', metadata: METADATA },
    { file: { fileWithBytes: BYTES, name: 'a.txt', mimeType: 'text/plain' } },
    { file: { fileWithUri: URI } },
    { data: { data: DATA } },
  ],
  'grpc-1.0': [
    currentPart('text', 'hello'),
    currentPart('raw', Buffer.from('hi')),
    currentPart('url', URI),
    currentPart('data', DATA),
  ],
  'grpc-0.3': [
    legacyPart('text', 'hello'),
    legacyPart('file', {
      file: { $case: 'fileWithBytes', value: Buffer.from('hi') },
      mimeType: 'text/plain',
    }),
    legacyPart('file', { file: { $case: 'fileWithUri', value: URI }, mimeType: '' }),
    legacyPart('data', { data: DATA }),
  ],
};

function currentPart($case: string, value: Json): Json {
  return { content: { $case, value }, metadata: undefined, filename: 'a.txt', mediaType: '' };
}

function legacyPart($case: string, value: Json): Json {
  return { part: { $case, value } };
}
