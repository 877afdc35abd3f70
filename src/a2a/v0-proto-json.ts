import type { LegacyEvent, LegacyMessage, LegacyPushConfig, LegacyTask } from './v0-operations.js';
import { PROTO_ROLE, PROTO_STATE, fileBytes, pushConfigName } from './v0-proto-values.js';

// The two JSON forms of A2A 0.3, one into the other: the JSON of its types.ts (`kind`, `parts`, `user`,
// `completed`) and the ProtoJSON of its package a2a.v1 (`content`, `ROLE_USER`, `TASK_STATE_COMPLETED`).
// Nothing here checks: what comes in has the shape that `validation/v0-proto-requests.ts` describes.

type Fields = Readonly<Record<string, unknown>>;
type LegacyPart = LegacyMessage['parts'][number];
type LegacyStatus = LegacyTask['status'];
type LegacyArtifact = NonNullable<LegacyTask['artifacts']>[number];

/** What differs between the programs that read and write ProtoJSON of a2a.v1. */
export interface ProtoPeer {
  /** Its `fileWithBytes` is base64 of base64 text: it takes the text of 0.3 for the bytes. */
  readonly filesTwice: boolean;
  /** It knows the `name` of a file and the `metadata` of a part, which a2a.proto of 0.3.0 has not. */
  readonly laterFields: boolean;
}

/** The media type parameter of `accept` by which a program says that it reads and writes the proto of 0.3.0. */
const PROTO_PROFILE = /;\s*profile="?a2a-proto"?/i;

/** What the proto of 0.3.0 says: JavaScript, the conformance kit, and all who are not known to differ. */
export const PLAIN_PEER: ProtoPeer = { filesTwice: false, laterFields: false };

/** Whether a request asks to be taken at its word, whatever its library says of itself. */
export function asksForProto(accept: string | undefined): boolean {
  return PROTO_PROFILE.test(accept ?? '');
}

/** ProtoJSON allows the numbers of an enum, too. */
const ROLE_OF = Object.fromEntries(
  Object.entries(PROTO_ROLE).flatMap(([role, { name, number }]) => [
    [name, role],
    [String(number), role],
  ]),
);

/** `SendMessageRequest` as the `MessageSendParams` of 0.3. */
export function sendParamsOf(request: Fields, peer: ProtoPeer): Fields {
  const { message, configuration, metadata } = request;
  return withoutNothing({
    message: messageOf(message as Fields, peer),
    configuration: configuration === undefined ? undefined : configurationOf(configuration),
    metadata,
  });
}

/**
 * `CreateTaskPushNotificationConfigRequest`, or its `config` alone, as the `PushNotificationConfig` of 0.3. Its id may stand
 * in it, beside it, or at the end of its resource name.
 */
export function pushConfigOf(request: Fields): Fields {
  const { configId } = request;
  const { name, pushNotificationConfig } = (request['config'] ?? request) as Fields;
  const config = pushNotificationConfig as Fields;
  const id = config['id'] || configId || CONFIG_ID.exec((name as string | undefined) ?? '')?.[1];
  return id ? { ...config, id } : config;
}

const CONFIG_ID = /^tasks\/[^/]+\/pushNotificationConfigs\/(.+)$/s;

/** A message or task as `SendMessageResponse`. */
export function sendResponse(result: LegacyTask | LegacyMessage, peer: ProtoPeer): Fields {
  return result.kind === 'message'
    ? { message: protoMessage(result, peer) }
    : { task: protoTask(result, peer) };
}

/** An event as `StreamResponse`. */
export function streamResponse(event: LegacyEvent, peer: ProtoPeer): Fields {
  switch (event.kind) {
    case 'message':
    case 'task':
      return sendResponse(event, peer);
    case 'status-update':
      return { statusUpdate: { ...update(event), status: protoStatus(event.status, peer) } };
    case 'artifact-update':
      return {
        artifactUpdate: { ...update(event), artifact: protoArtifact(event.artifact, peer) },
      };
  }
}

/** A task as `Task`. */
export function protoTask(task: LegacyTask, peer: ProtoPeer): Fields {
  const { id, contextId, status, artifacts, history, metadata } = task;
  return withoutNothing({
    id,
    contextId,
    status: protoStatus(status, peer),
    artifacts: artifacts?.map((artifact) => protoArtifact(artifact, peer)),
    history: history?.map((message) => protoMessage(message, peer)),
    metadata,
  });
}

