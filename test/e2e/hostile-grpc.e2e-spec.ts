import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RPC_STATUS } from '../../src/a2a/error-map.js';
import { GrpcClient, V0, V1, asIs } from '../support/grpc-client.js';
import { HostileHub } from '../support/hostile-hub.js';
import { mutated } from '../support/hostile.js';
import type { Json, JsonObject } from '../support/json.js';
import { casesOf } from '../support/thorough.js';

const RUNS = casesOf(300, 2000);
const DEADLINE_MS = 15_000;

/** What a client's fault may be answered with; anything else is the hub's. */
const CLIENT_FAULTS = new Set<number>(
  Object.entries(RPC_STATUS)
    .filter(([name]) => !['INTERNAL', 'UNAVAILABLE'].includes(name))
    .map(([, code]) => code),
);

interface Method {
  readonly path: string;
  readonly requestSerialize: (request: Json) => Buffer;
  readonly responseStream: boolean;
  readonly right: JsonObject;
}

const MESSAGE = {
  messageId: 'm',
  contextId: '',
  taskId: '',
  role: 1,
  metadata: { a: 1 },
  extensions: ['urn:x'],
};
const TASK = 'task-1';

const SERVICES = [
  {
    name: 'gRPC 1.0',
    methods: methodsOf(V1, {
      sendMessage: { tenant: '', message: current(), configuration: undefined },
      sendStreamingMessage: { tenant: '', message: current(), configuration: undefined },
      getTask: { tenant: '', id: TASK, historyLength: 1 },
      listTasks: { tenant: '', contextId: '', status: 0, pageSize: 5, pageToken: '' },
      cancelTask: { tenant: '', id: TASK },
      subscribeToTask: { tenant: '', id: TASK },
      createTaskPushNotificationConfig: {
        tenant: '',
        id: 'one',
        taskId: TASK,
        url: 'https://example.com/hook',
        token: '',
      },
      getTaskPushNotificationConfig: { tenant: '', taskId: TASK, id: 'one' },
      listTaskPushNotificationConfigs: { tenant: '', taskId: TASK, pageSize: 0, pageToken: '' },
      deleteTaskPushNotificationConfig: { tenant: '', taskId: TASK, id: 'one' },
      getExtendedAgentCard: { tenant: '' },
    }),
  },
  {
    name: 'gRPC 0.3',
    methods: methodsOf(V0, {
      sendMessage: { request: legacy() },
      sendStreamingMessage: { request: legacy() },
      getTask: { name: `tasks/${TASK}`, historyLength: 1 },
      cancelTask: { name: `tasks/${TASK}` },
      taskSubscription: { name: `tasks/${TASK}` },
      createTaskPushNotificationConfig: {
        parent: `tasks/${TASK}`,
        configId: 'one',
        config: {
          name: `tasks/${TASK}/pushNotificationConfigs/one`,
          pushNotificationConfig: { id: 'one', url: 'https://example.com/hook', token: '' },
        },
      },
      getTaskPushNotificationConfig: { name: `tasks/${TASK}/pushNotificationConfigs/one` },
      listTaskPushNotificationConfig: { parent: `tasks/${TASK}`, pageSize: 0, pageToken: '' },
      deleteTaskPushNotificationConfig: { name: `tasks/${TASK}/pushNotificationConfigs/one` },
      getAgentCard: {},
    }),
  },
];

let hostile: HostileHub;
let client: GrpcClient;

beforeAll(async () => {
  hostile = await HostileHub.start();
  client = await GrpcClient.of(hostile.hub);
});

afterAll(async () => {
  client.close();
  await hostile.close();
});

describe.each(SERVICES)('the binding $name', ({ methods }) => {
  it(`survives ${RUNS} malformed requests of every method`, async () => {
    const requests = fc.constantFrom(...methods).chain((method) =>
      fc.record({
        method: fc.constant(method),
        bytes: bytesFor(method, hostile.taskId),
        version: fc.constantFrom('', '', '', '1.0', '0.3', '99.0', 'x'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, bytes, version }) => {
        expect(await faultsOf(method, bytes, version)).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(hostile.faultsOfStorage()).toEqual([]);
  }, 180_000);
});

/** Requests whose members are wrong, whose bytes are torn, or that are no messages at all. */
function bytesFor(method: Method, taskId: string): fc.Arbitrary<Buffer> {
  const right = JSON.parse(JSON.stringify(method.right).replaceAll(TASK, taskId)) as JsonObject;
  const wrong = mutated(right).map((request) => serialized(method, request, right));
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
  try {
    return Buffer.from(method.requestSerialize(request));
  } catch {
    return Buffer.concat([Buffer.from(method.requestSerialize(right)), Buffer.from([0x0a, 1, 0])]);
  }
}

async function faultsOf(method: Method, bytes: Buffer, version: string): Promise<string[]> {
  const { code, details, answers } = await exchange(method, bytes, version);
  for (const answer of answers) hostile.note(answer.toString('latin1'));
  if (code === status.OK) return [];
  return [
    ...(CLIENT_FAULTS.has(code) ? [] : [`gRPC status ${status[code]}: ${details}`]),
    ...hostile.leaksIn(details),
  ];
}

interface Exchanged {
  readonly code: status;
  readonly details: string;
  readonly answers: readonly Buffer[];
}

function exchange({ path }: Method, bytes: Buffer, version: string): Promise<Exchanged> {
  return new Promise((resolve) => {
    const answers: Buffer[] = [];
    const stream = client.stream(
      { path, requestSerialize: asIs, responseDeserialize: asIs },
      bytes,
      version === '' ? {} : { 'a2a-version': version },
      { deadline: Date.now() + DEADLINE_MS },
    );
    stream.on('data', (answer: Buffer) => answers.push(answer));
    stream.on('error', () => undefined);
    stream.on('status', ({ code, details }) => resolve({ code, details, answers }));
  });
}

function methodsOf(service: object, right: Readonly<Record<string, JsonObject>>): Method[] {
  const definitions = service as Record<string, Omit<Method, 'right'>>;
  return Object.entries(right).map(([name, request]) => ({
    ...definitions[name]!,
    right: request,
  }));
}

function current(): JsonObject {
  const part = { content: { $case: 'text', value: 'hi' }, filename: '', mediaType: '' };
  return { ...MESSAGE, parts: [part], referenceTaskIds: [] };
}

function legacy(): JsonObject {
  return { ...MESSAGE, content: [{ part: { $case: 'text', value: 'hi' } }] };
}
