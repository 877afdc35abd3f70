import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesOf,
  hostileHeaders,
  type HostileRequest,
  hostileSegment,
  mutated,
} from '../support/hostile.js';
import { HostileHub } from '../support/hostile-hub.js';
import type { JsonObject } from '../support/json.js';
import { casesOf } from '../support/thorough.js';
import { OLD_MESSAGE, TEXT_MESSAGE } from './bindings-methods.js';

const RUNS = casesOf(300, 2000);

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
}

/** Every route of a version with what is right for it. */
const routes = (message: JsonObject, push: JsonObject): readonly Call[] => [
  { method: 'POST', path: '/message:send', body: { message } },
  { method: 'POST', path: '/message:send', body: withEverything(message) },
  { method: 'POST', path: '/message:stream', body: { message } },
  { method: 'GET', path: '/tasks?pageSize=10&historyLength=1&status=TASK_STATE_WORKING' },
  { method: 'GET', path: '/tasks/{task}?historyLength=2' },
  { method: 'POST', path: '/tasks/{task}:cancel', body: {} },
  { method: 'GET', path: '/tasks/{task}:subscribe' },
  { method: 'POST', path: '/tasks/{task}:subscribe', body: {} },
  { method: 'POST', path: '/tasks/{task}/pushNotificationConfigs', body: push },
  { method: 'GET', path: '/tasks/{task}/pushNotificationConfigs' },
  { method: 'GET', path: '/tasks/{task}/pushNotificationConfigs/one' },
  { method: 'DELETE', path: '/tasks/{task}/pushNotificationConfigs/one' },
];

const CONFIG = { id: 'one', url: 'https://example.com/hook' };
const PROTO_MESSAGE = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hello' }] };

const BINDINGS = [
  {
    name: 'HTTP+JSON 1.0',
    bases: ['/a2a', '/a2a/quick', '/a2a/agents/quick', '/a2a/nobody'],
    calls: [
      ...routes(TEXT_MESSAGE, CONFIG),
      { method: 'GET', path: '/extendedAgentCard' },
    ] as readonly Call[],
  },
  {
    name: 'HTTP+JSON 0.3',
    bases: ['/a2a/v1', '/a2a/agents/quick/v1', '/a2a/agents/nobody/v1'],
    calls: [
      ...routes(OLD_MESSAGE, { pushNotificationConfig: CONFIG }),
      ...routes(PROTO_MESSAGE, { config: { pushNotificationConfig: CONFIG } }),
      { method: 'GET', path: '/card' },
    ] as readonly Call[],
  },
];

/** A send with a member of every kind, in the names of all versions. */
function withEverything(message: JsonObject): JsonObject {
  const config = {
    id: 'c',
    url: 'https://example.com/hook',
    token: 't',
    authentication: { scheme: 'Bearer', schemes: ['Bearer'], credentials: 'x' },
  };
  return {
    message: {
      ...message,
      taskId: '{task}',
      contextId: 'c',
      metadata: { skillTags: ['a'], 'urn:a2a-hub:routing:v1': { tags: ['a'], strategy: 'all' } },
      extensions: ['urn:x'],
      referenceTaskIds: ['{task}'],
    },
    configuration: {
      acceptedOutputModes: ['text/plain'],
      historyLength: 1,
      returnImmediately: true,
      blocking: false,
      taskPushNotificationConfig: config,
      pushNotificationConfig: config,
      pushNotification: config,
    },
    metadata: { deep: [{ a: null }], idempotencyKey: 'k' },
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

let hostile: HostileHub;

beforeAll(async () => {
  hostile = await HostileHub.start();
});

afterAll(() => hostile.close());

describe.each(BINDINGS)('the binding $name', ({ bases, calls }) => {
  it(`survives ${RUNS} malformed requests of every route`, async () => {
    const requests = fc
      .tuple(fc.constantFrom(...bases), fc.constantFrom(...calls))
      .chain(([base, call]) => spoiled(base, call, hostile.taskId));
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        expect(await hostile.faultsOf(request)).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(hostile.faultsOfStorage()).toEqual([]);
  }, 180_000);
});

/** A call with its path, its method, its headers and its body made wrong. */
function spoiled(
  base: string,
  { method, path, body }: Call,
  taskId: string,
): fc.Arbitrary<HostileRequest> {
  const right = path.replace('{task}', taskId);
  const paths = fc.oneof(
    { weight: 6, arbitrary: fc.constant(right) },
    { weight: 2, arbitrary: hostileSegment.map((segment) => path.replace('{task}', segment)) },
    { weight: 1, arbitrary: hostileSegment.map((segment) => `${right}/${segment}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(hostileSegment, hostileSegment)
        .map(([name, value]) => `${right}${right.includes('?') ? '&' : '?'}${name}=${value}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...QUERY), hostileSegment)
        .map(([name, value]) => `${right.split('?')[0]}?${name}=${value}`),
    },
  );
  const methods = fc.oneof(
    { weight: 9, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );
  const bodies =
    body === undefined ? fc.constant(undefined) : bytesOf(mutated(about(taskId, body)));
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json' };
  return fc.tuple(paths, methods, hostileHeaders, bodies).map(([tail, verb, headers, bytes]) => ({
    method: verb,
    path: base + tail,
    headers: { ...type, ...headers },
    body: verb === 'GET' || verb === 'HEAD' ? undefined : bytes,
  }));
}

function about(taskId: string, body: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(body).replaceAll('{task}', taskId)) as JsonObject;
}

const QUERY = [
  'pageSize',
  'page_size',
  'pageToken',
  'historyLength',
  'history_length',
  'status',
  'contextId',
  'includeArtifacts',
  'statusTimestampAfter',
  'A2A-Version',
  'tenant',
  'id',
  'pageSize=1&pageSize',
];
