import type { IncomingMessage, ServerResponse } from 'node:http';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { describe, expect, it } from '@jest/globals';
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';

const peers = new PeerAgents();
const PATH = { path: '/a2a/agents/files' };
/** No text, and no base64 of anything. */
const BYTES = Buffer.from([0, 1, 2, 250, 251, 252, 253, 254, 255, 10]);
const ONCE = BYTES.toString('base64');
/** Base64 of the base64 text. */
const TWICE = Buffer.from(ONCE).toString('base64');

/** What the agent is sent, and what the client gets of the same bytes. */
interface Passed {
  readonly sent: string;
  readonly got: string;
}

/** What a server answers when it is asked for a task that it does not have. */
type NoTask = readonly [status: number, body: JsonObject];
const PYTHON: NoTask = [404, { message: 'Task not found' }];
const JAVA: NoTask = [404, { error: 'io.a2a.spec.TaskNotFoundError', message: 'Task not found' }];
const JAVASCRIPT: NoTask = [404, { code: -32001, message: 'Task not found' }];

/** A server over HTTP+JSON 0.3 that sends this text for the bytes of its file. */
async function restAgent(
  noTask: NoTask | 'nothing' | 'a task',
  fileWithBytes: string,
  streaming: boolean,
) {
  const seen = { files: [] as unknown[], requested: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const json = (code: number, body: JsonObject): unknown =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const path = request.url ?? '';
    if (path.startsWith('/.well-known/'))
      return void json(200, cardOf('HTTP+JSON', url, streaming));
    if (request.method === 'GET') {
      seen.requested += 1;
      // As it would go on for ever.
      if (noTask === 'nothing' || seen.requested > 20) return;
      return void (noTask === 'a task' ? json(200, taskOf(fileWithBytes)) : json(...noTask));
    }
    const { message } = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    seen.files.push(message['content'].at(-1).file.fileWithBytes);
    const task = taskOf(fileWithBytes);
    if (!streaming) return void json(200, { task });
    const ids = { taskId: 't', contextId: 'c' };
    const [artifact] = task['artifacts'];
    const { status: done } = task;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { artifactUpdate: { ...ids, artifact, lastChunk: true } },
      { statusUpdate: { ...ids, status: done, final: true } },
    ]) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
  const { url, close } = await listenOnLoopback((request, response) => {
    void answer(request, response);
  });
  await peers.register(url, 'files', close);
  return seen;
}

/** A task that has ended with a file. */
function taskOf(fileWithBytes: string): JsonObject {
  const artifact = { artifactId: 'a', parts: [{ file: { fileWithBytes, mimeType: 'x/y' } }] };
  const status = { state: 'TASK_STATE_COMPLETED' };
  return { id: 't', contextId: 'c', status, artifacts: [artifact] };
}

async function passed(seen: { readonly files: readonly unknown[] }): Promise<Passed> {
  const message = {
    messageId: `m-${Math.random()}`,
    role: 'ROLE_USER',
    parts: [{ text: 'take this' }, { raw: ONCE, mediaType: 'x/y' }],
  };
  const { task } = (await peers.hub.rpc('SendMessage', { message }, PATH)) as JsonObject;
  return { sent: String(seen.files.at(-1)), got: task['artifacts'][0].parts[0].raw as string };
}

