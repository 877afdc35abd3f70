import type { Json, JsonObject } from '../support/json.js';

/** A member of an object of A2A 0.2.5: what it holds, and whether it must be there. */
type Member = readonly [holds: string | readonly string[], required?: 'required'];

const TASK_STATES = [
  'submitted',
  'working',
  'input-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'auth-required',
  'unknown',
];

/** The objects of A2A 0.2.5 §5.5 to §7.2 that an agent answers with. A trailing `[]` is a list. */
const OBJECTS: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  Task: {
    kind: [['task'], 'required'],
    id: ['string', 'required'],
    contextId: ['string', 'required'],
    status: ['TaskStatus', 'required'],
    artifacts: ['Artifact[]'],
    history: ['Message[]'],
    metadata: ['object'],
  },
  TaskStatus: { state: [TASK_STATES, 'required'], message: ['Message'], timestamp: ['string'] },
  Message: {
    kind: [['message'], 'required'],
    messageId: ['string', 'required'],
    role: [['user', 'agent'], 'required'],
    parts: ['Part[]', 'required'],
    contextId: ['string'],
    taskId: ['string'],
    referenceTaskIds: ['string[]'],
    extensions: ['string[]'],
    metadata: ['object'],
  },
  Artifact: {
    artifactId: ['string', 'required'],
    parts: ['Part[]', 'required'],
    name: ['string'],
    description: ['string'],
    extensions: ['string[]'],
    metadata: ['object'],
  },
  TextPart: { kind: [['text'], 'required'], text: ['string', 'required'], metadata: ['object'] },
  FilePart: { kind: [['file'], 'required'], file: ['File', 'required'], metadata: ['object'] },
  DataPart: { kind: [['data'], 'required'], data: ['object', 'required'], metadata: ['object'] },
  File: { bytes: ['string'], uri: ['string'], name: ['string'], mimeType: ['string'] },
  TaskStatusUpdateEvent: {
    kind: [['status-update'], 'required'],
    taskId: ['string', 'required'],
    contextId: ['string', 'required'],
    status: ['TaskStatus', 'required'],
    final: ['boolean', 'required'],
    metadata: ['object'],
  },
  TaskArtifactUpdateEvent: {
    kind: [['artifact-update'], 'required'],
    taskId: ['string', 'required'],
    contextId: ['string', 'required'],
    artifact: ['Artifact', 'required'],
    append: ['boolean'],
    lastChunk: ['boolean'],
    metadata: ['object'],
  },
  TaskPushNotificationConfig: {
    taskId: ['string', 'required'],
    pushNotificationConfig: ['PushNotificationConfig', 'required'],
  },
  PushNotificationConfig: {
    url: ['string', 'required'],
    id: ['string'],
    token: ['string'],
    authentication: ['AuthenticationInfo'],
  },
  AuthenticationInfo: { schemes: ['string[]', 'required'], credentials: ['string'] },
};

const BY_KIND: Readonly<Record<string, string>> = {
  task: 'Task',
  message: 'Message',
  'status-update': 'TaskStatusUpdateEvent',
  'artifact-update': 'TaskArtifactUpdateEvent',
  text: 'TextPart',
  file: 'FilePart',
  data: 'DataPart',
};

/** What keeps a value from being this object of 0.2.5, by path; members it has not are faults as well. */
export function faultsIn025(value: Json, name: string = BY_KIND[value?.kind] ?? 'Task'): string[] {
  return faultsOf(value, name, name);
}

function faultsOf(value: Json, wanted: string | readonly string[], path: string): string[] {
  if (typeof wanted !== 'string') {
    return wanted.includes(value) ? [] : [`${path} is ${JSON.stringify(value)}`];
  }
  if (wanted.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, index) => faultsOf(item, wanted.slice(0, -2), `${path}[${index}]`));
  }
  const name = wanted === 'Part' ? BY_KIND[value?.kind] : wanted;
  const members = OBJECTS[name ?? ''];
  if (members === undefined) return typeof value === name ? [] : [`${path} is no ${wanted}`];
  const object = (value ?? {}) as JsonObject;
  const unknown = Object.keys(object).filter((member) => !(member in members));
  return [
    ...unknown.map((member) => `${path}.${member} is not in 0.2.5`),
    ...Object.entries(members).flatMap(([member, [holds, required]]) => {
      if (object[member] === undefined) return required ? [`${path}.${member} is missing`] : [];
      return faultsOf(object[member], holds, `${path}.${member}`);
    }),
  ];
}
