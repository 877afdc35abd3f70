import type { Schema } from '../../../api/client';
import type { paths } from '../../../api/schema';

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
  /** How far back: a key of `PERIODS`, or else `from` and `to`. */
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
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

const HOUR_MS = 3_600_000;

export const PERIODS: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  '15m': { label: 'Last 15 minutes', ms: HOUR_MS / 4 },
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '6h': { label: 'Last 6 hours', ms: 6 * HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
};

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

const TEXTS = [
  'agent',
  'skill',
  'rule',
  'organization',
  'principal',
  'context',
  'from',
  'to',
  'q',
] as const;

/** The search in an address, without what it cannot mean. */
export function taskSearchOf(search: Record<string, unknown>): TaskSearch {
  const states = statesOf(textOf(search['state']));
  const reason = textOf(search['reason']);
  const since = textOf(search['since']);
  const texts = TEXTS.flatMap((name) => {
    const text = textOf(search[name]);
    return text === '' ? [] : [[name, text] as const];
  });
  return {
    ...(states.length > 0 && { state: states.join(',') }),
    ...(reason in REASON_LABELS && { reason: reason as EndReason }),
    ...(since in PERIODS && { since }),
    ...(Object.fromEntries(texts) as Partial<TaskSearch>),
  };
}

export function statesOf(list: string | undefined): readonly TaskState[] {
  const given = new Set((list ?? '').split(','));
  return STATES.filter((each) => given.has(each));
}

/** What the hub is asked. Periods are counted back from now. */
export function queryOf(search: TaskSearch): TaskQuery {
  const { agent, skill, rule, organization, principal, context, reason, since, q } = search;
  const states = statesOf(search.state);
  const period = since === undefined ? undefined : PERIODS[since];
  const after = period ? new Date(Date.now() - period.ms).toISOString() : timeOf(search.from);
  const before = timeOf(search.to);
  return {
    ...(states.length > 0 && { state: [...states] }),
    ...(agent && { agentId: agent }),
    ...(skill && { skill }),
    ...(rule && { rule }),
    ...(organization && { organization }),
    ...(principal && { principalId: principal }),
    ...(context && { contextId: context }),
    ...(reason && { reason }),
    ...(after && { createdAfter: after }),
    ...(before && { createdBefore: before }),
    ...(q && { q }),
  };
}

function timeOf(text: string | undefined): string | undefined {
  const at = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