describe('files of agents of 0.3 over HTTP+JSON', () => {
  it.each([
    ['Python, streamed', PYTHON, true],
    ['Python', PYTHON, false],
    ['Java', JAVA, false],
  ] as const)('of the SDK for %s are taken for what they mean', async (_, noTask, streaming) => {
    const seen = await restAgent(noTask, TWICE, streaming);
    expect(await passed(seen)).toEqual({ sent: TWICE, got: ONCE });
    expect(await passed(seen)).toEqual({ sent: TWICE, got: ONCE });
    expect(seen.requested).toBe(1);
  });

  it('of others are what they are, also where they look like base64', async () => {
    const seen = await restAgent(JAVASCRIPT, TWICE, true);
    expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
  });

  it('are what the operator says, without asking', async () => {
    const seen = await restAgent(JAVASCRIPT, TWICE, true);
    const set = (files: string | null) =>
      peers.hub.admin('PATCH', '/api/v1/agents/files', { switches: { files } });
    await set('twice');
    expect(await passed(seen)).toEqual({ sent: TWICE, got: ONCE });
    await set('once');
    expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
    expect(seen.requested).toBe(0);
  });

  it.each([false, true])(
    'are what they are where any task is known, which is asked once (streaming: %s)',
    async (streaming) => {
      const seen = await restAgent('a task', TWICE, streaming);
      expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
      expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
      expect(seen.requested).toBe(1);
    },
  );

  it('are what they are where nothing is said, which is waited for once by all messages', async () => {
    const seen = await restAgent('nothing', TWICE, true);
    const both = await Promise.all([passed(seen), passed(seen)]);
    expect(both.map(({ got }) => got)).toEqual([TWICE, TWICE]);
    const began = performance.now();
    expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
    expect([seen.requested, performance.now() - began < 4000]).toEqual([1, true]);
  });

  it('that are no base64 text are left as they are', async () => {
    const seen = await restAgent(PYTHON, ONCE, true);
    expect(await passed(seen)).toEqual({ sent: TWICE, got: ONCE });
  });
});

describe('files of agents of 0.3 over gRPC', () => {
  async function grpcAgent(noTask: string | null) {
    const seen = { files: [] as unknown[], requested: 0 };
    const file = { $case: 'fileWithBytes', value: Buffer.from(ONCE) };
    const part = { part: { $case: 'file', value: { file, mimeType: 'x/y' } } };
    const artifact = { artifactId: 'a', parts: [part], extensions: [] };
    const task = {
      id: 't',
      contextId: 'c',
      status: { state: 3 },
      history: [],
      artifacts: [artifact],
    };
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    server.addService(LegacyA2AService, {
      sendMessage: (call: ServerUnaryCall<JsonObject, unknown>, answer: sendUnaryData<unknown>) => {
        const { content } = call.request['request'] as JsonObject;
        seen.files.push(Buffer.from(content.at(-1).part.value.file.value).toString('base64'));
        answer(null, { payload: { $case: 'task', value: task } });
      },
      getTask: (_call: unknown, answer: sendUnaryData<unknown>) => {
        seen.requested += 1;
        if (noTask !== null) answer({ code: status.NOT_FOUND, details: noTask });
        // As it would go on for ever.
        else if (seen.requested <= 20) answer(null, task);
      },
    });
    const { url, close } = await listenOnLoopback((_request, response) => {
      response.end(JSON.stringify(cardOf('GRPC', `127.0.0.1:${port}`, false)));
    });
    await peers.register(url, 'files', () => {
      server.forceShutdown();
      return close();
    });
    return seen;
  }

  it.each([
    ['Python and Java', 'TaskNotFoundError: Task not found', { sent: TWICE, got: ONCE }],
    ['Go', 'failed to load: task not found', { sent: TWICE, got: ONCE }],
    ['JavaScript', 'Task not found', { sent: ONCE, got: TWICE }],
  ])('of the SDK for %s', async (_, noTask, expected) => {
    expect(await passed(await grpcAgent(noTask))).toEqual(expected);
  });

  it('of a server that knows any task, which is asked once', async () => {
    const seen = await grpcAgent(null);
    expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
    expect(await passed(seen)).toEqual({ sent: ONCE, got: TWICE });
    expect(seen.requested).toBe(1);
  });
});

function cardOf(preferredTransport: string, url: string, streaming: boolean): JsonObject {
  return {
    name: 'Files',
    description: 'Has a file.',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    preferredTransport,
    url,
    capabilities: { streaming },
    defaultInputModes: ['text'],
    defaultOutputModes: ['text'],
    skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
  };
}
