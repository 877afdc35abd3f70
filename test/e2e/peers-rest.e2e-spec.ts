import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../support/json.js';
import { type PeersHub, startPeersHub } from '../support/peers.js';
import { dataLines, type RawAnswer } from '../support/raw-http.js';

/** Header lines as recorded. */
const GO = [
  'User-Agent: Go-http-client/1.1',
  'A2A-Version: 1.0',
  'Content-Type: application/json',
  'Accept-Encoding: gzip',
];
const PYTHON = [
  'Accept: */*',
  'Accept-Encoding: identity',
  'Connection: keep-alive',
  'User-Agent: python-httpx/0.28.1',
];
const PYTHON_1 = [...PYTHON, 'A2A-Version: 1.0'];
const JSON_TYPE = 'Content-Type: application/json';

let peers: PeersHub;
beforeAll(async () => {
  peers = await startPeersHub();
});
afterAll(() => peers.close());

const ask = (
  method: string,
  path: string,
  headers: readonly string[],
  body?: string,
): Promise<RawAnswer> => peers.send([`${method} ${path} HTTP/1.1`, ...headers], body);

/** A stream of this task, to its end. */
const follow = (
  id: string,
  method: string,
  path: string,
  headers: readonly string[],
  body?: string,
): Promise<RawAnswer> => peers.follow(id, [`${method} ${path} HTTP/1.1`, ...headers], body);

const PREFIXES = ['/a2a', '/a2a/worker', '/a2a/agents/worker'];

