import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Message, type Part, type Task, TaskState } from '@a2a-js/sdk';
import type { Transport } from '@a2a-js/sdk/client';
import { LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { type AgentTurn, type RunningAgent, startSdkAgent, textPart } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { collect, kindsOf, sdkRequest } from '../support/sdk-client.js';

const WEBHOOK = 'https://example.com/hook';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const BYTES = Buffer.from([0, 255, 128, 10]);

/** What the agents of this file do, by the message's text. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.text === 'reply') {
    turn.reply('just a message');
    return;
  }
  turn.task();
  if (turn.text === 'ask') turn.askForInput('Which one?');
  else if (turn.text === 'wait') await turn.pause(30_000);
  else if (turn.text === 'parts') turn.artifactOf('parts', turn.message.parts).complete();
  else turn.artifact('answer', `echo of ${turn.text}`).complete('done');
}

let hub: Hub;
let agents: RunningAgent[];

beforeAll(async () => {
  hub = await startHub();
  agents = [
    await startSdkAgent({ name: 'echo', execute: behave }),
    await startSdkAgent({ name: 'other', execute: behave }),
  ];
  await hub.registerAgent(agents[0]!.url, { id: 'echo' });
  await hub.registerAgent(agents[1]!.url, { id: 'other' });
});

afterAll(async () => {
  await hub?.close();
  await Promise.all((agents ?? []).map((agent) => agent.close()));
});

describe.each(['/a2a', '/a2a/agents/echo'])("the SDK's REST client of 0.3 at %s", (path) => {
  let client: Transport;

  beforeAll(async () => {
    const key = await hub.key();
    client = new LegacyRestTransport({
      endpoint: hub.url + path,
      fetchImpl: (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${key}`);
        return fetch(url, { ...init, headers });
      },
    });
  });

  const to = (text: string, more: Partial<Message> = {}): ReturnType<typeof sdkRequest> =>
    sdkRequest(text, { message: { metadata: { agentId: 'echo' }, ...more } });

  const send = async (text: string, more: Partial<Message> = {}): Promise<Task> =>
    taskOf(await client.sendMessage(to(text, more)));

  const begun = async (text: string): Promise<Task> => {
    const request = to(text);
    request.configuration!.returnImmediately = true;
    return taskOf(await client.sendMessage(request));
  };

  it('sends and waits, and gets what it was given', async () => {
    const task = await send('this');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]!.parts[0]!.content).toEqual({ $case: 'text', value: 'echo of this' });
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
    const bare = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect([task.history.length, bare.history.length]).toEqual([1, 0]);
  });

  it('is given a message for a message', async () => {
    const result = (await client.sendMessage(to('reply'))) as Message;
    expect(result.parts[0]!.content).toEqual({ $case: 'text', value: 'just a message' });
    const events = await collect(client.sendMessageStream(to('reply')));
    expect(kindsOf(events)).toEqual(['message']);
  });

  it('carries files and data there and back', async () => {
    const parts: Part[] = [
      textPart('parts'),
      file({ $case: 'raw', value: BYTES }, 'application/octet-stream'),
      file({ $case: 'url', value: 'https://example.com/a.png' }, 'image/png'),
      file({ $case: 'data', value: { list: [1, { deep: null }] } }, ''),
    ];
    const task = await send('parts', { parts });
    const contents = task.artifacts[0]!.parts.map(({ content }) => content);
    expect(contents[1]).toEqual({ $case: 'raw', value: BYTES });
    expect(contents.slice(2)).toEqual(parts.slice(2).map(({ content }) => content));
    expect(task.artifacts[0]!.parts[2]!.mediaType).toBe('image/png');
    const atAgent = agents[0]!.turns.at(-1)!.message.parts.map(({ content }) => content);
    expect(atAgent[1]).toEqual({ $case: 'raw', value: BYTES });
  });

  it('streams a task to its end', async () => {
    const events = await collect(client.sendMessageStream(to('that')));
    expect(events[0]!.payload?.$case).toBe('task');
    expect(kindsOf(events)).toContain('artifactUpdate');
    expect(events.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });

  it('returns at once when it does not want to wait, subscribes and cancels', async () => {
    const task = await begun('wait');
    const stream = client.resubscribeTask({ tenant: '', id: task.id });
    const first = await stream.next();
    expect(first.value?.payload).toMatchObject({ $case: 'task', value: { id: task.id } });
    const canceled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const rest = await collect(stream);
    expect(rest.at(-1)!.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_CANCELED } },
    });
  });

  it('answers a question', async () => {
    const asked = await send('ask');
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = asked;
    const done = await send('this one', { taskId, contextId });
    expect([done.id, done.status?.state]).toEqual([taskId, TaskState.TASK_STATE_COMPLETED]);
  });

  it('keeps push configs', async () => {
    const { id: taskId } = await send('this');
    const config = {
      tenant: '',
      id: 'p-1',
      taskId,
      url: WEBHOOK,
      token: '',
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    };
    const set = await client.createTaskPushNotificationConfig(config);
    expect(set).toMatchObject({ id: 'p-1', taskId, url: WEBHOOK });
    expect(JSON.stringify(set)).not.toContain('secret');
    expect(await client.getTaskPushNotificationConfig({ tenant: '', id: 'p-1', taskId })).toEqual(
      set,
    );
    const list = { tenant: '', taskId, pageSize: 0, pageToken: '' };
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([set]);
    await client.deleteTaskPushNotificationConfig({ tenant: '', id: 'p-1', taskId });
    expect((await client.listTaskPushNotificationConfig(list)).configs).toEqual([]);
  });

  it('is told of errors by their class', async () => {
    const { id } = await send('this');
    const errors = [
      client.getTask({ tenant: '', id: UNKNOWN }),
      client.cancelTask({ tenant: '', id, metadata: undefined }),
      client.resubscribeTask({ tenant: '', id: UNKNOWN }).next(),
      client.sendMessage(to('more', { taskId: id })),
    ].map((refused) =>
      refused.then(
        () => 'no error',
        (error: Error) => error.name,
      ),
    );
    expect(await Promise.all(errors)).toEqual([
      'TaskNotFoundError',
      'TaskNotCancelableError',
      'TaskNotFoundError',
      'UnsupportedOperationError',
    ]);
  });

  it('reads the extended card', async () => {
    const card = await client.getExtendedAgentCard({ tenant: '' });
    expect(Object.keys(card.securitySchemes)).toContain('bearer');
    expect(card.skills.length).toBeGreaterThan(0);
  });
});

/** Requests as other clients write them, byte for byte but for the ids. */
describe('recorded requests of HTTP+JSON 0.3', () => {
  const PYTHON = { 'user-agent': 'python-httpx/0.28.1' };
  const JAVA = { 'user-agent': 'Java-http-client/17.0.13' };
  const GO = { 'user-agent': 'Go-http-client/1.1' };
  /** Base64 of base64, as these three write a file. */
  const TWICE = Buffer.from(BYTES.toString('base64')).toString('base64');

  const exchange = (
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): ReturnType<Hub['rest']> =>
    hub.rest(method, `/a2a/agents/echo/v1${path}`, body, { version: null, headers });

  it('Python (a2a-sdk 0.3.26): send, get, cancel, push', async () => {
    const sent = await exchange(
      'POST',
      '/message:send',
      '{"message":{"messageId":"m-py-1","role":"ROLE_USER","content":[{"text":"parts","metadata":{"a":1.0}},' +
        `{"file":{"fileWithBytes":"${TWICE}","mimeType":"application/octet-stream","name":"a.bin"}},` +
        '{"file":{"fileWithUri":"https://example.com/x.png","name":"x.png"}},' +
        '{"data":{"data":{"k":[1.0,{"z":null}]}}}]},"configuration":{"blocking":true}}',
      PYTHON,
    );
    expect(sent.status).toBe(200);
    const { task } = sent.body;
    expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(task.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(task.artifacts[0].parts).toEqual([
      { text: 'parts', metadata: { a: 1 } },
      {
        file: { fileWithBytes: TWICE, mimeType: 'application/octet-stream', name: 'a.bin' },
      },
      { file: { fileWithUri: 'https://example.com/x.png', name: 'x.png' } },
      { data: { data: { k: [1, { z: null }] } } },
    ]);
    const received = agents[0]!.turns.at(-1)!.message.parts;
    expect(received[1]).toMatchObject({
      content: { $case: 'raw', value: BYTES },
      filename: 'a.bin',
    });

    const got = await exchange('GET', `/tasks/${task.id}?historyLength=1`, undefined, PYTHON);
    expect(got.body).toEqual(task);
    const unknown = await exchange(
      'POST',
      `/tasks/${UNKNOWN}:cancel`,
      `{"name":"tasks/${UNKNOWN}"}`,
      PYTHON,
    );
    expect([unknown.status, unknown.body.code]).toEqual([404, -32001]);

    const set = await exchange(
      'POST',
      `/tasks/${task.id}/pushNotificationConfigs`,
      `{"parent":"tasks/${task.id}","configId":"p-1","config":{"name":"tasks/${task.id}/pushNotificationConfigs/p-1",` +
        '"pushNotificationConfig":{"id":"p-1","url":"https://example.com/hook","token":"tok",' +
        '"authentication":{"schemes":["Bearer"],"credentials":"c"}}}}',
      PYTHON,
    );
    expect(set.body).toEqual({
      name: `tasks/${task.id}/pushNotificationConfigs/p-1`,
      pushNotificationConfig: {
        id: 'p-1',
        url: WEBHOOK,
        authentication: { schemes: ['Bearer'] },
      },
    });
    const config = `/tasks/${task.id}/pushNotificationConfigs/p-1`;
    expect((await exchange('GET', config, undefined, PYTHON)).body).toEqual(set.body);
    const removed = await exchange('DELETE', config, undefined, PYTHON);
    expect([removed.status, removed.text]).toEqual([200, '{}']);
  });

  it('Java (a2a-java 0.3.3): what the proto of 0.3.0 has, and nothing else', async () => {
    const sent = await exchange(
      'POST',
      '/message:send',
      '{\n  "message": {\n    "messageId": "m-java-1",\n    "role": "ROLE_USER",\n    "content": [{\n' +
        `      "text": "parts"\n    }, {\n      "file": {\n        "fileWithBytes": "${TWICE}",\n` +
        '        "mimeType": "image/png"\n      }\n    }],\n    "metadata": {\n    }\n  },\n' +
        '  "configuration": {\n    "acceptedOutputModes": ["text"],\n    "blocking": true\n  },\n  "metadata": {\n  }\n}',
      JAVA,
    );
    const { task } = sent.body;
    expect(task.artifacts[0].parts).toEqual([
      { text: 'parts' },
      { file: { fileWithBytes: TWICE, mimeType: 'image/png' } },
    ]);
    // Its parser refuses a member it does not know, and the whole answer with it.
    const held = agents[0]!.turns.at(-1)!.message.parts[1]!;
    expect(held.content).toEqual({ $case: 'raw', value: BYTES });
    const named = await hub.rpc('SendMessage', {
      message: {
        messageId: 'm-named',
        role: 'ROLE_USER',
        parts: [
          { text: 'parts', metadata: { a: 1 } },
          { raw: 'aGk=', filename: 'a.txt' },
        ],
        metadata: { agentId: 'echo' },
        referenceTaskIds: [task.id],
      },
    });
    const got = await exchange('GET', `/tasks/${named.task.id}`, undefined, JAVA);
    expect(got.body.artifacts[0].parts).toEqual([
      { text: 'parts' },
      { file: { fileWithBytes: 'YUdrPQ==' } },
    ]);
    expect(Object.keys(got.body.history[0]).sort()).toEqual(
      ['messageId', 'contextId', 'taskId', 'role', 'content', 'metadata'].sort(),
    );
    const stream = await exchange(
      'POST',
      `/tasks/${UNKNOWN}:subscribe`,
      `{\n  "name": "tasks/${UNKNOWN}"\n}`,
      JAVA,
    );
    expect([stream.status, stream.body]).toEqual([
      404,
      {
        code: -32001,
        message: 'Task not found',
        data: { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' },
        // It finds the error by this name alone.
        error: 'io.a2a.spec.TaskNotFoundError',
      },
    ]);
  });

  it('Go (a2a-go 2.3, its client of 0.3): no body where it has nothing to say', async () => {
    const sent = await exchange(
      'POST',
      '/message:send',
      `{"message":{"messageId":"m-go-1","role":"ROLE_USER","content":[{"text":"parts"},{"file":{"fileWithBytes":"${TWICE}","name":"a"}}],` +
        '"referenceTaskIds":[]},"configuration":{"blocking":true}}',
      GO,
    );
    expect(sent.body.task.artifacts[0].parts[1]).toEqual({
      file: { fileWithBytes: TWICE, name: 'a' },
    });
    const waiting = await exchange(
      'POST',
      '/message:send',
      '{"message":{"messageId":"m-go-2","role":"ROLE_USER","content":[{"text":"wait"}]},"configuration":{"blocking":false}}',
      GO,
    );
    const { id, status } = waiting.body.task;
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state);
    for (const body of [undefined, 'null']) {
      const canceled = await exchange('POST', `/tasks/${id}:cancel`, body, GO);
      expect(canceled.body.status?.state ?? canceled.body.code).toBe(
        body === undefined ? 'TASK_STATE_CANCELLED' : -32002,
      );
    }
  });

  it('Go reads errors as google.rpc.Status', async () => {
    const { status, body } = await exchange('GET', `/tasks/${UNKNOWN}`, undefined, GO);
    expect([status, body]).toEqual([
      404,
      {
        code: -32001,
        message: 'Task not found',
        data: { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' },
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'Task not found',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'TASK_NOT_FOUND',
              domain: 'a2a-protocol.org',
            },
          ],
        },
      },
    ]);
  });

  it('the conformance kit: ProtoJSON in snake_case, answered in ProtoJSON', async () => {
    const kit = { 'user-agent': 'A2A-TCK-REST-Client/0.3.0', accept: 'application/json' };
    const sent = await exchange(
      'POST',
      '/message:send',
      '{"message": {"message_id": "m-kit", "context_id": "ctx-kit", "role": "ROLE_USER", "content": [{"text": "parts"}, ' +
        '{"file": {"mime_type": "text/plain", "file_with_uri": "", "file_with_bytes": "aGk="}}, {"data": {"data": {"a": 1}}}]}, ' +
        '"configuration": {"accepted_output_modes": ["text/plain"], "history_length": 1, "blocking": true}}',
      kit,
    );
    expect(sent.body.task).toMatchObject({
      contextId: 'ctx-kit',
      artifacts: [
        {
          parts: [
            { text: 'parts' },
            { file: { fileWithBytes: 'aGk=', mimeType: 'text/plain' } },
            { data: { data: { a: 1 } } },
          ],
        },
      ],
    });
    const got = await exchange(
      'GET',
      `/tasks/${sent.body.task.id}?history_length=0`,
      undefined,
      kit,
    );
    expect('history' in got.body ? got.body.history : []).toEqual([]);
  });

  it('JavaScript (a2a-js 0.3.7): the JSON of 0.3, bare', async () => {
    const sent = await exchange(
      'POST',
      '/message:send',
      '{"message":{"kind":"message","messageId":"m-js","role":"user","parts":[{"kind":"text","text":"this"}]}}',
      {},
    );
    expect(sent.body).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const asJson = { accept: 'application/json; profile=a2a-json' };
    const got = await exchange('GET', `/tasks/${sent.body.id}`, undefined, asJson);
    expect(got.body).toEqual(sent.body);
  });
});

