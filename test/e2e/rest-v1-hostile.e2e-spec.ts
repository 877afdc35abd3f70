import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import type { Json } from '../support/json.js';
import { ForeignTasks, type RestHub, WEBHOOK, startRestHub } from './rest-harness.js';

let rest: RestHub;
let hub: Hub;

beforeAll(async () => {
  rest = await startRestHub('echo');
  ({ hub } = rest);
});

afterAll(() => rest.close());

describe("a stranger's task", () => {
  const CALLS: [method: string, path: string, body: (id: string) => Json][] = [
    ['GET', '/tasks/ID', () => undefined],
    ['POST', '/tasks/ID:cancel', () => undefined],
    ['GET', '/tasks/ID:subscribe', () => undefined],
    ['POST', '/tasks/ID:subscribe', () => undefined],
    [
      'POST',
      '/message:send',
      (taskId) => ({ message: userMessage('x', { taskId, messageId: 'm' }) }),
    ],
    [
      'POST',
      '/message:stream',
      (taskId) => ({ message: userMessage('x', { taskId, messageId: 'm' }) }),
    ],
    [
      'POST',
      '/message:send',
      (id) => ({ message: userMessage('x', { referenceTaskIds: [id], messageId: 'm' }) }),
    ],
    ['POST', '/tasks/ID/pushNotificationConfigs', () => ({ url: WEBHOOK })],
    ['GET', '/tasks/ID/pushNotificationConfigs', () => undefined],
    ['GET', '/tasks/ID/pushNotificationConfigs/config', () => undefined],
    ['DELETE', '/tasks/ID/pushNotificationConfigs/config', () => undefined],
  ];
  let tasks: ForeignTasks;

  beforeAll(async () => {
    tasks = await ForeignTasks.of(hub);
  });

  it.each(
    CALLS.flatMap(([method, path, body]) =>
      ['/a2a', '/a2a/echo', '/a2a/agents/echo'].map(
        (prefix): [string, string, (id: string) => Json] => [method, prefix + path, body],
      ),
    ),
  )('is, byte for byte, one that does not exist: %s %s', async (method, path, body) => {
    const options = { key: tasks.strangersKey };
    const unknown = await tasks.areAsUnknown((id) =>
      hub.rest(method, path.replace('ID', id), body(id), options),
    );
    expect(unknown[0]).toBe(404);
    expect(JSON.parse(unknown[1])).toEqual({
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
    });
  });

  it('is still as it was', async () => {
    expect((await hub.getTask(tasks.waiting))['status'].state).toBe('TASK_STATE_INPUT_REQUIRED');
    const path = `/a2a/tasks/${tasks.waiting}/pushNotificationConfigs`;
    expect((await hub.rest('GET', path)).body.configs).toHaveLength(1);
    const list = await hub.rest('GET', '/a2a/tasks', undefined, { key: tasks.strangersKey });
    expect(list.body).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  });
});

describe('hostile values', () => {
  const IDS = [
    '...',
    '%2e%2e%2f',
    '%00',
    '%0d%0aX-Header:%20x',
    "'%20OR%201=1--",
    '%22',
    '%5c',
    '%ff',
    '%f0%9f%92%a5',
    '%ed%a0%80',
    '__proto__',
    'constructor',
    '*',
    ':',
    '::',
    ':cancel',
    'x:cancel:cancel',
    '%3Acancel',
    '%20',
    '%',
    '%2',
    'x'.repeat(513),
    'x'.repeat(5000),
    '%E4%B8%AD'.repeat(600),
  ];
  const ROUTES: [method: string, path: string][] = [
    ['GET', '/tasks/ID'],
    ['POST', '/tasks/ID:cancel'],
    ['GET', '/tasks/ID:subscribe'],
    ['POST', '/tasks/ID:subscribe'],
    ['POST', '/tasks/ID/pushNotificationConfigs'],
    ['GET', '/tasks/ID/pushNotificationConfigs'],
    ['GET', '/tasks/ID/pushNotificationConfigs/c'],
    ['DELETE', '/tasks/ID/pushNotificationConfigs/c'],
    ['GET', '/tasks/t/pushNotificationConfigs/ID'],
    ['DELETE', '/tasks/t/pushNotificationConfigs/ID'],
    ['GET', '/tasks?contextId=ID&pageToken=ID'],
    ['GET', '/tasks?pageToken=ID'],
  ];

  it.each(ROUTES)('of %s %s are told of as what they are', async (method, path) => {
    for (const prefix of ['/a2a', '/a2a/echo', '/a2a/agents/echo']) {
      for (const id of IDS) {
        const url = prefix + path.replaceAll('ID', id);
        const body = method === 'POST' ? {} : undefined;
        const answer = await hub.rest(method, url, body);
        expect({ url, refused: [400, 404, 405].includes(answer.status) }).toEqual({
          url,
          refused: true,
        });
        expect(answer.headers['content-type']).toMatch(/^application\/a2a\+json/);
        expect(answer.body.error.code).toBe(answer.status);
        expect(answer.text).not.toMatch(/node_modules|SQLITE|\n +at /);
      }
    }
  });

  it('as a tenant reach nobody', async () => {
    for (const tenant of IDS) {
      const message = userMessage('x');
      const sent = await hub.rest('POST', `/a2a/${tenant}/message:send`, { message });
      expect({ tenant, refused: [400, 404].includes(sent.status) }).toEqual({
        tenant,
        refused: true,
      });
      expect(sent.body.error.code).toBe(sent.status);
    }
  });

  it.each([
    ['POST', '/a2a/message:send'],
    ['POST', '/a2a/message:stream'],
    ['POST', '/a2a/tasks/t/pushNotificationConfigs'],
    ['POST', '/a2a/tasks/t:cancel'],
    ['POST', '/a2a/tasks/t:subscribe'],
  ])('in the body of %s %s are told of as what they are', async (method, path) => {
    const before = (await hub.rest('GET', '/a2a/tasks')).body.totalSize;
    const bodies = [
      'true',
      '[]',
      '[null]',
      '{"message":null}',
      '{"message":[]}',
      '{"message":{"parts":[null]}}',
      '{"message":{"messageId":{},"role":5,"parts":{}}}',
      '{"__proto__":{"message":{}},"id":{"toString":1}}',
      '{"id":[],"taskId":{},"tenant":5,"url":7,"configuration":[],"metadata":"x"}',
      '{"url":"\\u0000","authentication":{"scheme":null}}',
      '['.repeat(100_000),
      `{"metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)},"id":1}`,
    ];
    for (const body of bodies) {
      const answer = await hub.rest(method, path, body);
      const shown = body.slice(0, 80);
      expect({ shown, refused: [400, 404].includes(answer.status) }).toEqual({
        shown,
        refused: true,
      });
      expect(answer.body.error.code).toBe(answer.status);
    }
    expect((await hub.rest('GET', '/a2a/tasks')).body.totalSize).toBe(before);
  });
});
