import { expect } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { V0Dialect } from '../../src/a2a/json-rpc/v0-dialect.js';
import { V1Dialect } from '../../src/a2a/json-rpc/v1-dialect.js';
import { CallAdmission } from '../../src/a2a/call-admission.js';
import { HttpBindings } from '../../src/a2a/http/http-bindings.js';
import { AnswerBudget, answerRules } from '../../src/a2a/limits/answer-budget.js';
import { RequestBodyBudget } from '../../src/a2a/limits/request-body-budget.js';
import { RequestCapacity } from '../../src/a2a/limits/request-capacity.js';
import { OpenCalls } from '../../src/a2a/limits/open-calls.js';
import { Turns } from '../../src/a2a/limits/turns.js';
import { Uploads } from '../../src/a2a/limits/uploads.js';
import { JsonRpcBinding } from '../../src/a2a/json-rpc/json-rpc.binding.js';
import { RpcDispatcher } from '../../src/a2a/json-rpc/rpc-dispatcher.js';
import { HubRequestHandler } from '../../src/a2a/hub-request-handler.js';
import { V0RestBinding } from '../../src/a2a/rest/v0-rest.binding.js';
import { V1RestBinding } from '../../src/a2a/rest/v1-rest.binding.js';
import { RateLimit } from '../../src/a2a/rate-limit.js';
import type { CardService } from '../../src/a2a/cards/card.service.js';
import { EventStreams } from '../../src/a2a/sse/event-streams.js';
import {
  type AccessTokens,
  type AuthService,
  Challenges,
  CredentialWatch,
  HttpAccess,
  type Principal,
} from '../../src/auth/index.js';
import { VouchedCalls } from '../../src/auth/vouched-calls.js';
import { SystemClock } from '../../src/common/clock.js';
import { Draining } from '../../src/common/draining.js';
import { HubError } from '../../src/common/hub-error.js';
import type { Log } from '../../src/common/logger.js';
import { configWith, type PublicUrl } from '../../src/config/index.js';
import { Role, type Task, TaskState } from '../../src/protocol/a2a.js';
import type { PushConfigService } from '../../src/push/index.js';
import type { StreamItem, TaskService } from '../../src/tasks/index.js';

import type { Json } from '../support/json.js';

/** One call that reached the operations behind the bindings. */
interface HandledCall {
  readonly operation: string;
  readonly arguments: readonly Json[];
}

/** The callers of the harness have no keys that could be revoked. */
const NO_KEYS = {
  revision: () => Promise.resolve(0),
  validCredentials: () => Promise.resolve(new Map<string, null>()),
};

export interface BindingHarness {
  readonly server: FastifyInstance;
  /** Everything that came through the bindings, oldest first. */
  readonly calls: HandledCall[];
  /** How many streams are open. */
  readers(): number;
  readonly draining: Draining;
  /** Errors the bindings noted. */
  readonly logged: unknown[];
  /** Forgets the calls, and what {@link on} has replaced. */
  reset(): void;
  /** Replaces what an operation does. */
  on(operation: string, behaviour: (...args: Json[]) => unknown): void;
  /** Any request; without a body it has no `Content-Type` either, unless the headers say so. */
  request(
    method: string,
    url: string,
    options?: RequestOptions,
  ): Promise<{ status: number; headers: Json; text: string; body: Json }>;
  post(
    body: unknown,
    options?: PostOptions,
  ): Promise<{ status: number; headers: Json; text: string; body: Json }>;
  rpc(method: string, params: unknown, options?: PostOptions): Promise<Json>;
}

interface RequestOptions {
  readonly headers?: Record<string, string>;
  /** Sent as it is when it is text, else as JSON. */
  readonly body?: unknown;
}

interface PostOptions {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly id?: unknown;
}

/** A task as the operations behind the bindings give it. */
function doneTask(): Task {
  return {
    id: 'task-1',
    contextId: 'context-1',
    status: {
      state: TaskState.TASK_STATE_COMPLETED,
      message: undefined,
      timestamp: '2026-01-31T12:00:00.000Z',
    },
    artifacts: [],
    history: [],
    metadata: undefined,
  };
}

