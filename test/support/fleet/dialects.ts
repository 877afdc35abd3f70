import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../json.js';
import { ScriptedCall, type ScriptedDialect } from '../scripted-agent.js';

const LEGACY_METHODS: Readonly<Record<string, string>> = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
};

/** JSON-RPC of protocol 0.3; only text parts are translated. */
export const LEGACY_JSON_RPC: ScriptedDialect = {
  card: ({ name, description, version, capabilities, skills, ...modes }, url) => ({
    name,
    description,
    version,
    capabilities,
    skills,
    defaultInputModes: modes['defaultInputModes'],
    defaultOutputModes: modes['defaultOutputModes'],
    protocolVersion: '0.3.0',
    url: `${url}/rpc`,
    preferredTransport: 'JSONRPC',
  }),
  read(request, text, response) {
    if (request.method !== 'POST') return undefined;
    const body = JSON.parse(text) as JsonObject;
    const params = (body['params'] ?? {}) as JsonObject;
    const message = params['message'] as JsonObject | undefined;
    return new LegacyCall(
      LEGACY_METHODS[String(body['method'])] ?? String(body['method']),
      body['id'],
      message ? { ...params, message: currentMessage(message) } : params,
      request.headers,
      response,
    );
  },
};

class LegacyCall extends ScriptedCall {
  override result(result: JsonObject): void {
    super.result(legacyTask((result['task'] ?? result) as JsonObject));
  }

  override event(payload: JsonObject): this {
    return super.event(legacyEvent(payload));
  }
}

function currentMessage(message: JsonObject): JsonObject {
  const { role, parts } = message;
  return {
    ...message,
    role: role === 'agent' ? 'ROLE_AGENT' : 'ROLE_USER',
    parts: (parts as JsonObject[]).map(({ text, data }) =>
      text === undefined ? { data } : { text },
    ),
  };
}

function legacyEvent(payload: JsonObject): JsonObject {
  const { statusUpdate, artifactUpdate, task } = payload as Record<string, JsonObject | undefined>;
  if (artifactUpdate) {
    const artifact = legacyArtifact(artifactUpdate['artifact'] as JsonObject);
    return { kind: 'artifact-update', ...artifactUpdate, artifact };
  }
  if (!statusUpdate) return legacyTask(task ?? payload);
  const status = legacyStatus(statusUpdate['status'] as JsonObject);
  const final = !['submitted', 'working', 'auth-required'].includes(String(status['state']));
  return { kind: 'status-update', ...statusUpdate, status, final };
}

function legacyTask(task: JsonObject): JsonObject {
  return {
    kind: 'task',
    ...task,
    status: legacyStatus(task['status'] as JsonObject),
    artifacts: ((task['artifacts'] ?? []) as JsonObject[]).map(legacyArtifact),
    history: ((task['history'] ?? []) as JsonObject[]).map(legacyMessage),
  };
}

function legacyStatus(status: JsonObject): JsonObject {
  const message = status['message'] as JsonObject | undefined;
  const state = String(status['state']).replace('TASK_STATE_', '').toLowerCase();
  return {
    ...status,
    state: state.replaceAll('_', '-'),
    ...(message && { message: legacyMessage(message) }),
  };
}

function legacyMessage(message: JsonObject): JsonObject {
  return {
    ...message,
    kind: 'message',
    role: message['role'] === 'ROLE_AGENT' ? 'agent' : 'user',
    parts: legacyParts(message['parts'] as JsonObject[]),
  };
}

function legacyArtifact(artifact: JsonObject): JsonObject {
  return { ...artifact, parts: legacyParts(artifact['parts'] as JsonObject[]) };
}

function legacyParts(parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part) => ({ kind: 'text', text: String(part['text'] ?? '') }));
}

/** HTTP+JSON of protocol 1.0 (A2A §11). */
export const HTTP_JSON: ScriptedDialect = {
  card: (card, url) => ({
    ...card,
    supportedInterfaces: [{ url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
  }),
  read(request, text, response) {
    const path = new URL(request.url ?? '', 'http://agent').pathname;
    const body = text === '' ? {} : (JSON.parse(text) as JsonObject);
    const call = (method: string, params: JsonObject): ScriptedCall =>
      new RestCall(method, null, params, request.headers, response);
    if (path === '/message:send') return call('SendMessage', body);
    if (path === '/message:stream') return call('SendStreamingMessage', body);
    if (path === '/tasks') return call('ListTasks', queryOf(request));
    const [, id, verb] = /^\/tasks\/([^/:]+)(?::(\w+))?$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    const params = { id: decodeURIComponent(id) };
    if (verb === undefined) return call('GetTask', params);
    return call(verb === 'cancel' ? 'CancelTask' : 'SubscribeToTask', params);
  },
};

/** Statuses and reasons of the errors these agents answer (A2A §11.6). */
const REST_ERRORS: Readonly<Record<number, readonly [number, string, string]>> = {
  [-32001]: [404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
  [-32002]: [409, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
  [-32004]: [400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
};

class RestCall extends ScriptedCall {
  override result(result: unknown): void {
    this.send(200, JSON.stringify(result));
  }

  override error(code: number, message: string): void {
    const [httpStatus, status, reason] = REST_ERRORS[code] ?? [500, 'INTERNAL', 'INTERNAL'];
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' },
    ];
    this.send(
      httpStatus,
      JSON.stringify({ error: { code: httpStatus, status, message, details } }),
    );
  }

  override event(payload: JsonObject): this {
    return this.write(`data: ${JSON.stringify(payload)}\n\n`);
  }
}

function queryOf(request: IncomingMessage): JsonObject {
  return Object.fromEntries(new URL(request.url ?? '', 'http://agent').searchParams);
}
