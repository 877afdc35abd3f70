import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hub } from '../support/app.js';
import { ForeignTasks, type RestHub, startRestHub } from './rest-harness.js';

let rest: RestHub;
let hub: Hub;

beforeAll(async () => {
  rest = await startRestHub('echo', 'other');
  ({ hub } = rest);
});

afterAll(() => rest.close());

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
  let tasks: ForeignTasks;

  beforeAll(async () => {
    tasks = await ForeignTasks.of(hub);
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
    const options = { key: tasks.strangersKey, version: null };
    const unknown = await tasks.areAsUnknown((id) =>
      hub.rest(method, path.replace('ID', id), body?.(id), options),
    );
    expect(unknown).toEqual([
      404,
      '{"code":-32001,"message":"Task not found","data":{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}}',
    ]);
  });

  it('is none at the binding of another agent', async () => {
    for (const [method, path] of CALLS.filter(([, route]) => route.startsWith('/tasks'))) {
      const body = path.endsWith('Configs') && method === 'POST' ? HOOK : undefined;
      const url = `/a2a/agents/other/v1${path.replace('ID', tasks.waiting)}`;
      const { status } = await hub.rest(method, url, body, { version: null });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });
});