/** A message as an agent answers with it. */
export function agentMessage(): Json {
  return {
    messageId: 'answer-1',
    contextId: 'context-1',
    taskId: '',
    role: Role.ROLE_AGENT,
    parts: [
      {
        content: { $case: 'text', value: 'hello' },
        metadata: undefined,
        filename: '',
        mediaType: '',
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const CAPABILITIES = { streaming: true, pushNotifications: true, extendedAgentCard: false };

/** The JSON-RPC binding on a bare server; what lies behind it is recorded and answers what it is told. */
export async function startBindings(overrides: Json = {}): Promise<BindingHarness> {
  const calls: HandledCall[] = [];
  const behaviours = new Map<string, (...args: Json[]) => unknown>(Object.entries(defaults()));
  const recorded =
    (operation: string) =>
    (...args: unknown[]) => {
      calls.push({ operation, arguments: args });
      return behaviours.get(operation)!(...args);
    };
  const fake = (prefix: string): unknown =>
    new Proxy({}, { get: (_target, name) => recorded(`${prefix}.${String(name)}`) });

  const config = configWith({ ...overrides, log: { level: 'silent' } });
  const logged: unknown[] = [];
  const log = { error: (fields: object) => logged.push(fields) } as unknown as Log;
  const draining = new Draining();
  const handler = new HubRequestHandler(
    fake('tasks') as TaskService,
    fake('push') as PushConfigService,
    { capabilities: CAPABILITIES } as CardService,
    config,
    { rulesFor: () => null, refuseOperation: () => undefined },
  );
  const streams = new EventStreams(config, draining, log);
  const dispatcher = new RpcDispatcher(new V1Dialect(handler), new V0Dialect(handler));
  const auth = { authenticate } as unknown as AuthService;
  const challenges = new Challenges({ issuers: [] } as unknown as AccessTokens, {} as PublicUrl);
  const capacity = new RequestCapacity(
    new RequestBodyBudget(config),
    new Turns(config),
    new OpenCalls(config),
    new Uploads(new SystemClock(), log),
    new AnswerBudget(answerRules()),
    new SystemClock(),
    log,
  );
  const http = new HttpBindings(
    { httpAdapter: { getInstance: () => server } } as never,
    new CallAdmission(
      auth,
      new RateLimit(config, { isSetFor: () => false, countRequest: () => undefined }),
      new CredentialWatch(
        NO_KEYS,
        log,
        new SystemClock(),
        new VouchedCalls(new SystemClock(), log),
      ),
      challenges,
    ),
    streams,
    config,
    log,
    capacity,
    challenges,
  );
  const server = Fastify({ routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 } });
  server.addHook('onRequest', (request, _reply, done) => {
    request.note = { id: request.id };
    done();
  });
  new HttpAccess(auth, challenges, config).guard(server, {
    ignoreTrailingSlash: true,
    maxParamLength: 1000,
  });
  new JsonRpcBinding(http, dispatcher).onModuleInit();
  new V1RestBinding(http, handler).onModuleInit();
  new V0RestBinding(http, handler).onModuleInit();
  await server.ready();
  const harness: BindingHarness = {
    server,
    calls,
    readers: () => (streams as unknown as { open: Map<unknown, unknown> }).open.size,
    draining,
    logged,
    reset() {
      calls.length = 0;
      for (const [operation, behaviour] of Object.entries(defaults())) {
        behaviours.set(operation, behaviour);
      }
    },
    on: (operation, behaviour) => void behaviours.set(operation, behaviour),
    async request(method, url, { headers = {}, body } = {}) {
      const answer = await server.inject({
        method: method as 'GET',
        url,
        headers: {
          authorization: 'Bearer alice',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = answer.body;
      return { status: answer.statusCode, headers: answer.headers, text, body: parse(text) };
    },
    post: (body, { path = '/a2a', headers = {} } = {}) =>
      harness.request('POST', path, { body, headers }),
    async rpc(method, params, options = {}) {
      const id = options.id === undefined ? 7 : options.id;
      const { body } = await harness.post({ jsonrpc: '2.0', id, method, params }, options);
      return body;
    },
  };
  return harness;
}

/** At the routes of HTTP+JSON below a prefix a subscribe never cancels, whatever the id. */
export async function subscribesAndCancels(
  bindings: BindingHarness,
  prefix: string,
): Promise<void> {
  const ids = ['x', 'a:b', 'x:cancel', 'cancel', 'tasks', 'v1', 'a%2Fb', ':', 'x%3Acancel'];
  for (const method of ['GET', 'POST']) {
    for (const id of ids) {
      bindings.reset();
      const answer = await bindings.request(method, `${prefix}/tasks/${id}:subscribe`);
      expect(answer.status).toBe(200);
      expect(bindings.calls).toMatchObject([
        { operation: 'tasks.subscribe', arguments: [decodeURIComponent(id), {}] },
      ]);
    }
  }
  for (const id of ids) {
    bindings.reset();
    await bindings.request('POST', `${prefix}/tasks/${id}:cancel`);
    expect(bindings.calls).toMatchObject([
      { operation: 'tasks.cancel', arguments: [decodeURIComponent(id), {}] },
    ]);
  }
}

/** The events of an SSE body. */
export function eventsOf(text: string): { id: string | undefined; data: Json }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!),
    }));
}

/** A stream of these StreamResponses, in 1.0 wire JSON. */
export async function* streamOf(...payloads: unknown[]): AsyncGenerator<StreamItem, void> {
  for (const [index, payload] of payloads.entries()) {
    yield { seq: index + 1, body: JSON.stringify(payload) };
  }
}

async function authenticate(headers: Json): Promise<Principal> {
  const name = /^Bearer (.+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
  if (name === undefined) throw new HubError('UNAUTHENTICATED', 'An API key is needed.');
  const scopes: Principal['scopes'] = new Set(name === 'noscope' ? [] : ['a2a']);
  return { id: name, organization: 'tests', scopes };
}

function defaults(): Record<string, (...args: Json[]) => unknown> {
  const config = {
    tenant: '',
    id: 'config-1',
    taskId: 'task-1',
    url: 'https://example.com/hook',
    token: '',
    authentication: undefined,
  };
  const update = {
    statusUpdate: {
      taskId: 'task-1',
      contextId: 'context-1',
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-31T12:00:00.000Z' },
    },
  };
  return {
    'tasks.send': async () => ({ kind: 'task', task: doneTask() }),
    'tasks.sendStream': () => streamOf(update),
    'tasks.subscribe': () => streamOf(update),
    'tasks.get': async () => doneTask(),
    'tasks.list': async () => ({
      tasks: [doneTask()],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 1,
    }),
    'tasks.cancel': async () => doneTask(),
    'push.create': async () => config,
    'push.get': async () => config,
    'push.list': async () => ({ configs: [config], nextPageToken: '' }),
    'push.delete': async () => undefined,
    'push.inline': async () => function* () {},
  };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
