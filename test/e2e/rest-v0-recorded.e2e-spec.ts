import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningAgent } from '../support/agents.js';
import type { Hub } from '../support/app.js';
import { type RestHub, UNKNOWN, WEBHOOK, startRestHub } from './rest-harness.js';

const BYTES = Buffer.from([0, 255, 128, 10]);

let rest: RestHub;
let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  rest = await startRestHub('echo');
  hub = rest.hub;
  agent = rest.agents[0]!;
});

afterAll(() => rest.close());

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
    const received = agent.turns.at(-1)!.message.parts;
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
    const held = agent.turns.at(-1)!.message.parts[1]!;
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

  it('Go (a2a-go, its client of 0.3): no body where it has nothing to say', async () => {
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

  it.each(Object.entries({ PYTHON, JAVA, GO }))(
    'a file that looks like base64, by the library of %s: its bytes, if the program says so',
    async (_name, library) => {
      const written = Buffer.from('test').toString('base64');
      const send = async (accept: string): Promise<[agent: string, answer: string]> => {
        const { body } = await exchange(
          'POST',
          '/message:send',
          JSON.stringify({
            message: {
              messageId: `m-${accept}`,
              role: 'ROLE_USER',
              content: [{ text: 'parts' }, { file: { fileWithBytes: written } }],
            },
            configuration: { blocking: true },
          }),
          { ...library, accept },
        );
        const { content } = agent.turns.at(-1)!.message.parts[1]!;
        const { fileWithBytes } = body.task.artifacts[0].parts[1].file;
        return [Buffer.from(content!.value as Uint8Array).toString('latin1'), fileWithBytes];
      };
      expect(await send('application/json; profile=a2a-proto')).toEqual(['test', written]);
      // Otherwise it is what the official client writes for the three bytes of the base64 text `test`.
      const bytes = Buffer.from('test', 'base64').toString('latin1');
      expect(await send('application/json')).toEqual([bytes, written]);
    },
  );

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
