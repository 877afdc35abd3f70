import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RPC_STATUS, WIRE_ERRORS } from '../../src/a2a/error-map.js';
import type { ErrorReason } from '../../src/common/hub-error.js';
import { type Hub, startHub } from '../support/app.js';
import {
  allBindings,
  type Binding,
  BindingError,
  type BindingOptions,
  type Refusal,
} from '../support/bindings.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const BINDINGS = [
  'JSON-RPC 1.0',
  'JSON-RPC 0.3',
  'HTTP+JSON 1.0',
  'HTTP+JSON 0.3',
  'gRPC 1.0',
  'gRPC 0.3',
];

/** Over the default of `server.bodyLimit`. */
const TOO_LARGE = 11 * 1024 * 1024;

let hub: Hub;
let slow: Hub;
let agent: ScriptedAgent;
let insisting: ScriptedAgent;
let bindings: Binding[];
let slowBindings: Binding[];
let done: string;
let stranger: string;
let readOnly: string;

beforeAll(async () => {
  agent = await ScriptedAgent.start();
  hub = await startHub({ config: { grpc: { port: -1 } } });
  await hub.registerAgent(agent.url, { id: 'worker' });
  await hub.registerAgent(agent.url, { id: 'elsewhere' });
  insisting = await ScriptedAgent.start({
    card: { capabilities: { extensions: [{ uri: 'urn:example:needed', required: true }] } },
  });
  await hub.registerAgent(insisting.url, { id: 'insists' });
  bindings = allBindings(hub);
  const { task } = await hub.send('hello', { message: { metadata: { agentId: 'worker' } } });
  done = String((task as JsonObject)['id']);
  stranger = await hub.createKey({ name: 'stranger' });
  readOnly = await hub.createKey({ name: 'nothing', scopes: ['push'] });
  slow = await startHub({
    config: { grpc: { port: -1 }, server: { rateLimit: { requestsPerSecond: 1, burst: 0 } } },
  });
  slowBindings = allBindings(slow);
});

afterAll(async () => {
  for (const binding of [...bindings, ...slowBindings]) binding.close();
  await hub.close();
  await slow.close();
  await agent.close();
  await insisting.close();
});

/** What is refused, for which reason, and how it is done at any binding. */
const REFUSALS: readonly [string, ErrorReason, (binding: Binding) => Promise<unknown>][] = [
  ['an unknown task', 'TASK_NOT_FOUND', (binding) => binding.get('no-such-task')],
  ["a stranger's task", 'TASK_NOT_FOUND', (binding) => binding.get(done, { key: stranger })],
  ['a cancel of an unknown task', 'TASK_NOT_FOUND', (binding) => binding.cancel('no-such-task')],
  ['a cancel of a finished task', 'TASK_NOT_CANCELABLE', (binding) => binding.cancel(done)],
  [
    'a subscription to an unknown task',
    'TASK_NOT_FOUND',
    (binding) => binding.subscribe('no-such-task'),
  ],
  [
    'a subscription to a finished task',
    'UNSUPPORTED_OPERATION',
    (binding) => binding.subscribe(done),
  ],
  [
    'a message to an unknown task',
    'TASK_NOT_FOUND',
    (binding) => binding.send({ taskId: 'no-such-task' }),
  ],
  [
    'a message to a finished task',
    'UNSUPPORTED_OPERATION',
    (binding) => binding.send({ taskId: done }),
  ],
  ['a message without parts', 'INVALID_PARAMS', (binding) => binding.send({ parts: [] })],
  ['a message without an id', 'INVALID_PARAMS', (binding) => binding.send({ messageId: '' })],
  ['an id that is too long', 'INVALID_PARAMS', (binding) => binding.get('x'.repeat(600))],
  ['an unknown agent', 'NO_ROUTE', (binding) => binding.send({ agentId: 'nobody' })],
  ['a message that nothing routes', 'NO_ROUTE', (binding) => binding.send({})],
  [
    'an unknown push config',
    'TASK_NOT_FOUND',
    (binding) => binding.getPushConfig(done, 'no-such-config'),
  ],
  ['a call without a key', 'UNAUTHENTICATED', (binding) => binding.get(done, { key: null })],
  ['a call with a wrong key', 'UNAUTHENTICATED', (binding) => binding.get(done, { key: 'wrong' })],
  [
    'a key without the scope',
    'PERMISSION_DENIED',
    (binding) => binding.get(done, { key: readOnly }),
  ],
  [
    'an unknown version',
    'VERSION_NOT_SUPPORTED',
    (binding) => binding.get(done, inVersion('99.0')),
  ],
  [
    'a version that is none',
    'VERSION_NOT_SUPPORTED',
    (binding) => binding.get(done, inVersion('new')),
  ],
  [
    'the other version',
    'METHOD_NOT_FOUND',
    (binding) => binding.get(done, inVersion(otherOf(binding))),
  ],
  [
    'an agent that insists on an extension',
    'EXTENSION_SUPPORT_REQUIRED',
    (binding) => binding.send({ agentId: 'insists' }),
  ],
  [
    'a message over the limit',
    'PAYLOAD_TOO_LARGE',
    (binding) => binding.send({ messageId: 'x'.repeat(TOO_LARGE) }),
  ],
];

