import { expect } from '@jest/globals';
import type { Json } from '../support/json.js';

/** A message of 1.0. */
export const TEXT_MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
/** The same in 0.3. */
export const OLD_MESSAGE = {
  kind: 'message',
  messageId: 'm-1',
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
};

/** Every method of 1.0 with params that are right. */
export const V1_METHODS: Record<string, Json> = {
  SendMessage: { message: TEXT_MESSAGE },
  SendStreamingMessage: { message: TEXT_MESSAGE },
  GetTask: { id: 'task-1' },
  ListTasks: {},
  CancelTask: { id: 'task-1' },
  SubscribeToTask: { id: 'task-1' },
  CreateTaskPushNotificationConfig: { taskId: 'task-1', url: 'https://example.com/hook' },
  GetTaskPushNotificationConfig: { taskId: 'task-1', id: 'config-1' },
  ListTaskPushNotificationConfigs: { taskId: 'task-1' },
  DeleteTaskPushNotificationConfig: { taskId: 'task-1', id: 'config-1' },
  GetExtendedAgentCard: {},
};

/** Every method of 0.3 and 0.2.5 with params that are right. */
export const V0_METHODS: Record<string, Json> = {
  'message/send': { message: OLD_MESSAGE },
  'message/stream': { message: OLD_MESSAGE },
  'tasks/get': { id: 'task-1' },
  'tasks/cancel': { id: 'task-1' },
  'tasks/resubscribe': { id: 'task-1' },
  'tasks/pushNotificationConfig/set': {
    taskId: 'task-1',
    pushNotificationConfig: { url: 'https://example.com/hook' },
  },
  'tasks/pushNotificationConfig/get': { id: 'task-1' },
  'tasks/pushNotificationConfig/list': { id: 'task-1' },
  'tasks/pushNotificationConfig/delete': { id: 'task-1', pushNotificationConfigId: 'config-1' },
  'tasks/pushNotification/set': {
    id: 'task-1',
    pushNotificationConfig: { url: 'https://example.com/hook' },
  },
  'tasks/pushNotification/get': { id: 'task-1' },
  'agent/getAuthenticatedExtendedCard': {},
};

/** All of them, with their version. */
export const ALL_METHODS: [version: '1.0' | '0.3', method: string, params: Json][] = [
  ...Object.entries(V1_METHODS).map(([method, params]): ['1.0', string, Json] => [
    '1.0',
    method,
    params,
  ]),
  ...Object.entries(V0_METHODS).map(([method, params]): ['0.3', string, Json] => [
    '0.3',
    method,
    params,
  ]),
];

/** The fields a refusal names. */
export function violationsOf(body: Json, version: '1.0' | '0.3'): Json[] {
  const { code, data } = body['error'];
  expect(code).toBe(-32602);
  const found =
    version === '1.0'
      ? (data as Json[]).find((detail) => detail['@type'].endsWith('BadRequest'))
      : data;
  return (found?.['fieldViolations'] ?? []) as Json[];
}
