import type { Schema } from '../../../api/client';
import type { paths } from '../../../api/schema';
import { present, textsOf } from '../../../ui/search';
import type { Span } from '../../../ui/time-range';

export type TaskState = Schema<'TaskDto'>['state'];
export type EndReason = NonNullable<Schema<'TaskDto'>['reason']>;
type TaskQuery = NonNullable<paths['/api/v1/tasks']['get']['parameters']['query']>;

/** What is searched for, as the address has it. */
export interface TaskSearch {
  /** States, with commas between them. */
  readonly state?: string;
  readonly agent?: string;
  readonly skill?: string;
  readonly rule?: string;
  readonly organization?: string;
  readonly principal?: string;
  readonly context?: string;
  readonly reason?: EndReason;
  /** What the time is of: `status`, the last change of its state, which is its end when it has ended; else its begin. */
  readonly time?: 'status';
  /** The time, by name or by two times. */
  readonly range?: string;
  readonly since?: string;
  readonly until?: string;
  readonly q?: string;
  /** `true`: those that are stuck. */
  readonly stuck?: 'true';
}

export const STATES = Object.keys({
  submitted: true,
  working: true,
  'input-required': true,
  'auth-required': true,
  completed: true,
  failed: true,
  rejected: true,
  canceled: true,
} satisfies Record<TaskState, true>) as readonly TaskState[];

/** Why a task can have ended without success, in words. */
export const REASON_LABELS: Readonly<Record<EndReason, string>> = {
  AGENT_FAILED: 'The agent failed',
  AGENT_REJECTED: 'The agent rejected it',
  AGENT_CANCELED: 'The agent canceled it',
  AGENT_UNREACHABLE: 'Agent unreachable',
  AGENT_REFUSED: 'The agent refused the call',
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

const NAMES = [
  'state',
  'reason',
  'agent',
  'skill',
  'rule',
  'organization',
  'principal',
  'context',
  'time',
  'range',
  'since',
  'until',
  'q',
  'stuck',
] as const;

/** The search in an address, without what it cannot mean. */
export function taskSearchOf(search: Record<string, unknown>): TaskSearch {
  const { state, reason, time, stuck, ...texts } = textsOf(search, NAMES);
  const states = statesOf(state);
  return {
    ...texts,
    ...(states.length > 0 && { state: states.join(',') }),
    ...(time === 'status' && { time }),
    ...(stuck === 'true' && { stuck }),
    ...(reason !== undefined && reason in REASON_LABELS && { reason: reason as EndReason }),
  };
}

export function statesOf(list: string | undefined): readonly TaskState[] {
  const given = new Set((list ?? '').split(','));
  return STATES.filter((each) => given.has(each));
}

/** What the hub is asked. */
export function queryOf(search: TaskSearch, { since, until }: Span): TaskQuery {
  const { agent, skill, rule, organization, principal, context, reason, q, stuck } = search;
  const states = statesOf(search.state);
  return {
    ...(states.length > 0 && { state: [...states] }),
    ...present({
      agentId: agent,
      skill,
      rule,
      organization,
      principalId: principal,
      contextId: context,
      reason,
      ...(search.time === 'status'
        ? { statusAfter: since, statusBefore: until }
        : { createdAfter: since, createdBefore: until }),
      q,
      stuck,
    }),
  };
}
