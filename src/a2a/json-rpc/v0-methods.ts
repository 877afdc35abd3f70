import type { SourceDetails } from '../hub-request-handler.js';
import { type Shape, isObject } from '../validation/shape.js';
import * as shapes from '../validation/v0-requests.js';

/** A JSON-RPC method of A2A 0.3 or 0.2.5. */
export interface LegacyMethod {
  /** The operation of 1.0 that it is. */
  readonly operation: string;
  /** Its name in 0.3, where 0.2.x called it otherwise. */
  readonly name: string;
  readonly shape: Shape;
  readonly streaming?: boolean;
  /** What 0.3 calls the members of `params` that 0.2.x named otherwise. */
  readonly renamed?: (params: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** What the canonical request cannot say, read off the raw `params`. */
  readonly details?: (params: Readonly<Record<string, unknown>>) => SourceDetails;
  /** What an older version calls the members of the result. */
  readonly answered?: (result: Record<string, unknown>) => Record<string, unknown>;
}

const send = {
  shape: shapes.messageSend,
  details: ({ configuration }: Readonly<Record<string, unknown>>): SourceDetails => {
    const { blocking, pushNotificationConfig } = members(configuration, 'pushNotificationConfig');
    const { authentication } = members(pushNotificationConfig);
    // The SDK reads an absent `blocking` as false; every 0.x client expects to wait by default.
    return { returnImmediately: blocking === false, authentication };
  },
};

const setPushConfig = {
  operation: 'CreateTaskPushNotificationConfig',
  name: 'tasks/pushNotificationConfig/set',
  shape: shapes.setPushConfig,
  // 0.2.x named the task `id`.
  renamed: (params: Readonly<Record<string, unknown>>) => ({
    ...params,
    taskId: params['taskId'] ?? params['task_id'] ?? params['id'],
  }),
  details: (params: Readonly<Record<string, unknown>>): SourceDetails => {
    const { pushNotificationConfig } = members(params, 'pushNotificationConfig');
    return { authentication: members(pushNotificationConfig)['authentication'] };
  },
} satisfies LegacyMethod;

const getPushConfig = {
  operation: 'GetTaskPushNotificationConfig',
  name: 'tasks/pushNotificationConfig/get',
  shape: shapes.getPushConfig,
} satisfies LegacyMethod;

/** 0.2.x clients look for the task under `id`. */
const withTaskAsId = (result: Record<string, unknown>): Record<string, unknown> => ({
  id: result['taskId'],
  ...result,
});

/** The methods of 0.3, and those of 0.2.x under another name. */
export const LEGACY_METHODS: ReadonlyMap<string, LegacyMethod> = new Map<string, LegacyMethod>([
  ['message/send', { operation: 'SendMessage', name: 'message/send', ...send }],
  [
    'message/stream',
    { operation: 'SendStreamingMessage', name: 'message/stream', streaming: true, ...send },
  ],
  ['tasks/get', { operation: 'GetTask', name: 'tasks/get', shape: shapes.taskQuery }],
  ['tasks/cancel', { operation: 'CancelTask', name: 'tasks/cancel', shape: shapes.taskId }],
  [
    'tasks/resubscribe',
    {
      operation: 'SubscribeToTask',
      name: 'tasks/resubscribe',
      shape: shapes.taskId,
      streaming: true,
    },
  ],
  ['tasks/pushNotificationConfig/set', setPushConfig],
  ['tasks/pushNotificationConfig/get', getPushConfig],
  [
    'tasks/pushNotificationConfig/list',
    {
      operation: 'ListTaskPushNotificationConfigs',
      name: 'tasks/pushNotificationConfig/list',
      shape: shapes.taskId,
    },
  ],
  [
    'tasks/pushNotificationConfig/delete',
    {
      operation: 'DeleteTaskPushNotificationConfig',
      name: 'tasks/pushNotificationConfig/delete',
      shape: shapes.deletePushConfig,
    },
  ],
  ['tasks/pushNotification/set', { ...setPushConfig, answered: withTaskAsId }],
  ['tasks/pushNotification/get', { ...getPushConfig, answered: withTaskAsId }],
  [
    'agent/getAuthenticatedExtendedCard',
    {
      operation: 'GetExtendedAgentCard',
      name: 'agent/getAuthenticatedExtendedCard',
      shape: shapes.noParams,
    },
  ],
]);

/** The 0.3 name of an operation of 1.0. */
export const LEGACY_NAME_OF: ReadonlyMap<string, string> = new Map(
  [...LEGACY_METHODS.values()].map(({ operation, name }) => [operation, name]),
);

/** The members of an object, one of them also under its snake_case name; of nothing, none. */
function members(value: unknown, camel?: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return {};
  if (camel === undefined || value[camel] !== undefined) return value;
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { ...value, [camel]: value[snake] };
}
