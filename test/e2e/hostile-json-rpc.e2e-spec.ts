import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesOf,
  everyFault,
  hostileHeaders,
  type HostileRequest,
  mutated,
  sampled,
} from '../support/hostile.js';
import { HostileHub } from '../support/hostile-hub.js';
import {
  ABOUT,
  fullPushConfig,
  fullSend,
  TASK_PLACES,
  type Written,
} from '../support/hostile-templates.js';
import type { JsonObject } from '../support/json.js';

const RUNS = 5000;
const PATHS = ['/a2a', '/', '/a2a/', '/a2a/agents/quick', '/a2a/agents/nobody'];

/** The methods of a version with params that are right and have everything in them, as variants. */
const DIALECTS: Readonly<Record<string, readonly JsonObject[][]>> = {
  '1.0': [
    sends('json-1.0', 'SendMessage', 'SendStreamingMessage'),
    [
      call('ListTasks', {
        tenant: 'quick',
        contextId: 'context-of-the-client',
        status: 'TASK_STATE_WORKING',
        pageSize: 10,
        pageToken: '',
        historyLength: 1,
        statusTimestampAfter: '2026-01-31T12:00:00.000Z',
        includeArtifacts: true,
      }),
    ],
    about((id) => call('GetTask', { tenant: 'quick', id, historyLength: 1 })),
    about((id) => call('CancelTask', { tenant: 'quick', id, metadata: { reason: 'enough' } })),
    about((id) => call('SubscribeToTask', { tenant: 'quick', id })),
    about((taskId) =>
      call('CreateTaskPushNotificationConfig', { taskId, ...fullPushConfig('json-1.0') }),
    ),
    about((taskId) => call('GetTaskPushNotificationConfig', { taskId, id: 'one' })),
    about((taskId) =>
      call('ListTaskPushNotificationConfigs', { taskId, pageSize: 5, pageToken: '' }),
    ),
    about((taskId) => call('DeleteTaskPushNotificationConfig', { taskId, id: 'one' })),
    [call('GetExtendedAgentCard', { tenant: 'quick' })],
  ],
  '0.3 and 0.2.5': [
    sends('json-0.3', 'message/send', 'message/stream'),
    about((id) => call('tasks/get', { id, historyLength: 1, metadata: { a: 1 } })),
    about((id) => call('tasks/cancel', { id, metadata: { a: 1 } })),
    about((id) => call('tasks/resubscribe', { id, metadata: { a: 1 } })),
    about((taskId) =>
      call('tasks/pushNotificationConfig/set', {
        taskId,
        pushNotificationConfig: fullPushConfig('json-0.3'),
      }),
    ),
    about((id) =>
      call('tasks/pushNotificationConfig/get', { id, pushNotificationConfigId: 'one' }),
    ),
    about((id) => call('tasks/pushNotificationConfig/list', { id, metadata: { a: 1 } })),
    about((id) =>
      call('tasks/pushNotificationConfig/delete', { id, pushNotificationConfigId: 'one' }),
    ),
    about((id) =>
      call('tasks/pushNotification/set', {
        id,
        pushNotificationConfig: {
          ...fullPushConfig('json-0.3'),
          authentication: { type: 'http', scheme: 'bearer', credentials: 'secret' },
        },
      }),
    ),
    about((id) => call('tasks/pushNotification/get', { id })),
    [call('agent/getAuthenticatedExtendedCard', {})],
  ],
};

let hostile: HostileHub;

beforeAll(async () => {
  hostile = await HostileHub.start();
});

afterAll(() => hostile.close());

describe.each(Object.entries(DIALECTS))('the JSON-RPC door, %s', (_name, methods) => {
  it('takes each request that has everything in it', async () => {
    for (const variants of methods.filter(
      ([first]) => !/delete/i.test(first!['method'] as string),
    )) {
      const request = posted('/a2a', Buffer.from(JSON.stringify(variants[0])));
      const { status, text } = await hostile.answerTo(request);
      expect(`${variants[0]!['method']}: ${status} ${text}`).toMatch(/^\S+: 200 (?!.*"error":)/s);
    }
  });

  it('survives every value that servers trip over, in every place', async () => {
    const requests = every(methods);
    const faults = await hostile.faultsAfter(requests, (one) => hostile.faultsOf(one));
    expect(faults).toEqual([]);
  }, 180_000);
});

describe('the JSON-RPC door', () => {
  it(`survives ${RUNS} malformed requests of every method and version`, async () => {
    const seed = Date.now() % 2 ** 31;
    const requests = sampled(malformed(Object.values(DIALECTS).flat(2)), RUNS, seed);
    const faults = await hostile.faultsAfter(requests, (request) => hostile.faultsOf(request));
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  }, 180_000);
});

function sends(written: Written, ...names: string[]): JsonObject[] {
  const tasks = [undefined, ...ABOUT.map((place) => TASK_PLACES[place])];
  return tasks.flatMap((id) => names.map((name) => call(name, fullSend(written, id))));
}

function about(made: (taskId: string) => JsonObject): JsonObject[] {
  return ABOUT.map((place) => made(TASK_PLACES[place]));
}

function call(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: 1, method, params };
}

function* every(methods: readonly JsonObject[][]): Generator<HostileRequest> {
  for (const variants of methods) {
    for (const document of everyFault(variants)) {
      yield posted('/a2a', Buffer.from(JSON.stringify(document)));
    }
  }
}

function malformed(templates: readonly JsonObject[]): fc.Arbitrary<HostileRequest> {
  const documents = fc.constantFrom(...templates).chain(mutated);
  return fc
    .tuple(fc.constantFrom(...PATHS), hostileHeaders, bytesOf(documents))
    .map(([path, headers, body]) => posted(path, body, headers));
}

function posted(
  path: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): HostileRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  };
}
