import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesOf,
  everyFault,
  hostileHeaders,
  type HostileRequest,
  hostileSegment,
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
import type { Json, JsonObject } from '../support/json.js';

const RUNS = 5000;

/** A call with everything in it. `{task}` in its path is the task that `task` names. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly task?: string;
  readonly query?: JsonObject;
  readonly body?: JsonObject;
}

/** Every route of a version, as variants. */
function routes(written: Written, push: JsonObject): readonly Call[][] {
  const places = ABOUT.map((place) => TASK_PLACES[place]);
  const about = (method: string, path: string, more: Omit<Call, 'method' | 'path'> = {}): Call[] =>
    places.map((task) => ({ method, path: `/tasks/{task}${path}`, task, ...more }));
  const configs = '/pushNotificationConfigs';
  return [
    [undefined, ...places].flatMap((id) =>
      ['send', 'stream'].map((verb) => ({
        method: 'POST',
        path: `/message:${verb}`,
        body: fullSend(written, id),
      })),
    ),
    about('GET', '', { query: { historyLength: 1, tenant: 'quick' } }),
    about('POST', ':cancel', { body: { metadata: { a: 1 } } }),
    about('GET', ':subscribe'),
    about('POST', ':subscribe', { body: {} }),
    about('POST', configs, { body: push }),
    about('GET', configs, { query: { pageSize: 5, pageToken: '' } }),
    about('GET', `${configs}/one`),
    about('DELETE', `${configs}/one`),
  ];
}

const LIST = {
  contextId: 'context-of-the-client',
  status: 'TASK_STATE_WORKING',
  pageSize: 10,
  pageToken: '',
  historyLength: 1,
  statusTimestampAfter: '2026-01-31T12:00:00.000Z',
  includeArtifacts: true,
};

const DOORS = [
  {
    name: 'HTTP+JSON 1.0',
    bases: ['/a2a', '/a2a/quick', '/a2a/agents/quick', '/a2a/nobody'],
    calls: [
      ...routes('json-1.0', fullPushConfig('json-1.0')),
      [{ method: 'GET', path: '/tasks', query: LIST }],
      [{ method: 'GET', path: '/extendedAgentCard', query: { tenant: 'quick' } }],
    ] as readonly Call[][],
  },
  {
    name: 'HTTP+JSON 0.3',
    bases: ['/a2a/v1', '/a2a/agents/quick/v1', '/a2a/agents/nobody/v1'],
    calls: [
      ...routes('json-0.3', { pushNotificationConfig: fullPushConfig('json-0.3') }),
      ...routes('proto-0.3', {
        configId: 'one',
        config: { pushNotificationConfig: fullPushConfig('proto-0.3') },
      }),
      [{ method: 'GET', path: '/tasks', query: LIST }],
      [{ method: 'GET', path: '/card' }],
    ] as readonly Call[][],
  },
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

let hostile: HostileHub;

beforeAll(async () => {
  hostile = await HostileHub.start();
});

afterAll(() => hostile.close());

describe.each(DOORS)('the door $name', ({ bases, calls }) => {
  const base = bases[0]!;

  it('takes each request that has everything in it', async () => {
    const lists = calls.filter(([call]) => call!.method !== 'DELETE');
    for (const [call] of lists) {
      const { status, text } = await hostile.answerTo(requestOf(base, call!));
      const isUnknown = base.endsWith('/v1') && call!.path === '/tasks';
      expect([call!.path, status, text]).toEqual([call!.path, isUnknown ? 404 : 200, text]);
    }
  });

  it('survives every value that servers trip over, in every place', async () => {
    const faults = await hostile.faultsAfter(every(base, calls), (one) => hostile.faultsOf(one));
    expect(faults).toEqual([]);
  }, 180_000);

  it(`survives ${RUNS} malformed requests of every route`, async () => {
    const seed = Date.now() % 2 ** 31;
    const malformed = fc
      .tuple(fc.constantFrom(...bases), fc.constantFrom(...calls.flat()))
      .chain(([at, call]) => spoiled(at, call));
    const requests = sampled(malformed, RUNS, seed);
    const faults = await hostile.faultsAfter(requests, (one) => hostile.faultsOf(one));
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  }, 180_000);
});

/** Each call with each fault in its task, its query and its body. */
function* every(base: string, calls: readonly Call[][]): Generator<HostileRequest> {
  for (const variants of calls) {
    const documents = variants.map(({ task, query, body }) => ({
      ...(task === undefined ? {} : { task }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
    }));
    const { method } = variants[0]!;
    const paths = variants.map(({ path }) => path);
    let turn = 0;
    for (const document of everyFault(documents)) {
      const { task, query, body } = document as Call;
      const path = paths[turn++ % paths.length]!;
      const spoiltQuery = typeof query === 'object' ? query : { query };
      yield requestOf(base, { method, path, task, query: spoiltQuery ?? {}, body });
    }
  }
}

function requestOf(base: string, { method, path, task, query = {}, body }: Call): HostileRequest {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  const tail = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return {
    method,
    path: base + path.replace('{task}', encoded(task)) + tail,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: method === 'GET' || body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
}

/** A value as a path or a query holds it; half a character as bytes that mean nothing. */
function encoded(value: Json): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
}

/** A call with its path, its method, its headers and its body made wrong. */
function spoiled(base: string, call: Call): fc.Arbitrary<HostileRequest> {
  const { path: right } = requestOf(base, call);
  const bare = right.split('?')[0]!;
  const paths = fc.oneof(
    { weight: 6, arbitrary: fc.constant(right) },
    {
      weight: 2,
      arbitrary: hostileSegment.map((segment) => base + call.path.replace('{task}', segment)),
    },
    { weight: 1, arbitrary: hostileSegment.map((segment) => `${bare}/${segment}`) },
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
        .map(([name, value]) => `${bare}?${name}=${value}`),
    },
  );
  const methods = fc.oneof(
    { weight: 9, arbitrary: fc.constant(call.method) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );
  const bodies = call.body === undefined ? fc.constant(undefined) : bytesOf(mutated(call.body));
  const type: Record<string, string> =
    call.body === undefined ? {} : { 'content-type': 'application/json' };
  return fc.tuple(paths, methods, hostileHeaders, bodies).map(([path, verb, headers, bytes]) => ({
    method: verb,
    path,
    headers: { ...type, ...headers },
    body: verb === 'GET' || verb === 'HEAD' ? undefined : bytes,
  }));
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