/** A push config as `TaskPushNotificationConfig`. */
export function protoPushConfig({ taskId, pushNotificationConfig }: LegacyPushConfig): Fields {
  const { id = '' } = pushNotificationConfig;
  return { name: pushConfigName(taskId, id), pushNotificationConfig };
}

/** Push configs as `ListTaskPushNotificationConfigResponse`. */
export function protoPushConfigs(configs: readonly LegacyPushConfig[]): Fields {
  return { configs: configs.map(protoPushConfig) };
}

function messageOf(message: Fields, peer: ProtoPeer): Fields {
  const { role, content, ...others } = message;
  return {
    kind: 'message',
    ...others,
    role: ROLE_OF[String(role)],
    parts: (content as readonly Fields[]).map((part) => partOf(part, peer)),
  };
}

function partOf({ text, file, data, metadata }: Fields, peer: ProtoPeer): Fields {
  const part =
    text !== undefined
      ? { kind: 'text', text }
      : file !== undefined
        ? { kind: 'file', file: fileOf(file as Fields, peer) }
        : { kind: 'data', data: (data as Fields)['data'] };
  return withoutNothing({ ...part, metadata });
}

function fileOf({ fileWithUri, fileWithBytes, mimeType, name }: Fields, peer: ProtoPeer): Fields {
  const content = fileWithUri ? { uri: fileWithUri } : { bytes: bytesOf(fileWithBytes, peer) };
  // An empty string is nothing in Protocol Buffers.
  return withoutNothing({
    ...content,
    mimeType: mimeType || undefined,
    name: name || undefined,
  });
}

/** Of a text whose length is a multiple of four. A pattern of groups of four overflows the stack at some megabytes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytesOf(fileWithBytes: unknown, { filesTwice }: ProtoPeer): string {
  const base64 = fileWithBytes as string;
  if (!filesTwice) return base64;
  const text = Buffer.from(base64, 'base64').toString('latin1');
  return text.length % 4 === 0 && BASE64.test(text) ? text : base64;
}

function configurationOf(configuration: unknown): Fields {
  const { acceptedOutputModes, pushNotification, historyLength, blocking } =
    configuration as Fields;
  return withoutNothing({
    acceptedOutputModes,
    pushNotificationConfig: pushNotification,
    // Protocol Buffers leave out what is 0 or false: no limit, and not blocking.
    historyLength: historyLength === 0 ? undefined : historyLength,
    blocking: blocking ?? false,
  });
}

function protoMessage(message: LegacyMessage, peer: ProtoPeer): Fields {
  const { messageId, contextId, taskId, role, parts, metadata, extensions } = message;
  return withoutNothing({
    messageId,
    contextId,
    taskId,
    role: PROTO_ROLE[role].name,
    content: parts.map((part) => protoPart(part, peer)),
    metadata,
    extensions,
  });
}

function protoPart(part: LegacyPart, peer: ProtoPeer): Fields {
  const metadata = peer.laterFields ? part.metadata : undefined;
  switch (part.kind) {
    case 'text':
      return withoutNothing({ text: part.text, metadata });
    case 'file':
      return withoutNothing({ file: protoFile(part.file, peer), metadata });
    case 'data':
      return withoutNothing({ data: { data: part.data }, metadata });
  }
}

function protoFile(file: Extract<LegacyPart, { kind: 'file' }>['file'], peer: ProtoPeer): Fields {
  const content =
    'uri' in file
      ? { fileWithUri: file.uri }
      : { fileWithBytes: peer.filesTwice ? base64Twice(file.bytes) : file.bytes };
  return withoutNothing({
    ...content,
    mimeType: file.mimeType,
    name: peer.laterFields ? file.name : undefined,
  });
}

/** An update without its discriminator, which ProtoJSON has as the name of a member. */
function update(event: Exclude<LegacyEvent, LegacyTask | LegacyMessage>): Fields {
  return withoutNothing({ ...event, kind: undefined });
}

function protoStatus({ state, message, timestamp }: LegacyStatus, peer: ProtoPeer): Fields {
  return withoutNothing({
    state: PROTO_STATE[state].name,
    message: message && protoMessage(message, peer),
    timestamp,
  });
}

function protoArtifact(artifact: LegacyArtifact, peer: ProtoPeer): Fields {
  return { ...artifact, parts: artifact.parts.map((part) => protoPart(part, peer)) };
}

function base64Twice(base64: string): string {
  return fileBytes(base64, true).toString('base64');
}

function withoutNothing(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
