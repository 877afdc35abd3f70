import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../support/json.js';
import { type PeersHub, startPeersHub } from '../support/peers.js';
import { dataLines, type RawAnswer } from '../support/raw-http.js';

/** Header lines of each client, as recorded. */
const PYTHON = [
  'Accept: */*',
  'Accept-Encoding: gzip, deflate',
  'Connection: keep-alive',
  'User-Agent: python-httpx/0.28.1',
  'Content-Type: application/json',
];
const PYTHON_1 = [...PYTHON, 'A2A-Version: 1.0'];
const GO = [
  'User-Agent: Go-http-client/1.1',
  'Content-Type: application/json',
  'Accept-Encoding: gzip',
];
const GO_2 = [...GO, 'A2A-Version: 1.0'];
const JAVA = [
  'Connection: Upgrade, HTTP2-Settings',
  'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
  'Upgrade: h2c',
  'User-Agent: Java-http-client/17.0.16',
  'Content-Type: application/json',
];

let peers: PeersHub;
beforeAll(async () => {
  peers = await startPeersHub();
});
afterAll(() => peers.close());

const post = (
  headers: readonly string[],
  body: string,
  path = '/a2a',
  more: readonly string[] = [],
): Promise<RawAnswer> => peers.send([`POST ${path} HTTP/1.1`, ...headers, ...more], body);

/** A message/send of 0.x as text, with these params beside the message. */
const send03 = (text: string, more = ''): string =>
  `{"id":"5b1f0d6e-1","jsonrpc":"2.0","method":"message/send","params":{${more}"message":{"kind":"message","messageId":"m-${text.length}-03","parts":[{"kind":"text","text":"${text}"}],"role":"user"}}}`;

const send10 = (text: string, more = ''): string =>
  `{"jsonrpc":"2.0","method":"SendMessage","params":{"message":{"messageId":"m-${text.length}-10","parts":[{"text":"${text}"}],"role":"ROLE_USER"}${more}},"id":"0e3f9c-1"}`;

describe('K requests: fasta2a', () => {
  it.each(['/a2a/', '/'])(
    'posts to the url of the card with a slash appended: %s',
    async (path) => {
      const { status, body } = await post(PYTHON, send03('done'), path);
      expect(status).toBe(200);
      expect(body.result.status.state).toBe('completed');
    },
  );

  it('asks with "id": null and is answered with "id": null', async () => {
    const id = await peers.finish();
    const answer = await post(
      PYTHON,
      `{"jsonrpc":"2.0","id":null,"method":"tasks/get","params":{"id":"${id}"}}`,
      '/a2a/',
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"id":null');
    expect(answer.body).toMatchObject({ id: null, result: { id, kind: 'task' } });
  });

  it('is told of an unknown task with exactly the text it checks', async () => {
    const answer = await post(
      PYTHON,
      '{"jsonrpc":"2.0","id":null,"method":"tasks/get","params":{"id":"00000000-0000-0000-0000-000000000000"}}',
      '/a2a/',
    );
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32001, message: 'Task not found' },
    });
  });
});

describe('requests: JSON-RPC ids', () => {
  it.each([
    ['first', '{"id":"a-b-c","jsonrpc":"2.0","method":"tasks/get","params":{"id":"TASK"}}'],
    ['last', '{"params":{"id":"TASK"},"method":"tasks/get","jsonrpc":"2.0","id":"a-b-c"}'],
  ])('are strings, and may come %s', async (_where, body) => {
    const id = await peers.finish();
    const answer = await post(PYTHON, body.replace('TASK', id));
    expect(answer.body).toMatchObject({ id: 'a-b-c', result: { id } });
  });
});

