import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faultsForFasta2a } from '../support/fasta2a-client.js';
import type { Json, JsonObject } from '../support/json.js';
import { type PeersHub, startPeersHub } from '../support/peers.js';
import { dataLines, type RawAnswer } from '../support/raw-http.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let peers: PeersHub;
beforeAll(async () => {
  peers = await startPeersHub();
});
afterAll(() => peers.close());

const V1 = ['Content-Type: application/json', 'A2A-Version: 1.0'];
const V03 = ['Content-Type: application/json'];

/** A JSON-RPC call with a body as clients write it. */
function call(headers: readonly string[], method: string, params: string): Promise<RawAnswer> {
  const body = `{"jsonrpc":"2.0","id":"1","method":"${method}","params":${params}}`;
  return peers.send(['POST /a2a HTTP/1.1', ...headers], body);
}

const MESSAGE_03 = (text: string): string =>
  `{"message":{"kind":"message","messageId":"${text}-03","parts":[{"kind":"text","text":"${text}"}],"role":"user"}}`;
const MESSAGE_10 = (text: string): string =>
  `{"message":{"messageId":"${text}-10","parts":[{"text":"${text}"}],"role":"ROLE_USER"}}`;

describe('K answers: the deletion of a push config', () => {
  it('holds "result": null over JSON-RPC 1.0', async () => {
    const taskId = await peers.finish();
    const created = await call(
      V1,
      'CreateTaskPushNotificationConfig',
      `{"taskId":"${taskId}","url":"https://example.com/hook"}`,
    );
    const params = `{"taskId":"${taskId}","id":"${created.body.result.id as string}"}`;
    const answer = await call(V1, 'DeleteTaskPushNotificationConfig', params);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"result":null');
    expect(answer.body).toEqual({ jsonrpc: '2.0', id: '1', result: null });
  });

  it('holds "result": null over JSON-RPC 0.3', async () => {
    const taskId = await peers.finish();
    const params = `{"taskId":"${taskId}","pushNotificationConfig":{"id":"c","url":"https://example.com/hook"}}`;
    await call(V03, 'tasks/pushNotificationConfig/set', params);
    const answer = await call(
      V03,
      'tasks/pushNotificationConfig/delete',
      `{"id":"${taskId}","pushNotificationConfigId":"c"}`,
    );
    expect(answer.body).toEqual({ jsonrpc: '2.0', id: '1', result: null });
  });

  it('is 200 with the JSON body {} over HTTP+JSON 1.0, also the second time', async () => {
    const taskId = await peers.finish();
    const path = `/a2a/tasks/${taskId}/pushNotificationConfigs`;
    const body = '{"id":"c","url":"https://example.com/hook"}';
    expect((await peers.send([`POST ${path} HTTP/1.1`, ...V1], body)).status).toBe(200);
    for (let time = 0; time < 2; time++) {
      const answer = await peers.send([`DELETE ${path}/c HTTP/1.1`, 'A2A-Version: 1.0']);
      expect([answer.status, answer.text]).toEqual([200, '{}']);
      expect(answer.headers['content-type']).toMatch(/^application\/(a2a\+)?json/);
    }
  });
});

describe('K answers: timestamps', () => {
  let agent: ScriptedAgent;
  beforeAll(async () => {
    agent = await zonelessAgent();
    await peers.hub.registerAgent(agent.url, { id: 'zoneless' });
  });
  afterAll(() => agent.close());

  const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

  it.each([
    ['1.0', V1, 'GetTask', 'SendStreamingMessage'],
    ['0.3', V03, 'tasks/get', 'message/stream'],
  ])('have a zone in %s, also those of an agent without', async (version, headers, get, stream) => {
    const request = version === '1.0' ? MESSAGE_10('now') : MESSAGE_03('now');
    const streamed = await peers.send(
      ['POST /a2a/agents/zoneless HTTP/1.1', ...headers],
      `{"jsonrpc":"2.0","id":"1","method":"${stream}","params":${request}}`,
    );
    const events = dataLines(streamed).map(({ result }) => result as JsonObject);
    const taskId = String(events[0]!.task?.id ?? events[0]!.id);
    const task = await call(headers, get, `{"id":"${taskId}"}`);
    const times = timestampsIn([...events, task.body]);
    expect(times.length).toBeGreaterThan(2);
    for (const time of times) expect(time).toMatch(ZONED);
  });
});

