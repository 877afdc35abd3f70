import { expect } from '@jest/globals';
import type { Json } from '../support/json.js';
import { TEXT_MESSAGE } from './bindings-methods.js';

/** A push config. */
export const HOOK = { url: 'https://example.com/hook' };

/** Where the binding is, and which agent that names. */
export const PREFIXES: [prefix: string, agent: string | undefined][] = [
  ['/a2a', undefined],
  ['/a2a/echo', 'echo'],
  ['/a2a/agents/echo', 'echo'],
];

/** Every route, and what it must reach. */
export const ROUTES: [method: string, path: string, body: Json, reached: string][] = [
  ['POST', '/message:send', { message: TEXT_MESSAGE }, 'tasks.send'],
  ['POST', '/message:stream', { message: TEXT_MESSAGE }, 'tasks.sendStream'],
  ['GET', '/tasks', undefined, 'tasks.list'],
  ['GET', '/tasks/task-1', undefined, 'tasks.get'],
  ['POST', '/tasks/task-1:cancel', undefined, 'tasks.cancel'],
  ['GET', '/tasks/task-1:subscribe', undefined, 'tasks.subscribe'],
  ['POST', '/tasks/task-1:subscribe', undefined, 'tasks.subscribe'],
  ['POST', '/tasks/task-1/pushNotificationConfigs', HOOK, 'push.create'],
  ['GET', '/tasks/task-1/pushNotificationConfigs', undefined, 'push.list'],
  ['GET', '/tasks/task-1/pushNotificationConfigs/config-1', undefined, 'push.get'],
  ['DELETE', '/tasks/task-1/pushNotificationConfigs/config-1', undefined, 'push.delete'],
];

/** Every route below every prefix. */
export const EVERYWHERE = PREFIXES.flatMap(([prefix, agent]) =>
  ROUTES.map(
    ([method, path, body, reached]): [string, string, Json, string, string | undefined] => [
      method,
      prefix + path,
      body,
      reached,
      agent,
    ],
  ),
);

/** The fields a 400 names. */
export function violated({ status, body }: { status: number; body: Json }): string[] {
  expect(status).toBe(400);
  const { details } = body['error'];
  expect(details[0]).toMatchObject({ reason: 'INVALID_PARAMS' });
  return (details[1]?.fieldViolations ?? []).map(({ field }: Json) => field);
}
