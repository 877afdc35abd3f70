import type { LegacyMessage, LegacyTask } from './v0-operations.js';

// How package a2a.v1 of A2A 0.3 writes what its types.ts writes otherwise, in ProtoJSON and on the wire.

/** A value of an enum: what ProtoJSON calls it, and its number. */
interface EnumValue {
  readonly name: string;
  readonly number: number;
}

/** `Role`, by the roles of 0.3. */
export const PROTO_ROLE: Readonly<Record<LegacyMessage['role'], EnumValue>> = {
  user: { name: 'ROLE_USER', number: 1 },
  agent: { name: 'ROLE_AGENT', number: 2 },
};

/** `TaskState`, by the states of 0.3. */
export const PROTO_STATE: Readonly<Record<LegacyTask['status']['state'], EnumValue>> = {
  unknown: { name: 'TASK_STATE_UNSPECIFIED', number: 0 },
  submitted: { name: 'TASK_STATE_SUBMITTED', number: 1 },
  working: { name: 'TASK_STATE_WORKING', number: 2 },
  completed: { name: 'TASK_STATE_COMPLETED', number: 3 },
  failed: { name: 'TASK_STATE_FAILED', number: 4 },
  canceled: { name: 'TASK_STATE_CANCELLED', number: 5 },
  'input-required': { name: 'TASK_STATE_INPUT_REQUIRED', number: 6 },
  rejected: { name: 'TASK_STATE_REJECTED', number: 7 },
  'auth-required': { name: 'TASK_STATE_AUTH_REQUIRED', number: 8 },
};

/** The resource name of a push config; `id` may be empty. */
export function pushConfigName(taskId: string, id: string): string {
  return `tasks/${taskId}/pushNotificationConfigs/${id}`;
}

/** The content of a file, given its base64; `twice` for a peer that takes that text for the content. */
export function fileBytes(base64: string, twice: boolean): Buffer {
  return Buffer.from(base64, twice ? 'latin1' : 'base64');
}
