import { DAY_MS } from '../../common/clock.js';
import { HubError, type Refusal } from '../../common/hub-error.js';
import { type LimitKind, type LimitSubject, shapeOf, subjectKey, targetOf } from './limit.js';

/** A limit as it counts for one task that is to begin, or one message. */
export interface AppliedLimit {
  readonly subject: LimitSubject;
  readonly kind: LimitKind;
  readonly max: number;
  /** Of a budget. */
  readonly unit?: string;
  /** What the task takes of it; 0 of what is only known once it is stored. */
  readonly takes: number;
}

/** When it makes sense to try again while too many tasks are open, in seconds. */
const OPEN_RETRY_SECONDS = 10;

/** A kind of limit of somebody. */
interface NamedLimit {
  readonly subject: LimitSubject;
  readonly kind: LimitKind | 'requestsPerSecond';
}

/** The name that callers and metrics get: `organization.openTasks`. */
export function nameOf({ subject, kind }: NamedLimit): string {
  return `${shapeOf(subject)}.${kind}`;
}

/** What the audit log is told of a refusal. */
export function refusalBy({ subject, kind }: NamedLimit): Refusal {
  const { organization, principal, agent, skill } = subject;
  return {
    limit: {
      kind,
      ...(organization !== null && { organization }),
      ...(principal !== null && { principal }),
      ...(agent !== null && { agent }),
      ...(skill !== null && { skill }),
    },
  };
}

/** The row that counts it, or by which those wait for each other who take of it. */
export function counterOf({
  subject,
  kind,
  unit,
}: Pick<AppliedLimit, 'subject' | 'kind' | 'unit'>): string {
  const counter = `${kind} ${subjectKey(subject)}`;
  return unit === undefined ? counter : `${counter} ${unit}`;
}

/** The period that `now` is in: a day or a month (UTC) as a number; 0 for what has none. */
export function periodOf(kind: LimitKind, now: Date): number {
  if (isPerDay(kind)) return Math.floor(now.getTime() / DAY_MS);
  return isPerMonth(kind) ? monthOf(now) : 0;
}

/** The month (UTC) of this time as a number. */
export function monthOf(now: Date): number {
  return now.getUTCFullYear() * 12 + now.getUTCMonth();
}

/** It begins anew each day. */
export function isPerDay(kind: LimitKind): boolean {
  return kind === 'tasksPerDay' || kind === 'budgetPerDay';
}

function isPerMonth(kind: LimitKind): boolean {
  return kind === 'tasksPerMonth' || kind === 'budgetPerMonth';
}

/** When the period ends that `now` is in; null for what has none. */
export function periodEnd(kind: LimitKind, now: Date): Date | null {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (isPerDay(kind)) return new Date(Date.UTC(year, month, day + 1));
  return isPerMonth(kind) ? new Date(Date.UTC(year, month + 1, 1)) : null;
}

/** It is used up: nothing more may be taken of it. */
export function isUsedUp({ kind, max, takes }: AppliedLimit, used: number): boolean {
  return isKnownLater(kind) ? used >= max : used + takes > max;
}

/** What a task takes of it is only known when that is stored, or has ended. */
export function isKnownLater(kind: LimitKind): boolean {
  return kind === 'storedBytes' || isBudget(kind);
}

export function isBudget(kind: LimitKind): boolean {
  return kind === 'budgetPerDay' || kind === 'budgetPerMonth';
}

/** So much is used that an operator should know. */
export function isAlmostUsedUp({ max }: AppliedLimit, used: number): boolean {
  return used >= max * 0.8;
}

/** The refusal of what would go beyond it: which limit, whose, how much, and when it is free. */
export function usedUp(limit: AppliedLimit, used: number, now: Date): HubError {
  const { subject, kind, max } = limit;
  const name = nameOf(limit);
  const target = targetOf(subject);
  const end = periodEnd(kind, now);
  const seconds =
    end === null
      ? kind === 'openTasks' && OPEN_RETRY_SECONDS
      : Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
  return new HubError(
    'QUOTA_EXCEEDED',
    `The quota ${name} is used up: ${whoHas(subject)} ${WHAT[kind](used, limit.unit)} of ${max}. ${helpFor(kind, target !== null)}`,
    {
      metadata: {
        quota: name,
        current: String(used),
        limit: String(max),
        ...(limit.unit !== undefined && { unit: limit.unit }),
        ...(seconds !== false && { retryAfterSeconds: String(seconds) }),
        ...target,
      },
      refusal: refusalBy(limit),
    },
  );
}

const WHAT: Readonly<Record<LimitKind, (used: number, unit?: string) => string>> = {
  openTasks: (used) => `${used} open tasks`,
  tasksPerDay: (used) => `begun ${used} tasks today`,
  tasksPerMonth: (used) => `begun ${used} tasks this month`,
  storedBytes: (used) => `${used} bytes stored`,
  budgetPerDay: (used, unit) => `spent ${used} ${unit} today`,
  budgetPerMonth: (used, unit) => `spent ${used} ${unit} this month`,
};

function helpFor(kind: LimitKind, isOfAgent: boolean): string {
  if (kind === 'openTasks') {
    return isOfAgent
      ? 'Wait until some have ended.'
      : 'Wait until some have ended, or cancel some.';
  }
  if (kind === 'storedBytes') return 'Delete ended tasks, or ask the operator of the hub for more.';
  if (isPerDay(kind)) return 'It begins anew at midnight UTC.';
  return 'It begins anew with the next month (UTC).';
}

/** The subject of a sentence. */
export function whoHas({ organization, principal, agent, skill }: LimitSubject): string {
  const at = skill ?? agent;
  const named = skill === null ? `the agent "${at}"` : `the skill "${at}"`;
  if (at === null)
    return principal === null ? `the organization "${organization}" has` : 'you have';
  if (organization !== null) return `at ${named} the organization "${organization}" has`;
  return principal === null ? `${named} has` : `at ${named} you have`;
}
