import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RPC_STATUS } from '../../src/a2a/error-map.js';
import { grpcTargetOf } from '../support/doors.js';
import { HostileHub } from '../support/hostile-hub.js';
import { everyFault, mutated, sampled } from '../support/hostile.js';
import { ABOUT, fullPushConfig, fullSend, TASK_PLACES } from '../support/hostile-templates.js';
import type { Json, JsonObject } from '../support/json.js';

const RUNS = 5000;
const DEADLINE_MS = 5000;

/** What a client's fault may be answered with; anything else is the hub's. */
const CLIENT_FAULTS = new Set<number>(
  Object.entries(RPC_STATUS)
    .filter(([name]) => !['INTERNAL', 'UNAVAILABLE'].includes(name))
    .map(([, code]) => code),
);

interface Method {
  readonly path: string;
  readonly requestSerialize: (request: Json) => Buffer;
  /** Requests that are right and have everything in them. */
  readonly variants: readonly JsonObject[];
}

/** A request of a method, as bytes. */
interface HostileCall {
  readonly path: string;
  readonly bytes: Buffer;
  readonly version: string;
}

const CURRENT_PUSH = { tenant: '', taskId: '', ...fullPushConfig('grpc-1.0') };
const LEGACY_PUSH = fullPushConfig('grpc-0.3');

const SERVICES = [
  {
    name: 'gRPC 1.0',
    methods: methodsOf(A2AService, {
      sendMessage: sends('grpc-1.0'),
      sendStreamingMessage: sends('grpc-1.0'),
      getTask: about((id) => ({ tenant: 'quick', id, historyLength: 1 })),
      listTasks: [
        {
          tenant: 'quick',
          contextId: 'context-of-the-client',
          status: 2,
          pageSize: 5,
          pageToken: '',
          historyLength: 1,
          statusTimestampAfter: '2026-01-31T12:00:00.000Z',
          includeArtifacts: true,
        },
      ],
      cancelTask: about((id) => ({ tenant: 'quick', id, metadata: { a: 1 } })),
      subscribeToTask: about((id) => ({ tenant: 'quick', id })),
      createTaskPushNotificationConfig: about((taskId) => ({ ...CURRENT_PUSH, taskId })),
      getTaskPushNotificationConfig: about((taskId) => ({ tenant: '', taskId, id: 'one' })),
      listTaskPushNotificationConfigs: about((taskId) => ({
        tenant: '',
        taskId,
        pageSize: 5,
        pageToken: '',
      })),
      deleteTaskPushNotificationConfig: about((taskId) => ({ tenant: '', taskId, id: 'one' })),
      getExtendedAgentCard: [{ tenant: 'quick' }],
    }),
  },
  {
    name: 'gRPC 0.3',
    methods: methodsOf(LegacyA2AService, {
      sendMessage: sends('grpc-0.3'),
      sendStreamingMessage: sends('grpc-0.3'),
      getTask: about((id) => ({ name: `tasks/${id}`, historyLength: 1 })),
      cancelTask: about((id) => ({ name: `tasks/${id}` })),
      taskSubscription: about((id) => ({ name: `tasks/${id}` })),
      createTaskPushNotificationConfig: about((id) => ({
        parent: `tasks/${id}`,
        configId: 'one',
        config: {
          name: `tasks/${id}/pushNotificationConfigs/one`,
          pushNotificationConfig: LEGACY_PUSH,
        },
      })),
      getTaskPushNotificationConfig: about((id) => ({
        name: `tasks/${id}/pushNotificationConfigs/one`,
      })),
      listTaskPushNotificationConfig: about((id) => ({
        parent: `tasks/${id}`,
        pageSize: 5,
        pageToken: '',
      })),
      deleteTaskPushNotificationConfig: about((id) => ({
        name: `tasks/${id}/pushNotificationConfigs/one`,
      })),
      getAgentCard: [{}],
    }),
  },
];

let hostile: HostileHub;
let client: grpc.Client;

beforeAll(async () => {
  hostile = await HostileHub.start();
  client = new grpc.Client(await grpcTargetOf(hostile.hub), grpc.credentials.createInsecure());
});

afterAll(async () => {
  client.close();
  await hostile.close();
});

