import { spawn } from 'node:child_process';
import type { AgentCard } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { legacyUserMessage, userMessage } from '../support/builders.js';
import type { JsonObject } from '../support/json.js';
import { closeClient, sdkRequest } from '../support/sdk-client.js';

const ROOT = new URL('../../', import.meta.url).pathname;

// The reference agent of the conformance kit, as `npm run tck` starts it, with a hub before it.
let stop: () => Promise<void>;
let agentUrl: string;
let hub: Hub;

beforeAll(async () => {
  ({ agentUrl, stop } = await startAgent(['--client-task-ids', '--work', '150']));
  hub = await startHub({
    config: {
      routing: { defaultAgent: 'conformance' },
      tasks: { acceptClientTaskIds: true, blockingDefault: 'never' },
    },
  });
  await hub.registerAgent(`${agentUrl}/1.0`, { id: 'conformance' });
});

afterAll(async () => {
  await hub.close();
  await stop();
});

describe('a message of the kit for 1.0', () => {
  it.each([
    ['tck-complete-task', 'TASK_STATE_COMPLETED'],
    ['tck-anything-else', 'TASK_STATE_COMPLETED'],
    ['tck-input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['tck-reject-task', 'TASK_STATE_REJECTED'],
  ])('%s gives a task in %s', async (prefix, state) => {
    const { task } = await send(prefix);
    expect(stateOf(task as JsonObject)).toBe(state);
  });

  it('is answered by a message', async () => {
    const { message } = await send('tck-message-response');
    expect(message).toMatchObject({
      role: 'ROLE_AGENT',
      parts: [{ text: 'Direct message response' }],
    });
  });

  it.each([
    ['tck-artifact-text', { text: 'Generated text content' }],
    ['tck-artifact-file', { raw: 'dGNr', filename: 'output.txt', mediaType: 'text/plain' }],
    [
      'tck-artifact-file-url',
      { url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' },
    ],
    ['tck-artifact-data', { data: { key: 'value', count: 42 } }],
  ])('%s gives one artifact of one part', async (prefix, part) => {
    const { task } = await send(prefix);
    expect(task).toMatchObject({ artifacts: [{ parts: [part] }] });
  });

  it.each([
    ['tck-stream-001', ['task', 'WORKING', 'Stream hello from TCK', 'COMPLETED']],
    ['tck-stream-002', ['task', 'COMPLETED']],
    ['tck-stream-003', ['task', 'WORKING', 'Stream task lifecycle', 'COMPLETED']],
    ['tck-stream-ordering-001', ['task', 'WORKING', 'Ordered output', 'COMPLETED']],
    ['tck-stream-artifact-chunked', ['task', 'WORKING', 'chunk-1 ', 'chunk-2', 'COMPLETED']],
  ])('%s streams %j', async (prefix, expected) => {
    const message = userMessage('go', { messageId: `${prefix}-${crypto.randomUUID()}` });
    const stream = await hub.stream('SendStreamingMessage', { message });
    expect((await stream.collect()).map(({ data }) => shown(data))).toEqual(expected);
  });

  it('ends a subscription that began while the task waited', async () => {
    const { task } = (await send('tck-input-required')) as { task: JsonObject };
    const stream = await hub.stream('SubscribeToTask', { id: task['id'] });
    expect(shown((await stream.next())!.data)).toBe('task');
    await send('tck-complete-task', { taskId: task['id'] });
    expect(shown((await stream.collect()).at(-1)!.data)).toBe('COMPLETED');
  });
});

describe('a message of the kits for 0.x', () => {
  it('opens a task at once, which then asks, goes on and can be canceled', async () => {
    const { id } = await sendOlder('test-message-id');
    await asks(id);
    expect(await sendOlder('test-followup-message-id', { taskId: id })).toMatchObject({ id });
    await asks(id);
    const canceled = await older('tasks/cancel', { id });
    expect(canceled).toMatchObject({ id, status: { state: 'canceled' } });
  });

  it('can be canceled straight after it was sent', async () => {
    const { id } = await sendOlder('test-cancel-message-id');
    expect(await older('tasks/cancel', { id })).toMatchObject({ status: { state: 'canceled' } });
  });

  it('opens a task under the id it brings', async () => {
    const taskId = `test-continue-task-${crypto.randomUUID()}`;
    expect(await sendOlder('test-message-id', { taskId })).toMatchObject({ id: taskId });
  });
});

describe('the agent alone', () => {
  it.each(['1.0', '0.3'])('speaks %s over every binding', async (version) => {
    for (const binding of ['JSONRPC', 'HTTP+JSON', 'GRPC']) {
      const client = await clientOf(version, binding);
      try {
        const answer = await client.sendMessage(
          sdkRequest('go', { message: { messageId: 'tck-artifact-text' } }),
        );
        expect(answer).toHaveProperty(
          'artifacts.0.parts.0.content.value',
          'Generated text content',
        );
      } finally {
        closeClient(client);
      }
    }
  });

  it('refuses what the kits want refused', async () => {
    const call = async (body: string): Promise<JsonObject> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${agentUrl}/rpc`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      return (await answer.json()) as JsonObject;
    };
    expect(await call('{"jsonrpc": "2.0", ')).toMatchObject({ error: { code: -32700 } });
    const message = legacyUserMessage('go', { parts: [] });
    const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    expect(await call(JSON.stringify(request))).toMatchObject({ error: { code: -32602 } });
  });
});

/** The SDK's client of the one interface of the agent's card that has this version and binding. */
async function clientOf(version: string, binding: string): Promise<Client> {
  const answer = await fetch(`${agentUrl}/1.0/.well-known/agent-card.json`);
  const card = (await answer.json()) as AgentCard;
  const supportedInterfaces = card.supportedInterfaces
    .filter((each) => each.protocolVersion === version && each.protocolBinding === binding)
    // The SDK dials what it reads, and cards of 0.3 hold URLs.
    .map((each) => (binding === 'GRPC' ? { ...each, url: each.url.replace('http://', '') } : each));
  expect(supportedInterfaces).toHaveLength(1);
  const legacyCompat = { enabled: version === '0.3' };
  return new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ legacyCompat }),
      new RestTransportFactory({ legacyCompat }),
      new GrpcTransportFactory({ legacyCompat }),
    ],
  }).createFromAgentCard({ ...card, supportedInterfaces });
}

function send(prefix: string, fields: JsonObject = {}): Promise<JsonObject> {
  return hub.send('go', { message: { messageId: `${prefix}-${crypto.randomUUID()}`, ...fields } });
}

function older(method: string, params: JsonObject): Promise<JsonObject> {
  return hub.rpc(method, params, { version: null }) as Promise<JsonObject>;
}

/** Sends as the kits for 0.x do, without a word on waiting; the task, which the agent has by then. */
async function sendOlder(prefix: string, fields: JsonObject = {}): Promise<{ id: string }> {
  const messageId = `${prefix}-${crypto.randomUUID()}`;
  const message = legacyUserMessage('go', { messageId, ...fields });
  const task = await older('message/send', { message });
  expect(stateOf(task)).toBe('working');
  return task as { id: string };
}

function asks(id: string): Promise<unknown> {
  return hub.waitForTask(id, 'TASK_STATE_INPUT_REQUIRED');
}

/** A stream's event in a word: the task, a state, or an artifact's text. */
function shown({ statusUpdate, artifactUpdate }: JsonObject): string {
  if (statusUpdate) return stateOf(statusUpdate as JsonObject).replace('TASK_STATE_', '');
  if (!artifactUpdate) return 'task';
  const { artifact } = artifactUpdate as { artifact: { parts: { text: string }[] } };
  return artifact.parts.map(({ text }) => text).join('');
}

/** The agent as a process of its own; resolves once it listens. */
async function startAgent(
  args: readonly string[],
): Promise<{ agentUrl: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['tck/agent.mjs', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /listening on (\S+)\n/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the agent ended (${code}): ${output}`)));
  });
  return {
    agentUrl: url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