describe.each(BINDINGS)('%s', (name) => {
  const binding = (among = bindings): Binding => among.find((one) => one.name === name)!;

  it.each(REFUSALS)('refuses %s as %s', async (_what, reason, ask) => {
    const refusal = await refused(ask(binding()));
    expect(refusal).toMatchObject(expected(binding(), reason));
  });

  it("answers a stranger's task and one that does not exist byte for byte alike", async () => {
    const same = async (ask: (id: string) => Promise<unknown>): Promise<void> => {
      const [theirs, unknown] = [await refused(ask(done)), await refused(ask('no-such-task'))];
      expect(theirs.bytes.replaceAll(done, 'no-such-task')).toBe(unknown.bytes);
    };
    const as = { key: stranger };
    await same((id) => binding().get(id, as));
    await same((id) => binding().cancel(id, as));
    await same((id) => binding().subscribe(id, as));
    await same((id) => binding().send({ taskId: id, agentId: 'worker' }, as));
    await same((id) => binding().getPushConfig(id, 'config', as));
  });

  it('refuses who calls too often, and says when to come again', async () => {
    const refusals: Refusal[] = [];
    for (let calls = 0; calls < 5 && refusals.length === 0; calls++) {
      const refusal = await refused(binding(slowBindings).get('no-such-task'));
      if (refusal.reason === 'RATE_LIMITED') refusals.push(refusal);
    }
    expect(refusals[0]).toMatchObject(expected(binding(), 'RATE_LIMITED'));
    const { message, bytes } = refusals[0]!;
    expect(message + bytes).toMatch(/again in [1-9]\d* s/);
  });
});

describe.each(BINDINGS)('what %s does', (name) => {
  it('is seen alike at every binding', async () => {
    const binding = bindings.find((one) => one.name === name)!;
    const id = taskIn(await binding.send({ agentId: 'worker' }));
    for (const other of bindings) {
      expect(taskIn(await other.get(id))).toBe(id);
      expect((await refused(other.cancel(id))).reason).toBe('TASK_NOT_CANCELABLE');
    }
    await binding.setPushConfig(id, { id: 'one', url: 'https://example.com/hook' });
    for (const other of bindings) {
      const config = await other.getPushConfig(id, 'one');
      expect(JSON.stringify(config)).toContain('https://example.com/hook');
    }
    await binding.deletePushConfig(id, 'one');
    for (const other of bindings) {
      expect((await refused(other.getPushConfig(id, 'one'))).reason).toBe('TASK_NOT_FOUND');
    }
  });
});

/** The id of the task in any binding's answer: the task itself, or what wraps it. */
function taskIn(answer: JsonObject): string {
  const task = (answer['task'] ?? answer['payload']?.['value'] ?? answer) as JsonObject;
  return String(task['id']);
}

function otherOf({ version }: Binding): string {
  return version === '1.0' ? '0.3' : '1.0';
}

function inVersion(version: string): BindingOptions {
  return { headers: { 'a2a-version': version } };
}

/** How a reason looks at a binding, by the one error map. */
function expected({ binding, version }: Binding, reason: ErrorReason): Partial<Refusal> {
  const wire = WIRE_ERRORS[reason];
  const shown = { reason: wire.reason ?? reason };
  if (binding === 'gRPC') return { ...shown, status: RPC_STATUS[wire.status] };
  if (binding === 'JSON-RPC') return { ...shown, status: wire.rpcStatus, code: wire.code };
  return { ...shown, status: wire.httpStatus, ...(version === '0.3' ? { code: wire.code } : {}) };
}

async function refused(requested: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await requested.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BindingError)) throw error;
  return error.refusal;
}