describe.each(SERVICES)('the door $name', ({ methods }) => {
  it('takes each request that has everything in it', async () => {
    for (const { path, requestSerialize, variants } of methods) {
      if (/Delete/.test(path)) continue;
      const bytes = Buffer.from(requestSerialize(variants[0]!));
      const { code, details } = await exchange({ path, bytes, version: '' });
      expect([path, grpc.status[code], details]).toEqual([path, 'OK', details]);
    }
  });

  it('survives every value that servers trip over, in every place', async () => {
    expect(await hostile.faultsAfter(every(methods), faultsOf)).toEqual([]);
  }, 180_000);

  it(`survives ${RUNS} malformed requests of every method`, async () => {
    const seed = Date.now() % 2 ** 31;
    const malformed = fc.constantFrom(...methods).chain((method) =>
      fc.record({
        path: fc.constant(method.path),
        bytes: bytesFor(method),
        version: fc.constantFrom('', '', '', '1.0', '0.3', '99.0', 'x'),
      }),
    );
    const faults = await hostile.faultsAfter(sampled(malformed, RUNS, seed), faultsOf);
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  }, 180_000);
});

/** Each method with each fault that its codec can write down. */
function* every(methods: readonly Method[]): Generator<HostileCall> {
  for (const { path, requestSerialize, variants } of methods) {
    const before = new Set<string>();
    for (const document of everyFault(variants)) {
      const bytes = written(requestSerialize, document);
      const key = bytes?.toString('latin1') ?? '';
      if (!bytes || before.has(key)) continue;
      before.add(key);
      yield { path, bytes, version: '' };
    }
  }
}

/** Requests whose members are wrong, whose bytes are torn, or that are no messages at all. */
function bytesFor(method: Method): fc.Arbitrary<Buffer> {
  const wrong = fc
    .constantFrom(...method.variants)
    .chain((right) => mutated(right).map((request) => serialized(method, request, right)));
  return fc.oneof(
    { weight: 5, arbitrary: wrong },
    {
      weight: 3,
      arbitrary: fc.tuple(wrong, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
        const torn = Buffer.from(bytes);
        if (torn.length > 0) torn[at % torn.length] = byte;
        return torn;
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(wrong, fc.nat())
        .map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );
}

/** The codec refuses some of what is wrong; then the request is right, but for an id too many. */
function serialized(method: Method, request: Json, right: JsonObject): Buffer {
  const { requestSerialize } = method;
  const idTooMany = Buffer.from([0x0a, 1, 0]);
  return (
    written(requestSerialize, request) ??
    Buffer.concat([Buffer.from(requestSerialize(right)), idTooMany])
  );
}

function written(serialize: Method['requestSerialize'], request: Json): Buffer | undefined {
  try {
    return Buffer.from(serialize(request));
  } catch {
    return undefined;
  }
}

async function faultsOf(call: HostileCall): Promise<string[]> {
  const { code, details, answers } = await exchange(call);
  const stream = answers.map((answer) => answer.toString('latin1'));
  if (code === grpc.status.OK) return stream.flatMap((answer) => hostile.leaksIn(answer));
  return [
    ...(CLIENT_FAULTS.has(code) ? [] : [`gRPC status ${grpc.status[code]}: ${details}`]),
    ...hostile.leaksIn(details),
  ];
}

interface Exchanged {
  readonly code: grpc.status;
  readonly details: string;
  readonly answers: readonly Buffer[];
}

/** Of a stream, which may stay open, the first message; then its status is OK. */
async function exchange({ path, bytes, version }: HostileCall): Promise<Exchanged> {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${hostile.key}`);
  if (version !== '') metadata.set('a2a-version', version);
  const request = await hostile.inPlace(bytes);
  return new Promise((resolve) => {
    const stream = client.makeServerStreamRequest<Buffer, Buffer>(
      path,
      (message) => message,
      (message) => message,
      request,
      metadata,
      { deadline: Date.now() + DEADLINE_MS },
    );
    stream.on('data', (answer: Buffer) => {
      hostile.note(answer.toString('latin1'));
      resolve({ code: grpc.status.OK, details: '', answers: [answer] });
      stream.cancel();
    });
    stream.on('error', () => undefined);
    stream.on('status', ({ code, details }) => resolve({ code, details, answers: [] }));
  });
}

function methodsOf(
  service: object,
  requests: Readonly<Record<string, readonly JsonObject[]>>,
): Method[] {
  const definitions = service as Record<string, Omit<Method, 'variants'>>;
  return Object.entries(requests).map(([name, variants]) => ({ ...definitions[name]!, variants }));
}

function sends(dialect: 'grpc-1.0' | 'grpc-0.3'): JsonObject[] {
  return [undefined, ...ABOUT.map((place) => TASK_PLACES[place])].map((taskId) =>
    fullSend(dialect, taskId),
  );
}

function about(made: (taskId: string) => JsonObject): JsonObject[] {
  return ABOUT.map((place) => made(TASK_PLACES[place]));
}
