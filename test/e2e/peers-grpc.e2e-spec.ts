import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { GrpcClient, V0, V1, grpcTarget } from '../support/grpc-client.js';
import { type PeersHub, startPeersHub } from '../support/peers.js';

let peers: PeersHub;
let client: GrpcClient;

beforeAll(async () => {
  peers = await startPeersHub();
  client = await GrpcClient.of(peers.hub);
});

afterAll(async () => {
  client.close();
  await peers.close();
});

const LENGTH = 2;
const VARINT = 0;

type Field = readonly [number: number, value: string | Uint8Array | number | boolean];

/** A protobuf message of these fields; also values that an encoder would leave out as defaults. */
function message(...fields: Field[]): Buffer {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) {
    if (typeof value === 'string') writer.tag(number, LENGTH).string(value);
    else if (value instanceof Uint8Array) writer.tag(number, LENGTH).bytes(value);
    else writer.tag(number, VARINT).uint32(Number(value));
  }
  return Buffer.from(writer.finish());
}

const ROLE_USER = 1;

/** The message of a client: id, role and one text part, which both versions number alike. */
const userMessage = (text: string): Buffer =>
  message([1, `m-grpc-${text.length}`], [4, ROLE_USER], [5, message([1, text])]);

/** `SendMessage` of 0.3: `request` = 1, `configuration` = 2. */
async function send03(text: string, configuration?: Buffer): Promise<string> {
  const fields: Field[] = [[1, userMessage(text)]];
  if (configuration !== undefined) fields.push([2, configuration]);
  const { answer } = await client.exchange('/a2a.v1.A2AService/SendMessage', message(...fields));
  const { payload } = V0.sendMessage.responseDeserialize(answer);
  if (payload?.$case !== 'task') throw new Error(`no task: ${JSON.stringify(payload)}`);
  return String(payload.value.status?.state);
}

/** `TaskState` of the proto of 0.3. */
const COMPLETED_03 = '3';

describe('requests: the services of gRPC', () => {
  it('lf.a2a.v1.A2AService is 1.0, with the version and the key in metadata', async () => {
    const anonymous = new GrpcClient(grpcTarget(peers.hub));
    const { answer } = await anonymous.exchange(
      '/lf.a2a.v1.A2AService/SendMessage',
      message([2, userMessage('go')]),
      { 'a2a-version': '1.0', authorization: `Bearer ${await peers.hub.key()}` },
    );
    anonymous.close();
    const { payload } = V1.sendMessage.responseDeserialize(answer);
    expect(payload).toMatchObject({ $case: 'task', value: { status: { state: 3 } } });
  });

  it('a2a.v1.A2AService is 0.3, without a version', async () => {
    expect(await send03('go')).toBe(COMPLETED_03);
  });
});

describe('requests: blocking in gRPC', () => {
  it('0.3 without a configuration waits (a2a-go v0.3)', async () => {
    expect(await send03('take your time')).toBe(COMPLETED_03);
  });

  it('0.3 with blocking waits (a2a-sdk 0.3)', async () => {
    expect(await send03('take your time', message([4, true]))).toBe(COMPLETED_03);
  });

  it('0.3 with a configuration that says blocking: false does not (a2a-go v0.3 with a webhook)', async () => {
    const webhook = message([2, 'https://example.com/hook']);
    const state = await send03('take your time', message([2, webhook], [4, false]));
    expect(['1', '2']).toContain(state);
  });

  it('1.0 without a configuration waits', async () => {
    const { answer } = await client.exchange(
      '/lf.a2a.v1.A2AService/SendMessage',
      message([2, userMessage('take your time')]),
      { 'a2a-version': '1.0' },
    );
    const { payload } = V1.sendMessage.responseDeserialize(answer);
    expect(payload).toMatchObject({ $case: 'task', value: { status: { state: 3 } } });
  });
});

describe('requests: ListTasks in gRPC', () => {
  it('page_size: 0, which a2a-go v2 writes out, is the default', async () => {
    await peers.finish();
    const { answer } = await client.exchange('/lf.a2a.v1.A2AService/ListTasks', message([4, 0]), {
      'a2a-version': '1.0',
    });
    const { tasks, pageSize } = V1.listTasks.responseDeserialize(answer);
    expect(tasks.length).toBeGreaterThan(0);
    expect(pageSize).toBeGreaterThan(1);
  });
});

describe('answers: gRPC', () => {
  it.each([
    [
      '1.0',
      '/lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig',
      (id: string) => message([2, id], [3, 'c']),
    ],
    [
      '0.3',
      '/a2a.v1.A2AService/DeleteTaskPushNotificationConfig',
      (id: string) => message([1, `tasks/${id}/pushNotificationConfigs/c`]),
    ],
  ])('the deletion of a push config is an empty message in %s', async (_version, path, request) => {
    const id = await peers.finish();
    await peers.hub.rpc('CreateTaskPushNotificationConfig', {
      taskId: id,
      id: 'c',
      url: 'https://example.com/hook',
    });
    const { answer } = await client.exchange(path, request(id));
    expect(answer).toHaveLength(0);
    expect(
      (await peers.hub.rpc('ListTaskPushNotificationConfigs', { taskId: id })).configs,
    ).toEqual([]);
  });
});