describe('requests: the version', () => {
  it.each([
    ['a2a-sdk 1.x', PYTHON_1, 'GetTask'],
    ['a2a-go v2', GO_2, 'GetTask'],
  ])('%s says A2A-Version: 1.0 with every call', async (_client, headers, method) => {
    const id = await peers.finish();
    const { body } = await post(
      headers,
      `{"jsonrpc":"2.0","id":"1","method":"${method}","params":{"id":"${id}"}}`,
    );
    expect(body.result.status.state).toBe('TASK_STATE_COMPLETED');
    expect(body.result).not.toHaveProperty('kind');
  });

  it.each([
    ['a 0.x method', 'tasks/get', 'completed'],
    ['a 1.0 method', 'GetTask', 'TASK_STATE_COMPLETED'],
  ])('without the header %s decides', async (_name, method, state) => {
    const id = await peers.finish();
    const { body } = await post(
      PYTHON,
      `{"jsonrpc":"2.0","id":"1","method":"${method}","params":{"id":"${id}"}}`,
    );
    expect(body.result.status.state).toBe(state);
  });

  it('a2a-sdk 1.x moved down by a 0.3 card says A2A-Version: 0.3', async () => {
    const { body } = await post([...PYTHON, 'A2A-Version: 0.3'], send03('done'));
    expect(body.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  });
});

describe('requests: blocking', () => {
  it.each<[string, readonly string[], string]>([
    [
      'a2a-sdk 0.3',
      PYTHON,
      send03('take your time', '"configuration":{"acceptedOutputModes":[],"blocking":true},'),
    ],
    [
      'a2a-java',
      JAVA,
      '{"jsonrpc":"2.0","method":"message/send","params":{"message":{"role":"user","parts":[{"text":"take your time","kind":"text"}],"messageId":"m-java","kind":"message"},"configuration":{"acceptedOutputModes":["text"],"blocking":true},"metadata":{}},"id":"f6c3"}',
    ],
    ['a2a-sdk 1.x', PYTHON_1, send10('take your time', ',"configuration":{}')],
    ['a2a-go v2', GO_2, send10('take your time')],
    ['a2a-go v0.3', GO, send03('take your time')],
    ['a2a-sdk 0.2', PYTHON, send03('take your time')],
    [
      'fasta2a 0.5',
      PYTHON,
      '{"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user","parts":[{"kind":"text","text":"take your time"}],"kind":"message","message_id":"m-fasta2a","messageId":"m-fasta2a"}}}',
    ],
  ])('%s expects to wait', async (_client, headers, body) => {
    const { result } = (await post(headers, body)).body as JsonObject;
    const task = (result.task ?? result) as JsonObject;
    expect(['completed', 'TASK_STATE_COMPLETED']).toContain(task.status.state);
  });

  it('1.0 says returnImmediately when it does not want to', async () => {
    const { body } = await post(
      GO_2,
      send10('wait', ',"configuration":{"returnImmediately":true}'),
    );
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(body.result.task.status.state);
  });
});

describe('requests: a2a-java', () => {
  it('asks for an upgrade to h2c with every POST, and needs none', async () => {
    const id = await peers.finish();
    const answer = await post(
      JAVA,
      `{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"${id}","historyLength":0},"id":"7"}`,
    );
    expect(answer.status).toBe(200);
    // It sends a historyLength of 0 when its user has set none.
    expect(answer.body.result.history ?? []).toEqual([]);
  });

  it('asks for an upgrade to h2c with every stream', async () => {
    const answer = await post(
      JAVA,
      '{"jsonrpc":"2.0","method":"message/stream","params":{"message":{"role":"user","parts":[{"text":"go","kind":"text"}],"messageId":"m-java-2","kind":"message"},"configuration":{"acceptedOutputModes":["text"],"blocking":false},"metadata":{}},"id":"8"}',
      '/a2a',
      ['Accept: text/event-stream'],
    );
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(dataLines(answer).at(-1).result).toMatchObject({ final: true });
  });

  it('asks for an upgrade with a GET of the card, with a content type', async () => {
    const answer = await peers.send(['GET /.well-known/agent-card.json HTTP/1.1', ...JAVA]);
    expect(answer.status).toBe(200);
  });
});

describe('requests: push configs by JSON-RPC', () => {
  const rpc = async (
    headers: readonly string[],
    method: string,
    params: string,
  ): Promise<JsonObject> =>
    (await post(headers, `{"jsonrpc":"2.0","id":"1","method":"${method}","params":${params}}`))
      .body as JsonObject;

  it('are set without an id in 0.3, with schemes, and got by the id that was given', async () => {
    const id = await peers.finish();
    const set = await rpc(
      PYTHON,
      'tasks/pushNotificationConfig/set',
      `{"pushNotificationConfig":{"authentication":{"credentials":"c","schemes":["Bearer"]},"token":"t","url":"https://example.com/hook"},"taskId":"${id}"}`,
    );
    const config = set['result'].pushNotificationConfig as JsonObject;
    expect(config).toMatchObject({ id: expect.any(String), url: 'https://example.com/hook' });
    const got = await rpc(
      GO,
      'tasks/pushNotificationConfig/get',
      `{"id":"${id}","pushNotificationConfigId":"${String(config['id'])}"}`,
    );
    expect(got['result']).toMatchObject({
      taskId: id,
      pushNotificationConfig: { id: config['id'] },
    });
  });

  it('are got by the id of the task alone in 0.2.5', async () => {
    const id = await peers.finish();
    await rpc(
      PYTHON,
      'tasks/pushNotificationConfig/set',
      `{"taskId":"${id}","pushNotificationConfig":{"url":"https://example.com/hook"}}`,
    );
    const got = await rpc(PYTHON, 'tasks/pushNotificationConfig/get', `{"id":"${id}"}`);
    expect(got['result']).toMatchObject({
      taskId: id,
      pushNotificationConfig: { url: 'https://example.com/hook' },
    });
  });

  it('are set without an id in 1.0, with one scheme', async () => {
    const id = await peers.finish();
    const set = await rpc(
      GO_2,
      'CreateTaskPushNotificationConfig',
      `{"taskId":"${id}","url":"https://example.com/hook","token":"t","authentication":{"scheme":"Bearer","credentials":"c"}}`,
    );
    expect(set['result']).toMatchObject({ id: expect.any(String), taskId: id });
    expect(set['result'].id).not.toBe('');
  });
});
