import type { JsonObject } from './json.js';
import type { ReceivedWebhook } from './webhook-sink.js';

/** What a webhook of version 1.0 tells. */
function payloadOf({ json }: ReceivedWebhook): JsonObject {
  const { task, statusUpdate, artifactUpdate } = json as JsonObject;
  return (task ?? statusUpdate ?? artifactUpdate ?? {}) as JsonObject;
}

/** The id of the task it is about. */
export function notifiedTask(webhook: ReceivedWebhook): unknown {
  const { id, taskId } = payloadOf(webhook);
  return taskId ?? id;
}

/** Whether it tells that this task is completed (to this path, when given). */
export function isEnd(taskId: string, path?: string): (webhook: ReceivedWebhook) => boolean {
  return (webhook) =>
    (path === undefined || webhook.path === path) &&
    notifiedTask(webhook) === taskId &&
    (payloadOf(webhook)['status'] as JsonObject)?.['state'] === 'TASK_STATE_COMPLETED';
}
