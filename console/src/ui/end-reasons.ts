import type { Schema } from '../api/client';

export type EndReason = NonNullable<Schema<'TaskDto'>['reason']>;

/** Why a task can have ended without success, in words. */
export const REASON_LABELS: Readonly<Record<EndReason, string>> = {
  AGENT_FAILED: 'The agent failed',
  AGENT_REJECTED: 'The agent rejected it',
  AGENT_CANCELED: 'The agent canceled it',
  AGENT_UNREACHABLE: 'Agent unreachable',
  AGENT_REFUSED: 'The agent answered with an error',
  AGENT_BUSY: 'Agent too busy',
  AGENT_TIMEOUT: 'No answer in time',
  AGENT_LOST_TASK: 'The agent lost the task',
  INVALID_AGENT_RESPONSE: 'Invalid answer of the agent',
  RESPONSE_TOO_LARGE: 'Answer too large',
  OUTCOME_UNKNOWN: 'Outcome unknown',
  CREDENTIALS_MISSING: 'Credentials missing',
  CREDENTIALS_REFUSED: 'Credentials refused',
  CONSENT_MISSING: 'Consent missing',
  AGENT_DELETED: 'Agent deleted',
  AGENT_DISABLED: 'Agent disabled',
  AGENT_KILLED: 'Agent killed',
  PERMISSION_DENIED: 'Permission denied',
  EXTENSION_SUPPORT_REQUIRED: 'Extension required',
  MAX_CALLS_REACHED: 'Call limit reached',
  DEADLINE_EXCEEDED: 'Deadline exceeded',
  CLIENT_TIMEOUT: 'The client did not answer',
  CANCELED_BY_CLIENT: 'Canceled by the client',
  CANCELED_BY_OPERATOR: 'Canceled by an operator',
  OWNER_DELETED: 'Owner deleted',
  TASK_TOO_LARGE: 'Task too large',
  INTERNAL: 'Fault of the hub',
  STEP_FAILED: 'A step failed',
  STEP_SKIPPED: 'A step was skipped',
  NOT_NEEDED: 'Not needed any more',
};

/** The words for a code; one that this console does not know is shown as it is. */
export function reasonText(code: string): string {
  return (REASON_LABELS as Readonly<Record<string, string>>)[code] ?? code;
}
