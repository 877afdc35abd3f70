import type { RecordSource } from '../../common/record-source.js';

/** Whom a limit is for: all members that are given must match. */
export interface LimitSubject {
  readonly organization: string | null;
  /** A principal's id. */
  readonly principal: string | null;
  readonly agent: string | null;
  /** `AGENT.SKILL`. */
  readonly skill: string | null;
}

/** A subject without members. */
export const NO_SUBJECT: LimitSubject = {
  organization: null,
  principal: null,
  agent: null,
  skill: null,
};

/** What is limited; null: not by this limit, 0: no limit. */
export interface LimitValues {
  /** Of an agent or a skill: what it has been given and has not ended. */
  readonly openTasks: number | null;
  readonly tasksPerDay: number | null;
  readonly tasksPerMonth: number | null;
  /** Bytes; of an organization or a principal alone. */
  readonly storedBytes: number | null;
  /** Of an agent or a skill: the messages that it gets in one. */
  readonly requestsPerSecond: number | null;
  readonly budget: Budget | null;
}

export const BUDGET_PERIODS = ['day', 'month'] as const;

/** What may be spent of a unit that the operator defines, a currency say. */
export interface Budget {
  readonly unit: string;
  readonly amount: number;
  readonly per: (typeof BUDGET_PERIODS)[number];
}

export interface LimitDefinition extends LimitSubject, LimitValues {}

/** What an operator lets somebody, or an agent, have at most. */
export interface Limit extends LimitDefinition {
  readonly id: string;
  readonly source: RecordSource;
  /** Null where it is declared in the configuration. */
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

const COUNTED = ['openTasks', 'tasksPerDay', 'tasksPerMonth', 'storedBytes'] as const;
const VALUES = [...COUNTED, 'requestsPerSecond', 'budget'] as const;

/** All that commits count for limits. */
export const LIMIT_KINDS = [...COUNTED, 'budgetPerDay', 'budgetPerMonth'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

export const SUBJECT_MEMBERS = ['organization', 'principal', 'agent', 'skill'] as const;

/** Limits made by the API at most. */
export const MAX_LIMITS = 10_000;

/** How much of what. */
export interface Amount {
  readonly kind: LimitKind;
  readonly max: number;
  /** Of a budget. */
  readonly unit?: string;
}

/** All that a limit limits and commits count. */
export function amountsOf(limit: LimitValues): Amount[] {
  const amounts: Amount[] = [];
  for (const kind of COUNTED) {
    const max = limit[kind];
    if (max) amounts.push({ kind, max });
  }
  if (limit.budget !== null) amounts.push(amountOf(limit.budget));
  return amounts;
}

export function amountOf({ unit, amount, per }: Budget): Amount {
  return { kind: per === 'day' ? 'budgetPerDay' : 'budgetPerMonth', max: amount, unit };
}

/** `organization+agent`: which members a subject names. */
export function shapeOf(subject: LimitSubject): string {
  return SUBJECT_MEMBERS.filter((member) => subject[member] !== null).join('+');
}

/** Whom something is for, without the rest. */
export function subjectOf({ organization, principal, agent, skill }: LimitSubject): LimitSubject {
  return { organization, principal, agent, skill };
}

/** One text for each subject. */
export function subjectKey({ organization, principal, agent, skill }: LimitSubject): string {
  return JSON.stringify([organization, principal, agent, skill]);
}

/** The agent that a subject names, and its skill. */
export function targetOf({
  agent,
  skill,
}: LimitSubject): { agentId: string; skillId?: string } | null {
  if (skill === null) return agent === null ? null : { agentId: agent };
  // No id of an agent has a dot.
  const dot = skill.indexOf('.');
  return { agentId: skill.slice(0, dot), skillId: skill.slice(dot + 1) };
}

/** What is wrong with a definition, by field. */
export function faultsOfLimit(
  definition: LimitDefinition,
): { field: string; description: string }[] {
  const { organization, principal, agent, skill, storedBytes } = definition;
  const faults: { field: string; description: string }[] = [];
  if (shapeOf(definition) === '') {
    faults.push({
      field: 'organization',
      description: 'or principal, agent or skill must be given: the subject of the limit',
    });
  }
  if (organization !== null && principal !== null) {
    faults.push({ field: 'principal', description: 'does not go with organization' });
  }
  if (agent !== null && skill !== null) {
    faults.push({ field: 'skill', description: 'names its agent itself; leave out agent' });
  }
  if (skill !== null && !/^[a-z0-9-]{1,63}\../.test(skill)) {
    faults.push({ field: 'skill', description: 'must be AGENT.SKILL' });
  }
  if (storedBytes !== null && (agent !== null || skill !== null)) {
    faults.push({
      field: 'storedBytes',
      description: 'is a limit of an organization or a principal alone',
    });
  }
  if (VALUES.every((value) => definition[value] === null)) {
    faults.push({
      field: 'openTasks',
      description: `or another of ${VALUES.join(', ')} must be given`,
    });
  }
  return faults;
}
