import { randomUUID } from 'node:crypto';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import * as grpc from '@grpc/grpc-js';
import type { CallOptions, HubClient } from './hub-client.js';
import type { Json, JsonObject } from './json.js';

/** How one door refused a call, in the door's own terms. */
export interface Refusal {
  /** HTTP status, or gRPC status. */
  readonly status: number;
  /** The JSON-RPC code, where the door has one. */
  readonly code?: number;
  readonly message: string;
  /** `ErrorInfo.reason`, or what stands for it. */
  readonly reason: string | undefined;
  /** Everything the client can see of it, to compare two of them byte for byte. */
  readonly bytes: string;
}

/** Credentials and headers of a call. */
export interface DoorOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One way into the hub, with the operations that every way has. */
export interface Door {
  readonly name: string;
  readonly version: '1.0' | '0.3';
  readonly binding: 'JSON-RPC' | 'HTTP+JSON' | 'gRPC';
  /** Each rejects with {@link DoorError}. `parts` absent: one text part. */
  send(
    fields: { messageId?: string; taskId?: string; parts?: readonly Json[]; agentId?: string },
    options?: DoorOptions,
  ): Promise<JsonObject>;
  get(id: string, options?: DoorOptions): Promise<JsonObject>;
  cancel(id: string, options?: DoorOptions): Promise<JsonObject>;
  /** The first event. */
  subscribe(id: string, options?: DoorOptions): Promise<JsonObject>;
  setPushConfig(taskId: string, config: { id: string; url: string }): Promise<JsonObject>;
  getPushConfig(taskId: string, id: string, options?: DoorOptions): Promise<JsonObject>;
  listPushConfigs(taskId: string): Promise<JsonObject>;
  deletePushConfig(taskId: string, id: string): Promise<JsonObject>;
  extendedCard(options?: DoorOptions): Promise<JsonObject>;
  close(): void;
}

export class DoorError extends Error {
  override readonly name = 'DoorError';
  constructor(readonly refusal: Refusal) {
    super(JSON.stringify(refusal));
  }
}

/** Every door of a hub that serves gRPC. */
export async function allDoors(hub: HubClient): Promise<Door[]> {
  const target = await grpcTargetOf(hub);
  return [
    jsonRpc(hub, '1.0'),
    jsonRpc(hub, '0.3'),
    rest(hub, '1.0'),
    rest(hub, '0.3'),
    currentGrpc(hub, target),
    legacyGrpc(hub, target),
  ];
}

/** `host:port` of the hub's gRPC door, as its card says. */
export async function grpcTargetOf(hub: HubClient): Promise<string> {
  const card = await hub.get('/a2a/.well-known/agent-card.json');
  const interfaces = card.body['supportedInterfaces'] as JsonObject[];
  const found = interfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC');
  if (!found) throw new Error('the card names no gRPC interface');
  return String(found['url']);
}

