import { isRecord } from '../../common/is-record.js';
type Json = Readonly<Record<string, unknown>>;

/** How one form of 0.3 writes what the SDK would read as something else, or not at all, in another. */
interface Form {
  readonly isState: (state: unknown) => boolean;
  readonly isRole: (role: unknown) => boolean;
  readonly isPart: (part: Json) => boolean;
  /** Where the parts of a message are, and the message of a status. */
  readonly parts: string;
  readonly said: (status: Json) => unknown;
}

/** The objects of JSON-RPC 0.3. */
const OBJECTS: Form = {
  isState: (state) => typeof state === 'string' && !state.startsWith('TASK_'),
  isRole: (role) => role === 'user' || role === 'agent',
  isPart: ({ kind }) => typeof kind === 'string',
  parts: 'parts',
  said: ({ message }) => message,
};

/** The ProtoJSON of HTTP+JSON 0.3. */
const PROTO: Form = {
  isState: (state) => typeof state !== 'string' || state.startsWith('TASK_'),
  isRole: (role) => typeof role !== 'string' || role.startsWith('ROLE_'),
  isPart: ({ kind, raw, url, mediaType }) =>
    kind === undefined && raw === undefined && url === undefined && mediaType === undefined,
  parts: 'content',
  said: ({ message, update }) => message ?? update,
};

/** Whether a result or an event of JSON-RPC 0.3 is in its own form: whatever this does not see is the SDK's to judge. */
export function isLegacyForm(json: unknown): boolean {
  if (!isRecord(json)) return true;
  switch (json['kind']) {
    case 'task':
      return typeof json['id'] === 'string' && isTask(json, OBJECTS);
    case 'message':
      return isMessage(json, OBJECTS);
    case 'status-update':
      return typeof json['taskId'] === 'string' && isStatus(json['status'], OBJECTS);
    case 'artifact-update':
      return typeof json['taskId'] === 'string' && isArtifact(json['artifact'], OBJECTS);
    default:
      return false;
  }
}

/** Likewise of HTTP+JSON 0.3: an event or the answer to a message, or a bare task. */
export function isProtoForm(json: unknown): boolean {
  if (!isRecord(json)) return true;
  if (json['kind'] !== undefined) return false;
  const { task, message = json['msg'] } = json;
  const update = json['statusUpdate'] ?? json['status_update'];
  const artifact = json['artifactUpdate'] ?? json['artifact_update'];
  if (isRecord(task)) return isTask(task, PROTO);
  if (isRecord(message)) return isMessage(message, PROTO);
  if (isRecord(update)) return isStatus(update['status'], PROTO);
  if (isRecord(artifact)) return isArtifact(artifact['artifact'], PROTO);
  return isTask(json, PROTO);
}

function isTask({ status, artifacts, history }: Json, form: Form): boolean {
  return (
    isStatus(status, form) &&
    listOf(artifacts).every((one) => isArtifact(one, form)) &&
    listOf(history).every((one) => isMessage(one, form))
  );
}

function isStatus(status: unknown, form: Form): boolean {
  if (!isRecord(status)) return true;
  const said = form.said(status);
  return form.isState(status['state']) && (!isRecord(said) || isMessage(said, form));
}

function isMessage(message: unknown, form: Form): boolean {
  if (!isRecord(message)) return true;
  const parts = message[form.parts];
  const inOther = form === PROTO && parts === undefined && message['parts'] !== undefined;
  return (
    form.isRole(message['role']) && !inOther && listOf(parts).every((one) => isPart(one, form))
  );
}

function isArtifact(artifact: unknown, form: Form): boolean {
  return !isRecord(artifact) || listOf(artifact['parts']).every((one) => isPart(one, form));
}

function isPart(part: unknown, form: Form): boolean {
  return !isRecord(part) || form.isPart(part);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
