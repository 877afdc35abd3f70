import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RPC_STATUS, WIRE_ERRORS } from '../../src/a2a/error-map.js';
import type { ErrorReason } from '../../src/common/hub-error.js';
import { ScriptedAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import {
  allDoors,
  type Door,
  DoorError,
  type DoorOptions,
  type Refusal,
} from '../support/doors.js';
import type { JsonObject } from '../support/json.js';

const DOORS = [
  'JSON-RPC 1.0',
  'JSON-RPC 0.3',
  'HTTP+JSON 1.0',
  'HTTP+JSON 0.3',
  'gRPC 1.0',
  'gRPC 0.3',
];

let hub: Hub;
let slow: Hub;
let agent: ScriptedAgent;
let doors: Door[];
let slowDoors: Door[];
let done: string;
let stranger: string;
let readOnly: string;

beforeAll(async () => {
  agent = await ScriptedAgent.start();
  hub = await startHub({ config: { grpc: { port: -1 } } });
  await hub.registerAgent(agent.url, { id: 'worker' });
  await hub.registerAgent(agent.url, { id: 'elsewhere' });
  doors = await allDoors(hub);
  const { task } = await hub.send('hello', { message: { metadata: { agentId: 'worker' } } });
  done = String((task as JsonObject)['id']);
  stranger = await hub.createKey({ name: 'stranger' });
  readOnly = await hub.createKey({ name: 'nothing', scopes: ['push'] });
  slow = await startHub({
    config: { grpc: { port: -1 }, server: { rateLimit: { requestsPerSecond: 1, burst: 0 } } },
  });
  slowDoors = await allDoors(slow);
});

afterAll(async () => {
  for (const door of [...doors, ...slowDoors]) door.close();
  await hub.close();
  await slow.close();
  await agent.close();
});

/** What is refused, for which reason, and how it is done at any door. */
const REFUSALS: readonly [string, ErrorReason, (door: Door) => Promise<unknown>][] = [
  ['an unknown task', 'TASK_NOT_FOUND', (door) => door.get('no-such-task')],
  ["a stranger's task", 'TASK_NOT_FOUND', (door) => door.get(done, { key: stranger })],
  ['a cancel of an unknown task', 'TASK_NOT_FOUND', (door) => door.cancel('no-such-task')],
  ['a cancel of a finished task', 'TASK_NOT_CANCELABLE', (door) => door.cancel(done)],
  ['a subscription to an unknown task', 'TASK_NOT_FOUND', (door) => door.subscribe('no-such-task')],
  ['a subscription to a finished task', 'UNSUPPORTED_OPERATION', (door) => door.subscribe(done)],
  [
    'a message to an unknown task',
    'TASK_NOT_FOUND',
    (door) => door.send({ taskId: 'no-such-task' }),
  ],
  ['a message to a finished task', 'UNSUPPORTED_OPERATION', (door) => door.send({ taskId: done })],
  ['a message without parts', 'INVALID_PARAMS', (door) => door.send({ parts: [] })],
  ['a message without an id', 'INVALID_PARAMS', (door) => door.send({ messageId: '' })],
  ['an id that is too long', 'INVALID_PARAMS', (door) => door.get('x'.repeat(600))],
  ['an unknown agent', 'NO_ROUTE', (door) => door.send({ agentId: 'nobody' })],
  ['a message that nothing routes', 'NO_ROUTE', (door) => door.send({})],
  [
    'an unknown push config',
    'TASK_NOT_FOUND',
    (door) => door.getPushConfig(done, 'no-such-config'),
  ],
  ['a call without a key', 'UNAUTHENTICATED', (door) => door.get(done, { key: null })],
  ['a call with a wrong key', 'UNAUTHENTICATED', (door) => door.get(done, { key: 'wrong' })],
  ['a key without the scope', 'PERMISSION_DENIED', (door) => door.get(done, { key: readOnly })],
  ['an unknown version', 'VERSION_NOT_SUPPORTED', (door) => door.get(done, inVersion('99.0'))],
  ['a version that is none', 'VERSION_NOT_SUPPORTED', (door) => door.get(done, inVersion('new'))],
];

describe.each(DOORS)('%s', (name) => {
  const door = (among = doors): Door => among.find((one) => one.name === name)!;

  it.each(REFUSALS)('refuses %s as %s', async (_what, reason, ask) => {
    const refusal = await refused(ask(door()));
    expect(refusal).toMatchObject(expected(door(), reason));
  });

  it("answers a stranger's task and one that does not exist byte for byte alike", async () => {
    const same = async (ask: (id: string) => Promise<unknown>): Promise<void> => {
      const [theirs, unknown] = [await refused(ask(done)), await refused(ask('no-such-task'))];
      expect(theirs.bytes.replaceAll(done, 'no-such-task')).toBe(unknown.bytes);
    };
    const as = { key: stranger };
    await same((id) => door().get(id, as));
    await same((id) => door().cancel(id, as));
    await same((id) => door().subscribe(id, as));
    await same((id) => door().send({ taskId: id, agentId: 'worker' }, as));
    await same((id) => door().getPushConfig(id, 'config', as));
  });

  it('refuses who calls too often, and says when to come again', async () => {
    const refusals: Refusal[] = [];
    for (let calls = 0; calls < 5 && refusals.length === 0; calls++) {
      const refusal = await refused(door(slowDoors).get('no-such-task'));
      if (refusal.reason === 'RATE_LIMITED') refusals.push(refusal);
    }
    expect(refusals[0]).toMatchObject(expected(door(), 'RATE_LIMITED'));
    expect(refusals[0]!.message + refusals[0]!.bytes).toMatch(/try again in \d+ s|retryAfter/);
  });
});

function inVersion(version: string): DoorOptions {
  return { headers: { 'a2a-version': version } };
}

/** How a reason looks at a door, by the one error map. */
function expected({ binding, version }: Door, reason: ErrorReason): Partial<Refusal> {
  const wire = WIRE_ERRORS[reason];
  const shown = { reason: wire.reason ?? reason };
  if (binding === 'gRPC') return { ...shown, status: RPC_STATUS[wire.status] };
  if (binding === 'JSON-RPC') return { ...shown, status: wire.rpcStatus, code: wire.code };
  return { ...shown, status: wire.httpStatus, ...(version === '0.3' ? { code: wire.code } : {}) };
}

async function refused(asked: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await asked.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DoorError)) throw error;
  return error.refusal;
}