function jsonRpc(hub: HubClient, version: '1.0' | '0.3'): Door {
  const current = version === '1.0';
  const call = async (
    method: string,
    params: unknown,
    options: DoorOptions = {},
  ): Promise<JsonObject> => {
    const answer = await hub.rpcRaw(method, params, { version: null, ...options });
    const body = JSON.parse(jsonIn(answer.text)) as JsonObject;
    const error = body['error'] as JsonObject | undefined;
    if (!error) return body['result'] as JsonObject;
    throw new DoorError({
      status: answer.status,
      code: Number(error['code']),
      message: String(error['message']),
      reason: reasonIn(error['data']),
      bytes: answer.text,
    });
  };
  return {
    name: `JSON-RPC ${version}`,
    version,
    binding: 'JSON-RPC',
    send: ({ agentId, ...fields }, options) =>
      call(
        current ? 'SendMessage' : 'message/send',
        { message: messageJson(version, fields), ...about(agentId) },
        options,
      ),
    get: (id, options) => call(current ? 'GetTask' : 'tasks/get', { id }, options),
    cancel: (id, options) => call(current ? 'CancelTask' : 'tasks/cancel', { id }, options),
    subscribe: (id, options) =>
      call(current ? 'SubscribeToTask' : 'tasks/resubscribe', { id }, options),
    getPushConfig: (taskId, id, options) =>
      current
        ? call('GetTaskPushNotificationConfig', { taskId, id }, options)
        : call(
            'tasks/pushNotificationConfig/get',
            { id: taskId, pushNotificationConfigId: id },
            options,
          ),
    setPushConfig: (taskId, config) =>
      current
        ? call('CreateTaskPushNotificationConfig', { taskId, ...config })
        : call('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: config }),
    listPushConfigs: (taskId) =>
      current
        ? call('ListTaskPushNotificationConfigs', { taskId })
        : call('tasks/pushNotificationConfig/list', { id: taskId }),
    deletePushConfig: (taskId, id) =>
      current
        ? call('DeleteTaskPushNotificationConfig', { taskId, id })
        : call('tasks/pushNotificationConfig/delete', {
            id: taskId,
            pushNotificationConfigId: id,
          }),
    extendedCard: (options) =>
      call(current ? 'GetExtendedAgentCard' : 'agent/getAuthenticatedExtendedCard', {}, options),
    close: () => undefined,
  };
}

function rest(hub: HubClient, version: '1.0' | '0.3'): Door {
  const base = version === '1.0' ? '/a2a' : '/a2a/v1';
  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: unknown,
    options: DoorOptions = {},
  ): Promise<JsonObject> => {
    const full: CallOptions = { version: null, ...options };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await hub.request(method, base + path, text, full);
    const json = JSON.parse(jsonIn(answer.text)) as JsonObject;
    if (answer.status < 400) return json;
    const error = (json['error'] ?? json) as JsonObject;
    throw new DoorError({
      status: answer.status,
      ...('error' in json ? {} : { code: Number(error['code']) }),
      message: String(error['message']),
      reason: reasonIn(error['details'] ?? error['data']),
      bytes: answer.text,
    });
  };
  const at = (id: string): string => `/tasks/${encodeURIComponent(id)}`;
  return {
    name: `HTTP+JSON ${version}`,
    version,
    binding: 'HTTP+JSON',
    send: ({ agentId, ...fields }, options) =>
      call(
        'POST',
        '/message:send',
        { message: messageJson(version, fields), ...about(agentId) },
        options,
      ),
    get: (id, options) => call('GET', at(id), undefined, options),
    cancel: (id, options) => call('POST', `${at(id)}:cancel`, undefined, options),
    subscribe: (id, options) => call('GET', `${at(id)}:subscribe`, undefined, options),
    getPushConfig: (taskId, id, options) =>
      call('GET', `${at(taskId)}/pushNotificationConfigs/${id}`, undefined, options),
    setPushConfig: (taskId, config) =>
      call(
        'POST',
        `${at(taskId)}/pushNotificationConfigs`,
        version === '1.0' ? config : { pushNotificationConfig: config },
      ),
    listPushConfigs: (taskId) => call('GET', `${at(taskId)}/pushNotificationConfigs`, undefined),
    deletePushConfig: (taskId, id) =>
      call('DELETE', `${at(taskId)}/pushNotificationConfigs/${id}`, undefined),
    extendedCard: (options) =>
      call('GET', version === '1.0' ? '/extendedAgentCard' : '/card', undefined, options),
    close: () => undefined,
  };
}

const CurrentClient = clientOf(A2AService);
const LegacyClient = clientOf(LegacyA2AService);

function currentGrpc(hub: HubClient, target: string): Door {
  const client = new CurrentClient(target, grpc.credentials.createInsecure());
  const { unary, first } = callsOf(hub, client);
  return {
    name: 'gRPC 1.0',
    version: '1.0',
    binding: 'gRPC',
    send: ({ agentId, messageId = randomUUID(), taskId = '', parts = [TEXT_PART] }, options) =>
      unary(
        'sendMessage',
        {
          tenant: agentId ?? '',
          message: {
            messageId,
            taskId,
            contextId: '',
            role: 1,
            parts,
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          },
          configuration: undefined,
          metadata: undefined,
        },
        options,
      ),
    get: (id, options) => unary('getTask', { tenant: '', id }, options),
    cancel: (id, options) => unary('cancelTask', { tenant: '', id, metadata: undefined }, options),
    subscribe: (id, options) => first('subscribeToTask', { tenant: '', id }, options),
    getPushConfig: (taskId, id, options) =>
      unary('getTaskPushNotificationConfig', { tenant: '', taskId, id }, options),
    setPushConfig: (taskId, config) =>
      unary('createTaskPushNotificationConfig', { tenant: '', taskId, token: '', ...config }),
    listPushConfigs: (taskId) =>
      unary('listTaskPushNotificationConfigs', { tenant: '', taskId, pageSize: 0, pageToken: '' }),
    deletePushConfig: (taskId, id) =>
      unary('deleteTaskPushNotificationConfig', { tenant: '', taskId, id }),
    extendedCard: (options) => unary('getExtendedAgentCard', { tenant: '' }, options),
    close: () => client.close(),
  };
}

