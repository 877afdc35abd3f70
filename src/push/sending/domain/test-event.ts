import type { StreamResponse, TaskState } from '../../../protocol/a2a.js';
import { PUSH_EXTENSION_URI } from './truncated-payload.js';

/** The part of a task that a test contains. */
export interface TestedTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  readonly statusAt: Date;
}

/**
 * The payload of a test: the task as it is, with neither artifacts nor history, marked in its
 * metadata. A receiver that overlooks the mark takes in nothing that is not so.
 */
export function testPayload(task: TestedTask): NonNullable<StreamResponse['payload']> {
  return {
    $case: 'task',
    value: {
      id: task.id,
      contextId: task.contextId,
      status: { state: task.state, message: undefined, timestamp: task.statusAt.toISOString() },
      artifacts: [],
      history: [],
      metadata: { [PUSH_EXTENSION_URI]: { test: true } },
    },
  };
}

/** The `webhook-id` of a test; each is an event of its own. */
export function testWebhookId(streamId: string, deliveryId: string): string {
  return `${streamId}.test.${deliveryId}`;
}