describe.each(PREFIXES)('K requests: a2a-go v2 by HTTP+JSON sends the body null, %s', (prefix) => {
  it('with GET', async () => {
    const id = await peers.finish();
    const answer = await ask('GET', `${prefix}/tasks/${id}`, GO, 'null');
    expect([answer.status, answer.body.id]).toEqual([200, id]);
    const list = await ask('GET', `${prefix}/tasks?pageSize=1`, GO, 'null');
    expect([list.status, list.body.tasks.length]).toEqual([200, 1]);
  });

  it('with DELETE', async () => {
    const id = await peers.finish();
    const path = `${prefix}/tasks/${id}/pushNotificationConfigs`;
    await ask('POST', path, GO, '{"id":"c","url":"https://example.com/hook"}');
    const answer = await ask('DELETE', `${path}/c`, GO, 'null');
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    expect((await ask('GET', path, GO, 'null')).body.configs ?? []).toEqual([]);
  });

  it('with POST :cancel', async () => {
    const id = await peers.begin();
    const answer = await ask('POST', `${prefix}/tasks/${id}:cancel`, GO, 'null');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  it('with POST :subscribe, which never cancels', async () => {
    const id = await peers.begin();
    const stream = await follow(id, 'POST', `${prefix}/tasks/${id}:subscribe`, GO, 'null');
    const events = dataLines(stream);
    expect(events[0]).toMatchObject({ task: { id, status: { state: 'TASK_STATE_WORKING' } } });
    expect(events.at(-1)).toMatchObject({ statusUpdate: { taskId: id } });
  });
});

describe('requests: HTTP+JSON 1.0', () => {
  it.each([
    ['POST without body and content type (a2a-sdk 1.x)', 'POST', undefined],
    ['POST with the body null (a2a-go v2)', 'POST', 'null'],
    ['GET', 'GET', undefined],
  ])('subscribe by %s', async (_name, method, body) => {
    const id = await peers.begin();
    const headers = body === undefined ? PYTHON_1 : GO;
    const answer = await follow(id, method, `/a2a/tasks/${id}:subscribe`, headers, body);
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(dataLines(answer)[0]).toMatchObject({ task: { id } });
  });

  it('subscribe by POST with an empty body, as Python clients end one', async () => {
    const id = await peers.begin();
    const stream = await follow(id, 'POST', `/a2a/tasks/${id}:subscribe`, PYTHON_1, '');
    expect(stream.status).toBe(200);
  });

  it('cancel with the id in the body (a2a-sdk 1.x)', async () => {
    const id = await peers.begin();
    const path = `/a2a/tasks/${id}:cancel`;
    const { body } = await ask('POST', path, [...PYTHON_1, JSON_TYPE], `{"id":"${id}"}`);
    expect(body).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  it('come as application/json and are answered as application/a2a+json', async () => {
    const body =
      '{"message":{"messageId":"m-rest","parts":[{"text":"go"}],"role":"ROLE_USER"},"configuration":{}}';
    const answer = await ask('POST', '/a2a/message:send', [...PYTHON_1, JSON_TYPE], body);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/a2a\+json/);
    expect(answer.body.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('are refused with a status and an error of code, status, message and details', async () => {
    const answer = await ask('GET', '/a2a/tasks/no-such-task', PYTHON_1);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toMatchObject({
      code: 404,
      status: 'NOT_FOUND',
      message: expect.any(String),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'TASK_NOT_FOUND',
          domain: 'a2a-protocol.org',
        },
      ],
    });
  });
});

describe('requests: HTTP+JSON 0.3 (a2a-sdk 0.3)', () => {
  const V1 = '/a2a/v1';
  const send = (text: string, configuration = '{"blocking":true}'): Promise<RawAnswer> =>
    ask(
      'POST',
      `${V1}/message:send`,
      [...PYTHON, JSON_TYPE],
      `{"message":{"messageId":"m-${text}","role":"ROLE_USER","content":[{"text":"${text}"}]},"configuration":${configuration}}`,
    );

  it('have their parts in content and the enums of the proto', async () => {
    const { status, body } = await send('go');
    expect(status).toBe(200);
    expect(body.task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ role: 'ROLE_USER', content: [{ text: 'go' }] }, { role: 'ROLE_AGENT' }],
      artifacts: [{ parts: [{ text: 'first line\nsecond line ' }, { text: 'and the end' }] }],
    });
  });

  it('subscribe by GET', async () => {
    const id = await peers.begin();
    const stream = await follow(id, 'GET', `${V1}/tasks/${id}:subscribe`, PYTHON);
    const events = dataLines(stream);
    expect(events[0]).toMatchObject({ task: { id } });
    expect(events.at(-1)).toMatchObject({
      statusUpdate: { final: true, status: { state: 'TASK_STATE_CANCELLED' } },
    });
  });

  it('cancel with the name of the task, and are told CANCELLED with two l', async () => {
    const id = await peers.begin();
    const body = `{"name":"tasks/${id}"}`;
    const answer = await ask('POST', `${V1}/tasks/${id}:cancel`, [...PYTHON, JSON_TYPE], body);
    expect(answer.body).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELLED' } });
  });

  it('set a push config by parent, configId and config, and get a name with an id', async () => {
    const id = await peers.finish();
    const path = `${V1}/tasks/${id}/pushNotificationConfigs`;
    const set = await ask(
      'POST',
      path,
      [...PYTHON, JSON_TYPE],
      `{"parent":"tasks/${id}","configId":"c-1","config":{"name":"tasks/${id}/pushNotificationConfigs/c-1","pushNotificationConfig":{"url":"https://example.com/hook","token":"t"}}}`,
    );
    expect(set.status).toBe(200);
    expect(set.body).toMatchObject({
      name: `tasks/${id}/pushNotificationConfigs/c-1`,
      pushNotificationConfig: { url: 'https://example.com/hook' },
    });
    const minted = await ask(
      'POST',
      path,
      [...PYTHON, JSON_TYPE],
      `{"parent":"tasks/${id}","config":{"name":"tasks/${id}/pushNotificationConfigs/","pushNotificationConfig":{"url":"https://example.com/other"}}}`,
    );
    expect(minted.body.name).toMatch(/^tasks\/[^/]+\/pushNotificationConfigs\/[^/]+$/);
    // As the annotation of 0.3.0 has it: the config alone is the body, and its id is in the query.
    const alone = '{"pushNotificationConfig":{"url":"https://example.com/third"}}';
    for (const query of ['configId=c-3', 'config_id=c-3']) {
      const named = await ask('POST', `${path}?${query}`, [...PYTHON, JSON_TYPE], alone);
      expect(named.body.name).toBe(`tasks/${id}/pushNotificationConfigs/c-3`);
    }
  });

  it('get one Task first, then their chunks with append', async () => {
    const stream = await ask(
      'POST',
      `${V1}/message:stream`,
      [...PYTHON, JSON_TYPE, 'Accept: text/event-stream'],
      '{"message":{"messageId":"m-chunks","role":"ROLE_USER","content":[{"text":"go"}]}}',
    );
    const kinds = dataLines(stream).map((event) => Object.keys(event as JsonObject).join());
    expect(kinds[0]).toBe('task');
    expect(kinds.slice(1)).not.toContain('task');
    const chunks = dataLines(stream).flatMap(({ artifactUpdate }) =>
      artifactUpdate === undefined ? [] : [artifactUpdate as JsonObject],
    );
    expect(chunks.map(({ append, artifact }) => [append ?? false, artifact.parts])).toEqual([
      [false, [{ text: 'first line\nsecond line ' }]],
      [true, [{ text: 'and the end' }]],
    ]);
  });
});