describe("a stranger's task at HTTP+JSON 0.3", () => {
  const PROTO = (taskId: string): string =>
    `{"message":{"messageId":"m","taskId":"${taskId}","role":"ROLE_USER","content":[{"text":"x"}]}}`;
  const JSON_FORM = (taskId: string): string =>
    `{"message":{"kind":"message","messageId":"m","taskId":"${taskId}","role":"user","parts":[{"kind":"text","text":"x"}]}}`;
  const HOOK =
    '{"name":"","pushNotificationConfig":{"id":"config","url":"https://example.com/hook"}}';

  /** Every route that names a task. */
  const CALLS: [method: string, path: string, body?: (id: string) => string][] = [
    ['POST', '/message:send', PROTO],
    ['POST', '/message:stream', PROTO],
    ['POST', '/message:send', JSON_FORM],
    ['POST', '/message:stream', JSON_FORM],
    ['GET', '/tasks/ID'],
    ['POST', '/tasks/ID:cancel'],
    ['POST', '/tasks/ID:cancel', (id) => `{"name":"tasks/${id}"}`],
    ['GET', '/tasks/ID:subscribe'],
    ['POST', '/tasks/ID:subscribe'],
    ['POST', '/tasks/ID/pushNotificationConfigs', () => HOOK],
    ['GET', '/tasks/ID/pushNotificationConfigs'],
    ['GET', '/tasks/ID/pushNotificationConfigs/config'],
    ['DELETE', '/tasks/ID/pushNotificationConfigs/config'],
  ];
  let stranger: string;
  let ended: string;
  let waiting: string;

  beforeAll(async () => {
    stranger = await hub.createKey({ name: 'stranger', organization: 'elsewhere' });
    ended = (await hub.send('hello', { metadata: { agentId: 'echo' } }))['task'].id;
    waiting = (await hub.send('ask', { metadata: { agentId: 'echo' } }))['task'].id;
    for (const taskId of [ended, waiting]) {
      await hub.rpc('CreateTaskPushNotificationConfig', { taskId, id: 'config', url: WEBHOOK });
    }
  });

  it.each(
    CALLS.flatMap(([method, path, body]) =>
      ['/a2a/v1', '/a2a/agents/echo/v1'].map(
        (prefix): [string, string, ((id: string) => string) | undefined] => [
          method,
          prefix + path,
          body,
        ],
      ),
    ),
  )('is, byte for byte, one that does not exist: %s %s', async (method, path, body) => {
    const answer = async (id: string): Promise<[number, string]> => {
      const options = { key: stranger, version: null };
      const { status, text } = await hub.rest(method, path.replace('ID', id), body?.(id), options);
      return [status, text];
    };
    const unknown = await answer(UNKNOWN);
    expect(unknown).toEqual([
      404,
      '{"code":-32001,"message":"Task not found","data":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}}',
    ]);
    expect(await answer(ended)).toEqual(unknown);
    expect(await answer(waiting)).toEqual(unknown);
  });

  it('is none at the door of another agent', async () => {
    for (const [method, path] of CALLS.filter(([, route]) => route.startsWith('/tasks'))) {
      const body = path.endsWith('Configs') && method === 'POST' ? HOOK : undefined;
      const url = `/a2a/agents/other/v1${path.replace('ID', waiting)}`;
      const { status } = await hub.rest(method, url, body, { version: null });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });
});

function taskOf(result: Message | Task): Task {
  if ('messageId' in result) throw new Error('a message where a task was awaited');
  return result;
}

function file(content: Part['content'], mediaType: string): Part {
  return { content, metadata: undefined, filename: '', mediaType };
}
