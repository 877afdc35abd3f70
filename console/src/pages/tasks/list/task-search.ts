import type { Schema } from '../../../api/client';
import type { paths } from '../../../api/schema';
import { present, textsOf } from '../../../ui/search';
import { type EndReason, REASON_LABELS } from '../../../ui/end-reasons';
import type { Span } from '../../../api/time-span';

export type TaskState = Schema<'TaskDto'>['state'];
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
  /** Why a part of it failed, however it ended itself. */
  readonly part?: EndReason;
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

const NAMES = [
  'state',
  'reason',
  'part',
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
  const { state, reason, part, time, stuck, ...texts } = textsOf(search, NAMES);
  const states = statesOf(state);
  return {
    ...texts,
    ...(states.length > 0 && { state: states.join(',') }),
    ...(time === 'status' && { time }),
    ...(stuck === 'true' && { stuck }),
    ...(isReason(reason) && { reason }),
    ...(isReason(part) && { part }),
  };
}

function isReason(text: string | undefined): text is EndReason {
  return text !== undefined && text in REASON_LABELS;
}

export function statesOf(list: string | undefined): readonly TaskState[] {
  const given = new Set((list ?? '').split(','));
  return STATES.filter((each) => given.has(each));
}

/** Whether it leaves tasks out: the choice of a time without one does not. */
export function leavesOut(search: TaskSearch, span: Span): boolean {
  return Object.keys(queryOf(search, span)).length > 0;
}

/** What the hub is asked. */
export function queryOf(search: TaskSearch, { since, until }: Span): TaskQuery {
  const { agent, skill, rule, organization, principal, context, reason, part, q, stuck } = search;
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
      delegationReason: part,
      ...(search.time === 'status'
        ? { statusAfter: since, statusBefore: until }
        : { createdAfter: since, createdBefore: until }),
      q,
      stuck,
    }),
  };
}
