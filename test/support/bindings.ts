import { randomUUID } from 'node:crypto';
import { GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import type { ServiceError } from '@grpc/grpc-js';
import type { Hub } from './app.js';
import { GrpcClient, type GrpcMethod, V0, V1, decodeFailure, grpcTarget } from './grpc-client.js';
import type { CallOptions, HubClient } from './hub-client.js';
import type { Json, JsonObject } from './json.js';

/** How one binding refused a call, in the binding's own terms. */
export interface Refusal {
  /** HTTP status, or gRPC status. */
  readonly status: number;
  /** The JSON-RPC code, where the binding has one. */
  readonly code?: number;
  readonly message: string;
  /** `ErrorInfo.reason`, or what stands for it. */
  readonly reason: string | undefined;
  /** Everything the client can see of it, to compare two of them byte for byte. */
  readonly bytes: string;
}

/** Credentials and headers of a call. */
export interface BindingOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One way into the hub, with the operations that every way has. */
export interface Binding {
  readonly name: string;
  readonly version: '1.0' | '0.3';
  readonly binding: 'JSON-RPC' | 'HTTP+JSON' | 'gRPC';
  /** Each rejects with {@link BindingError}. `parts` absent: one text part. */
  send(
    fields: { messageId?: string; taskId?: string; parts?: readonly Json[]; agentId?: string },
    options?: BindingOptions,
  ): Promise<JsonObject>;
  get(id: string, options?: BindingOptions): Promise<JsonObject>;
  cancel(id: string, options?: BindingOptions): Promise<JsonObject>;
  /** The first event. */
  subscribe(id: string, options?: BindingOptions): Promise<JsonObject>;
  setPushConfig(taskId: string, config: { id: string; url: string }): Promise<JsonObject>;
  getPushConfig(taskId: string, id: string, options?: BindingOptions): Promise<JsonObject>;
  listPushConfigs(taskId: string): Promise<JsonObject>;
  deletePushConfig(taskId: string, id: string): Promise<JsonObject>;
  extendedCard(options?: BindingOptions): Promise<JsonObject>;
  close(): void;
}

export class BindingError extends Error {
  override readonly name = 'BindingError';
  constructor(readonly refusal: Refusal) {
    super(JSON.stringify(refusal));
  }
}

/** Every binding of a hub that serves gRPC. */
export function allBindings(hub: Hub): Binding[] {
  const target = grpcTarget(hub);
  return [
    jsonRpc(hub, '1.0'),
    jsonRpc(hub, '0.3'),
    rest(hub, '1.0'),
    rest(hub, '0.3'),
    currentGrpc(hub, target),
    legacyGrpc(hub, target),
  ];
}

function jsonRpc(hub: HubClient, version: '1.0' | '0.3'): Binding {
  const current = version === '1.0';
  const call = async (
    method: string,
    params: unknown,
    options: BindingOptions = {},
  ): Promise<JsonObject> => {
    const answer = await hub.rpcRaw(method, params, { version: null, ...options });
    const body = JSON.parse(jsonIn(answer.text)) as JsonObject;
    const error = body['error'] as JsonObject | undefined;
    if (!error) return body['result'] as JsonObject;
    throw new BindingError({
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

function rest(hub: HubClient, version: '1.0' | '0.3'): Binding {
  const base = version === '1.0' ? '/a2a' : '/a2a/v1';
  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: unknown,
    options: BindingOptions = {},
  ): Promise<JsonObject> => {
    const full: CallOptions = { version: null, ...options };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await hub.request(method, base + path, text, full);
    const json = JSON.parse(jsonIn(answer.text)) as JsonObject;
    if (answer.status < 400) return json;
    const error = (json['error'] ?? json) as JsonObject;
    throw new BindingError({
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

function currentGrpc(hub: HubClient, target: string): Binding {
  const client = new GrpcClient(target);
  const { unary, first } = callsOf(hub, client);
  return {
    name: 'gRPC 1.0',
    version: '1.0',
    binding: 'gRPC',
    send: ({ agentId, messageId = randomUUID(), taskId = '', parts = [TEXT_PART] }, options) =>
      unary(
        V1.sendMessage,
        {
          tenant: agentId ?? '',
          message: {
            messageId,
            taskId,
            contextId: '',
            role: 1,
            parts: [...parts],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          },
          configuration: undefined,
          metadata: undefined,
        },
        options,
      ),
    get: (id, options) => unary(V1.getTask, { tenant: '', id }, options),
    cancel: (id, options) => unary(V1.cancelTask, { tenant: '', id, metadata: undefined }, options),
    subscribe: (id, options) => first(V1.subscribeToTask, { tenant: '', id }, options),
    getPushConfig: (taskId, id, options) =>
      unary(V1.getTaskPushNotificationConfig, { tenant: '', taskId, id }, options),
    setPushConfig: (taskId, config) =>
      unary(V1.createTaskPushNotificationConfig, {
        tenant: '',
        taskId,
        token: '',
        authentication: undefined,
        ...config,
      }),
    listPushConfigs: (taskId) =>
      unary(V1.listTaskPushNotificationConfigs, { tenant: '', taskId, pageSize: 0, pageToken: '' }),
    deletePushConfig: (taskId, id) =>
      unary(V1.deleteTaskPushNotificationConfig, { tenant: '', taskId, id }),
    extendedCard: (options) => unary(V1.getExtendedAgentCard, { tenant: '' }, options),
    close: () => client.close(),
  };
}

function legacyGrpc(hub: HubClient, target: string): Binding {
  const client = new GrpcClient(target);
  const { unary, first } = callsOf(hub, client);
  return {
    name: 'gRPC 0.3',
    version: '0.3',
    binding: 'gRPC',
    send: ({ agentId, messageId = randomUUID(), taskId = '', parts = [LEGACY_PART] }, options) =>
      unary(
        V0.sendMessage,
        {
          request: {
            messageId,
            taskId,
            contextId: '',
            role: 1,
            content: [...parts],
            metadata: undefined,
            extensions: [],
          },
          configuration: undefined,
          metadata: agentId === undefined ? undefined : { agentId },
        },
        options,
      ),
    get: (id, options) => unary(V0.getTask, { name: `tasks/${id}`, historyLength: 0 }, options),
    cancel: (id, options) => unary(V0.cancelTask, { name: `tasks/${id}` }, options),
    subscribe: (id, options) => first(V0.taskSubscription, { name: `tasks/${id}` }, options),
    getPushConfig: (taskId, id, options) =>
      unary(V0.getTaskPushNotificationConfig, { name: nameOf(taskId, id) }, options),
    setPushConfig: (taskId, config) =>
      unary(V0.createTaskPushNotificationConfig, {
        parent: `tasks/${taskId}`,
        configId: config.id,
        config: {
          name: nameOf(taskId, config.id),
          pushNotificationConfig: { token: '', authentication: undefined, ...config },
        },
      }),
    listPushConfigs: (taskId) =>
      unary(V0.listTaskPushNotificationConfig, {
        parent: `tasks/${taskId}`,
        pageSize: 0,
        pageToken: '',
      }),
    deletePushConfig: (taskId, id) =>
      unary(V0.deleteTaskPushNotificationConfig, { name: nameOf(taskId, id) }),
    extendedCard: (options) => unary(V0.getAgentCard, {}, options),
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

/** The two kinds of calls; each with the key and the headers that it is given. */
function callsOf(
  hub: HubClient,
  client: GrpcClient,
): Record<
  'unary' | 'first',
  <Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
    options?: BindingOptions,
  ) => Promise<JsonObject>
> {
  return {
    async unary(method, request, options = {}) {
      const fields = await fieldsOf(hub, options);
      try {
        return (await client.call(method, request, fields)) as JsonObject;
      } catch (error) {
        throw new BindingError(refusalOf(error as ServiceError));
      }
    },
    async first(method, request, options = {}) {
      const stream = client.stream(method, request, await fieldsOf(hub, options));
      try {
        for await (const event of stream) return event as JsonObject;
      } catch (error) {
        throw new BindingError(refusalOf(error as ServiceError));
      } finally {
        stream.cancel();
      }
      throw new Error('the stream ended at once');
    },
  };
}

async function fieldsOf(
  hub: HubClient,
  { key, headers }: BindingOptions,
): Promise<Record<string, string>> {
  const credential = key === undefined ? await hub.key() : key;
  return { ...(credential !== null && { authorization: `Bearer ${credential}` }), ...headers };
}

function refusalOf(error: ServiceError): Refusal {
  const { code, details, metadata } = error;
  const bytes = metadata.get(GRPC_STATUS_DETAILS_BIN)[0] as Buffer | undefined;
  return {
    status: code,
    message: details,
    reason: decodeFailure(error).reason,
    bytes: `${code} ${details} ${bytes?.toString('latin1')}`,
  };
}
