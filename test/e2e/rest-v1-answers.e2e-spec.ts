import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { Json } from '../support/json.js';
import { type BindingHarness, eventsOf, startBindings, streamOf } from './bindings-harness.js';
import { TEXT_MESSAGE } from './bindings-methods.js';
import { violated } from './rest-v1-table.js';

let bindings: BindingHarness;

beforeAll(async () => {
  bindings = await startBindings();
});

beforeEach(() => bindings.reset());

afterAll(async () => {
  await bindings.server.close();
});

describe('answers', () => {
  it('are the results of JSON-RPC as they are', async () => {
    const pairs: [method: string, url: string, body: Json, rpc: string, params: Json][] = [
      [
        'POST',
        '/message:send',
        { message: TEXT_MESSAGE },
        'SendMessage',
        { message: TEXT_MESSAGE },
      ],
      ['GET', '/tasks/task-1', undefined, 'GetTask', { id: 'task-1' }],
      ['GET', '/tasks', undefined, 'ListTasks', {}],
      ['POST', '/tasks/task-1:cancel', undefined, 'CancelTask', { id: 'task-1' }],
      [
        'GET',
        '/tasks/task-1/pushNotificationConfigs',
        undefined,
        'ListTaskPushNotificationConfigs',
        { taskId: 'task-1' },
      ],
    ];
    for (const [method, url, body, rpc, params] of pairs) {
      const rest = await bindings.request(method, `/a2a${url}`, { body });
      expect(rest.body).toEqual((await bindings.rpc(rpc, params))['result']);
    }
  });

  it('to a delete are {} and nothing else', async () => {
    const answer = await bindings.request('DELETE', '/a2a/tasks/t/pushNotificationConfigs/c');
    expect([answer.status, answer.text]).toEqual([200, '{}']);
  });

  it('stream bare StreamResponses, one line each, with their seq as id', async () => {
    const payloads = [{ task: { id: 't' } }, { statusUpdate: { taskId: 't' } }];
    for (const [method, url, body] of [
      ['POST', '/a2a/message:stream', { message: TEXT_MESSAGE }],
      ['GET', '/a2a/tasks/t:subscribe', undefined],
    ] as [string, string, Json][]) {
      bindings.on('tasks.sendStream', () => streamOf(...payloads));
      bindings.on('tasks.subscribe', () => streamOf(...payloads));
      const { text } = await bindings.request(method, url, { body });
      expect(eventsOf(text)).toEqual([
        { id: '1', data: payloads[0] },
        { id: '2', data: payloads[1] },
      ]);
    }
  });

  it('resume where Last-Event-ID says', async () => {
    const headers = { 'last-event-id': '4' };
    await bindings.request('GET', '/a2a/tasks/t:subscribe', { headers });
    expect(bindings.calls[0]!.arguments[1]).toMatchObject({ lastEventId: 4 });
    const bad = await bindings.request('GET', '/a2a/tasks/t:subscribe', {
      headers: { 'last-event-id': 'x' },
    });
    expect(violated(bad)).toEqual(['Last-Event-ID']);
  });

  it.each(['GET', 'POST'])('refuse a stream (%s) as a plain HTTP error', async (method) => {
    bindings.on('tasks.subscribe', () => {
      throw new HubError('UNSUPPORTED_OPERATION', 'The task has ended.');
    });
    const answer = await bindings.request(method, '/a2a/tasks/t:subscribe');
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch(/^application\/a2a\+json/);
    expect(answer.body).toMatchObject({
      error: { status: 'FAILED_PRECONDITION', details: [{ reason: 'UNSUPPORTED_OPERATION' }] },
    });
  });

  it('end a stream that breaks with one event of its own kind', async () => {
    bindings.on('tasks.subscribe', async function* () {
      yield { seq: 1, body: '{"task":{}}' };
      throw new Error('secret detail');
    });
    const { text } = await bindings.request('GET', '/a2a/tasks/t:subscribe');
    expect(text).toBe(
      'id: 1\ndata: {"task":{}}\n\nevent: error\ndata: {"error":{"code":500,"status":"INTERNAL",' +
        '"message":"Internal error","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",' +
        '"reason":"INTERNAL","domain":"a2a-protocol.org"}]}}\n\n',
    );
  });

  it('show nothing of an accident, and note it', async () => {
    const before = bindings.logged.length;
    bindings.on('tasks.get', async () => {
      throw new Error('secret detail');
    });
    const answer = await bindings.request('GET', '/a2a/tasks/t');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(bindings.logged.slice(before)).toHaveLength(1);
  });
});