describe('K answers: Server-Sent Events', () => {
  it.each([
    [
      'JSON-RPC 1.0',
      '/a2a',
      V1,
      `{"jsonrpc":"2.0","id":"1","method":"SendStreamingMessage","params":${MESSAGE_10('go')}}`,
    ],
    [
      'JSON-RPC 0.3',
      '/a2a',
      V03,
      `{"jsonrpc":"2.0","id":"1","method":"message/stream","params":${MESSAGE_03('go')}}`,
    ],
    ['HTTP+JSON 1.0', '/a2a/message:stream', V1, MESSAGE_10('go')],
    [
      'HTTP+JSON 0.3',
      '/a2a/v1/message:stream',
      V03,
      '{"request":{"messageId":"go-proto","role":"ROLE_USER","content":[{"text":"go"}]}}',
    ],
  ])(
    'are one data line each over %s, and no named events',
    async (_binding, path, headers, body) => {
      const head = [`POST ${path} HTTP/1.1`, ...headers, 'Accept: text/event-stream'];
      const { text, headers: got } = await peers.send(head, body);
      expect(got['content-type']).toMatch(/^text\/event-stream/);
      const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
      expect(blocks.length).toBeGreaterThan(3);
      for (const block of blocks) {
        expect(block).toMatch(/^(id: \S+\n)?data: \{.*\}$/);
        expect(() => JSON.parse(block.slice(block.indexOf('data: ') + 6))).not.toThrow();
      }
      // A line feed in a text stays within the JSON string.
      expect(text).toContain('first line\\nsecond line');
    },
  );

  it.each([
    ['1.0', 'SubscribeToTask', V1],
    ['0.3 where the client says so', 'tasks/resubscribe', [...V03, 'A2A-Version: 0.3']],
  ])('a refused subscription is a plain JSON error in %s', async (_version, method, headers) => {
    const answer = await call(headers, method, '{"id":"no-such-task"}');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body.error).toMatchObject({ code: -32001, message: 'Task not found' });
  });

  it('a refused subscription is one error event to a2a-sdk 0.x, which reads nothing else', async () => {
    const answer = await call(V03, 'tasks/resubscribe', '{"id":"no-such-task"}');
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(answer.text).not.toMatch(/^event:/m);
    expect(dataLines(answer)).toMatchObject([
      { jsonrpc: '2.0', id: '1', error: { code: -32001, message: 'Task not found' } },
    ]);
  });
});

describe('K answers: a stream of 0.3', () => {
  it.each(['message/stream', 'tasks/resubscribe'])(
    'by %s has one Task first, then updates only, and says final at its end',
    async (method) => {
      const events = dataLines(await streamOf(method)).map(({ result }) => result as JsonObject);
      const kinds = events.map(({ kind }) => kind as string);
      expect(kinds[0]).toBe('task');
      expect(kinds.slice(1)).not.toContain('task');
      expect(kinds).not.toContain('message');
      expect(
        kinds.slice(1).every((kind) => ['status-update', 'artifact-update'].includes(kind)),
      ).toBe(true);
      const finals = events.map(({ final }) => final === true);
      expect(finals.indexOf(true)).toBe(events.length - 1);
    },
  );

  async function streamOf(method: string): Promise<RawAnswer> {
    if (method === 'message/stream') return call(V03, method, MESSAGE_03('go'));
    const id = await peers.begin();
    const body = `{"jsonrpc":"2.0","id":"1","method":"${method}","params":{"id":"${id}"}}`;
    return peers.follow(id, ['POST /a2a HTTP/1.1', ...V03], body);
  }
});

describe('answers: what clients validate', () => {
  it('parts hold exactly one of text, raw, url and data in 1.0 (a2a-go v2)', async () => {
    const { body } = await call(V1, 'SendMessage', MESSAGE_10('go'));
    const { artifacts, history } = body.result.task as JsonObject;
    const parts = [...artifacts, ...history].flatMap(
      (one: JsonObject) => one.parts as JsonObject[],
    );
    for (const part of parts) {
      const held = ['text', 'raw', 'url', 'data'].filter((member) => member in part);
      expect(held).toHaveLength(1);
    }
  });

  it('a task of 0.3 has the kinds and states that strict clients know', async () => {
    const { body } = await call(V03, 'message/send', MESSAGE_03('go'));
    expect(faultsForFasta2a(body.result as JsonObject)).toEqual([]);
    const requested = await call(V03, 'message/send', MESSAGE_03('ask'));
    expect(requested.body.result.status.state).toBe('input-required');
    expect(faultsForFasta2a(requested.body.result as JsonObject)).toEqual([]);
  });

  it('the client of fasta2a 2 is told what its message lacks, as it mixes two versions', async () => {
    const answer = await call(
      V03,
      'message/send',
      '{"message":{"role":"user","parts":[{"text":"hello"}],"messageId":"m-fasta2a-2"}}',
    );
    expect(answer.status).toBe(200);
    expect(answer.body.error).toMatchObject({ code: -32602 });
  });
});

/** An agent whose times are Python's `datetime.now().isoformat()`: no zone. */
function zonelessAgent(): Promise<ScriptedAgent> {
  const timestamp = '2026-11-21T02:15:22.137971';
  return ScriptedAgent.start({
    handlers: {
      SendStreamingMessage: (requested) => {
        const ids = { taskId: 't', contextId: 'c' };
        const status = (state: string): JsonObject => ({ state, timestamp });
        requested
          .event({ task: { id: 't', contextId: 'c', status: status('TASK_STATE_SUBMITTED') } })
          .event({ statusUpdate: { ...ids, status: status('TASK_STATE_WORKING') } })
          .event({ statusUpdate: { ...ids, status: status('TASK_STATE_COMPLETED') } })
          .end();
      },
    },
  });
}

/** The value of every `timestamp` within. */
function timestampsIn(value: Json): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value as JsonObject).flatMap(([name, member]) =>
    name === 'timestamp' ? [String(member)] : timestampsIn(member),
  );
}
