import { LEGACY_OPERATIONS, type LegacyOperation } from '../v0-operations.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON-RPC method of A2A 0.3 or 0.2.5. */
export interface LegacyMethod {
  readonly operation: LegacyOperation;
  /** What 0.3 calls the members of `params` that 0.2.x named otherwise. */
  readonly renamed?: (params: JsonObject) => JsonObject;
  /** What an older version calls the members of the result. */
  readonly answered?: (result: JsonObject) => JsonObject;
}

/** The methods of 0.3 under the names that 0.2.x gave them; the task was named `id` there. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  'tasks/pushNotification/set': 'tasks/pushNotificationConfig/set',
  'tasks/pushNotification/get': 'tasks/pushNotificationConfig/get',
};

const CURRENT: ReadonlyMap<string, LegacyMethod> = new Map(
  [...LEGACY_OPERATIONS.values()].map((operation) => [
    operation.method,
    operation.name === 'CreateTaskPushNotificationConfig'
      ? { operation, renamed: withTaskId }
      : { operation },
  ]),
);

/** The methods of 0.3, and those of 0.2.x under another name. */
export const LEGACY_METHODS: ReadonlyMap<string, LegacyMethod> = new Map<string, LegacyMethod>([
  ...CURRENT,
  ...Object.entries(OLDER_NAMES).map(
    ([method, name]) => [method, { ...CURRENT.get(name)!, answered: withTaskAsId }] as const,
  ),
]);

function withTaskId(params: JsonObject): JsonObject {
  return { ...params, taskId: params['taskId'] ?? params['task_id'] ?? params['id'] };
}

function withTaskAsId(result: JsonObject): JsonObject {
  return { id: result['taskId'], ...result };
}