function legacyGrpc(hub: HubClient, target: string): Door {
  const client = new LegacyClient(target, grpc.credentials.createInsecure());
  const { unary, first } = callsOf(hub, client);
  return {
    name: 'gRPC 0.3',
    version: '0.3',
    binding: 'gRPC',
    send: ({ agentId, messageId = randomUUID(), taskId = '', parts = [LEGACY_PART] }, options) =>
      unary(
        'sendMessage',
        {
          request: {
            messageId,
            taskId,
            contextId: '',
            role: 1,
            content: parts,
            metadata: undefined,
            extensions: [],
          },
          configuration: undefined,
          metadata: agentId === undefined ? undefined : { agentId },
        },
        options,
      ),
    get: (id, options) => unary('getTask', { name: `tasks/${id}`, historyLength: 0 }, options),
    cancel: (id, options) => unary('cancelTask', { name: `tasks/${id}` }, options),
    subscribe: (id, options) => first('taskSubscription', { name: `tasks/${id}` }, options),
    getPushConfig: (taskId, id, options) =>
      unary('getTaskPushNotificationConfig', { name: nameOf(taskId, id) }, options),
    setPushConfig: (taskId, config) =>
      unary('createTaskPushNotificationConfig', {
        parent: `tasks/${taskId}`,
        configId: config.id,
        config: {
          name: nameOf(taskId, config.id),
          pushNotificationConfig: { token: '', ...config },
        },
      }),
    listPushConfigs: (taskId) =>
      unary('listTaskPushNotificationConfig', {
        parent: `tasks/${taskId}`,
        pageSize: 0,
        pageToken: '',
      }),
    deletePushConfig: (taskId, id) =>
      unary('deleteTaskPushNotificationConfig', { name: nameOf(taskId, id) }),
    extendedCard: (options) => unary('getAgentCard', {}, options),
    close: () => client.close(),
  };
}

const TEXT_PART = {
  content: { $case: 'text', value: 'hello' },
  metadata: undefined,
  filename: '',
  mediaType: '',
};
const LEGACY_PART = { part: { $case: 'text', value: 'hello' } };

function messageJson(
  version: '1.0' | '0.3',
  { messageId = randomUUID(), ...fields }: { messageId?: string; parts?: readonly Json[] },
): JsonObject {
  return version === '1.0'
    ? { messageId, role: 'ROLE_USER', parts: [{ text: 'hello' }], ...fields }
    : {
        kind: 'message',
        messageId,
        role: 'user',
        parts: [{ kind: 'text', text: 'hello' }],
        ...fields,
      };
}

function about(agentId: string | undefined): JsonObject {
  return agentId === undefined ? {} : { metadata: { agentId } };
}

function nameOf(taskId: string, configId: string): string {
  return `tasks/${taskId}/pushNotificationConfigs/${configId}`;
}

/** The reason in typed details (1.0), or in the object that stands for them (0.x). */
function reasonIn(details: Json): string | undefined {
  return (Array.isArray(details) ? details[0] : details)?.['reason'] as string | undefined;
}

/** An answer's JSON; of a stream that was read to its end, the first event's. */
function jsonIn(text: string): string {
  if (/^[[{]/.test(text)) return text;
  const line = text.split('\n').find((one) => one.startsWith('data:'));
  if (line === undefined) throw new Error(`neither JSON nor events: ${text.slice(0, 200)}`);
  return line.slice('data:'.length);
}

function clientOf(service: unknown): grpc.ServiceClientConstructor {
  return grpc.makeClientConstructor(service as grpc.ServiceDefinition, 'A2AService');
}

function callsOf(
  hub: HubClient,
  client: grpc.Client,
): Record<
  'unary' | 'first',
  (method: string, request: object, options?: DoorOptions) => Promise<JsonObject>
> {
  const methods = client as unknown as Record<string, (...args: unknown[]) => unknown>;
  return {
    async unary(method, request, options = {}) {
      const metadata = await metadataOf(hub, options);
      return new Promise((resolve, reject) => {
        methods[method]!(
          request,
          metadata,
          (error: grpc.ServiceError | null, answer: JsonObject) =>
            error ? reject(new DoorError(refusalOf(error))) : resolve(answer),
        );
      });
    },
    async first(method, request, options = {}) {
      const metadata = await metadataOf(hub, options);
      const stream = methods[method]!(request, metadata) as grpc.ClientReadableStream<JsonObject>;
      try {
        for await (const event of stream) return event as JsonObject;
      } catch (error) {
        throw new DoorError(refusalOf(error as grpc.ServiceError));
      } finally {
        stream.cancel();
      }
      throw new Error('the stream ended at once');
    },
  };
}

async function metadataOf(hub: HubClient, { key, headers }: DoorOptions): Promise<grpc.Metadata> {
  const metadata = new grpc.Metadata();
  const credential = key === undefined ? await hub.key() : key;
  if (credential !== null) metadata.set('authorization', `Bearer ${credential}`);
  for (const [name, value] of Object.entries(headers ?? {})) metadata.set(name, value);
  return metadata;
}

function refusalOf({ code, details, metadata }: grpc.ServiceError): Refusal {
  const bytes = metadata.get(GRPC_STATUS_DETAILS_BIN)[0] as Buffer | undefined;
  const info =
    bytes && decodeStatus(bytes).details.find(({ typeUrl }) => typeUrl.endsWith('.ErrorInfo'));
  return {
    status: code,
    message: details,
    reason: info && decodeErrorInfo(Buffer.from(info.value)).reason,
    bytes: `${code} ${details} ${bytes?.toString('latin1')}`,
  };
}
