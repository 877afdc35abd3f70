import { readTraceparent } from '../../common/tracing/trace-context.js';
import { IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Choice, QueryFlag, Shown, Text, Time } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { merged } from '../../common/merged.js';
import { fill } from '../../common/http/view.js';
import { TaskState } from '../../protocol/a2a.js';
import {
  planOf,
  RouteDto,
  RouteRuleDto,
  type Plan,
  type Route,
  withoutExcluded,
} from '../../routing/index.js';
import { isTerminal, nameOfState } from '../../protocol/task-state.js';
import { taskEndCode } from '../domain/task-end-code.js';
import { canceledBy, retryOf } from '../domain/operator-actions.js';
import type { StuckSince } from '../store/stuck-tasks.js';
import type { FoundTask, StateCount, TaskSearch } from '../store/task-store.js';
import {
  END_CODES,
  type EndCode,
  EVENT_KINDS,
  type Delegation,
  type DelegationState,
  type TaskEvent,
} from '../task.js';
import {
  AgentTroubleDto,
  AttemptDto,
  type NameReader,
  OperatorDto,
  RetryDto,
  timeOf,
} from './task-parts.dto.js';

/** The states as the admin API writes them: `working`, `input-required`, … */
const STATES: ReadonlyMap<string, TaskState> = new Map(
  Object.values(TaskState).flatMap((value): [string, TaskState][] =>
    typeof value === 'number' && value > TaskState.TASK_STATE_UNSPECIFIED
      ? [[nameOfState(value), value]]
      : [],
  ),
);
const NAMES = new Map([...STATES].map(([name, state]) => [state, name]));

/** The states of a delegation, in their usual order. */
const DELEGATION_STATES = Object.keys({
  planned: true,
  queued: true,
  sending: true,
  working: true,
  'input-required': true,
  'auth-required': true,
  completed: true,
  failed: true,
  canceled: true,
  rejected: true,
  skipped: true,
} satisfies Record<DelegationState, true>);

/** `working,failed`, or the parameter several times. */
function listed(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',') : value;
}

/** What operators look for, but for the state. */
export class TaskFilterDto {
  @Text({ optional: true, max: 1000, description: 'Only tasks of this context.' })
  contextId?: string;

  @Text({ optional: true, max: 63, description: 'Only tasks with a delegation to this agent.' })
  agentId?: string;

  @Text({
    optional: true,
    max: 1000,
    description:
      'Only tasks with a delegation for this skill, by the id that the agent gives it; with agentId, of that agent.',
  })
  skill?: string;

  @Text({
    optional: true,
    max: 200,
    description:
      'Only tasks that the routing rule with this id or name has routed; tasks begun before the hub had this filter are not found.',
  })
  rule?: string;

  @Choice(END_CODES, {
    optional: true,
    description:
      'Only tasks that ended without success for this reason; tasks that ended before the hub had this filter are not found.',
  })
  reason?: EndCode;

  @Choice(END_CODES, {
    optional: true,
    description:
      'Only tasks of which a delegation ended without success for this reason, however the task itself ended.',
  })
  delegationReason?: EndCode;

  @Time({ optional: true, description: 'Only tasks that were begun since.' })
  createdAfter?: string;

  @Time({ optional: true, description: 'Only tasks that were begun before.' })
  createdBefore?: string;

  @Text({
    optional: true,
    max: 1000,
    description:
      'Only tasks with exactly this id, context id or trace id; by the trace, tasks begun before the hub had this filter are not found.',
  })
  q?: string;

  @Time({ optional: true, description: 'Only tasks whose status has changed since.' })
  statusAfter?: string;

  @Time({ optional: true, description: 'Only tasks whose status has not changed since.' })
  statusBefore?: string;

  @QueryFlag({
    optional: true,
    description:
      'True: only tasks that are stuck: submitted, and no agent has begun them within `tasks.stuckQueued`, or working, and nothing was received of them for `tasks.stuckSilent`.',
  })
  stuck?: boolean;

  @Text({ optional: true, max: 200, description: 'Only tasks of this organization.' })
  organization?: string;

  @Text({ optional: true, max: 200, description: 'Only tasks of this principal.' })
  principalId?: string;
}

export class TaskQueryDto extends IntersectionType(PageQueryDto, TaskFilterDto) {
  @Choice([...STATES.keys()], {
    optional: true,
    list: { min: 1, max: STATES.size, unique: true },
    description: 'Only tasks in one of these states: `state=working,failed`.',
  })
  @Transform(({ value }) => listed(value))
  state?: readonly string[];
}

/** `idsOf`: the ids of the rules with an id or a name; `stuck`: what is stuck now. */
export function searchOf(
  query: TaskFilterDto & Pick<TaskQueryDto, 'state'>,
  idsOf: (idOrName: string) => readonly string[],
  stuck: StuckSince,
): TaskSearch {
  const { state, contextId, agentId, skill, rule, reason, q, organization, principalId } = query;
  const { delegationReason, createdAfter, createdBefore, statusAfter, statusBefore } = query;
  return {
    ...(state && { states: state.flatMap((each) => STATES.get(each) ?? []) }),
    ...(contextId && { contextId }),
    ...(agentId && { agentId }),
    ...(skill && { skillId: skill }),
    // A rule that was deleted is found by its id.
    ...(rule && { ruleIds: [...new Set([rule, ...idsOf(rule)])] }),
    ...(reason && { endCode: reason }),
    ...(delegationReason && { partEndCode: delegationReason }),
    ...(createdAfter && { createdAfter: new Date(createdAfter) }),
    ...(createdBefore && { createdBefore: new Date(createdBefore) }),
    ...(q && { text: q }),
    ...(statusAfter && { statusAfter: new Date(statusAfter) }),
    ...(statusBefore && { statusBefore: new Date(statusBefore) }),
    ...(query.stuck && { stuckSince: stuck }),
    ...(organization && { organization }),
    ...(principalId && { principalId }),
  };
}

/** Who reads the tasks, and what else the answer depends on. */
export interface TaskReader extends NameReader {
  /** The text for a queued task while there is no worker process; null while there is one. */
  readonly unworked: string | null;
  /** The names of keys, by their ids. */
  readonly keyNames: ReadonlyMap<string, string>;
  /** The newest retries of tasks, by the ids of these. */
  readonly retriedAs: ReadonlyMap<string, string>;
}

/** The principals whose tasks these are, and the operators that canceled or retried them. */
export function principalIdsOf(tasks: readonly Pick<FoundTask, 'record'>[]): string[] {
  const ids = tasks.flatMap(({ record }) => [
    record.principalId,
    canceledBy(record.cancelMetadata)?.principalId ?? [],
    retryOf(record.requestMetadata)?.by.principalId ?? [],
  ]);
  return [...new Set(ids.flat())];
}

/** The API keys that created tasks. */
export function keyIdsOf(tasks: readonly Pick<FoundTask, 'record'>[]): string[] {
  return [...new Set(tasks.flatMap(({ record }) => record.keyId ?? []))];
}

export class TaskKeyDto {
  @Shown.Text() readonly id: string;
  @Shown.Text({ nullable: true }) readonly name: string | null;

  constructor(id: string, name: string | undefined) {
    this.id = id;
    this.name = name ?? null;
  }
}

export class DelegationDto {
  @Shown.Text() readonly id!: string;
  @Shown.Num({ description: 'Its index among the delegations of the task, from 0.' })
  readonly position!: number;
  @Shown.Num({ description: 'The index of its step in the plan, from 0.' })
  readonly step!: number;
  @Shown.Text({ description: 'The name of that step.', example: 'translate' })
  readonly stepName!: string;
  @Shown.Text({ description: 'The agent it is assigned to, or was assigned to last.' })
  readonly agentId!: string;
  @Shown.Text() readonly agentName!: string;
  @Shown.Text({ nullable: true }) readonly skillId!: string | null;
  @Shown.Choice(DELEGATION_STATES, {
    description:
      '`planned`: its step has not started. `skipped`: its step was not needed, or can no longer start.',
  })
  readonly state!: string;
  @Shown.Text({ nullable: true, description: 'Why it ended, or what it waits for.' })
  readonly reason!: string | null;
  @Shown.Nested(() => AgentTroubleDto, {
    nullable: true,
    description:
      'The failed call that ended it or caused a failover to another agent; null without the scope `tasks:all`.',
  })
  readonly trouble!: AgentTroubleDto | null;
  @Shown.Nested(() => AttemptDto, {
    list: true,
    description:
      'Agents tried before this one, or skipped without a call (no `calledAt`), oldest first.',
  })
  readonly attempts!: readonly AttemptDto[];
  @Shown.Text({
    list: true,
    description: 'Agents to fail over to, in order, if this one does not accept the message.',
  })
  readonly fallbacks!: readonly string[];
  @Shown.Num({
    description:
      'Messages sent to agents for it, failovers included; they count towards the call limit of the task.',
  })
  readonly calls!: number;
  @Shown.Num({ description: 'How often it has been claimed by a runner.' })
  readonly claims!: number;
  @Shown.Time() readonly createdAt!: string;
  @Shown.Time({ nullable: true, description: 'When its step started.' })
  readonly queuedAt!: string | null;
  @Shown.Time({ nullable: true, description: 'When its first message was sent.' })
  readonly sentAt!: string | null;
  @Shown.Time({ nullable: true, description: 'When an agent accepted the message or answered it.' })
  readonly answeredAt!: string | null;
  @Shown.Time({ nullable: true })
  readonly endedAt!: string | null;
  @Shown.Time() readonly updatedAt!: string;
  @Shown.Time() readonly deadlineAt!: string;

  constructor(delegation: Delegation, plan: Plan, { unworked, isAdmin }: TaskReader) {
    const { times = {}, attempts = [], trouble } = delegation.progress;
    const isFree = delegation.state === 'queued' && delegation.owner === null;
    const more = {
      stepName: plan[delegation.step]?.name ?? '',
      reason: delegation.reason ?? (isFree ? unworked : null),
      trouble: trouble && isAdmin ? new AgentTroubleDto(trouble) : null,
      attempts: attempts.map((each) => new AttemptDto(each)),
      fallbacks: delegation.fallbacks.map(({ agentId }) => agentId),
      claims: delegation.epoch,
      queuedAt: delegation.begunAt,
      sentAt: timeOf(times.sentAt ?? sendingSince(delegation)),
      answeredAt: timeOf(times.answeredAt),
      endedAt: timeOf(times.endedAt),
    };
    fill<DelegationDto>(this, merged(delegation, more));
  }
}

/** The time of the claim, while the message is being sent; its answer will store it. */
function sendingSince({ state, updatedAt }: Delegation): number | undefined {
  return state === 'sending' ? updatedAt.getTime() : undefined;
}

export class TaskDto {
  @Shown.Text() readonly id: string;
  @Shown.Text() readonly contextId: string;
  @Shown.Text() readonly principalId: string;
  @Shown.Text({
    nullable: true,
    description:
      'What people know the principal as: its display name; else, of one whose id the hub has made, the name of its oldest valid key; null without either.',
  })
  readonly principalName: string | null;
  @Shown.Text() readonly organization: string;
  @Shown.Nested(() => TaskKeyDto, {
    nullable: true,
    description:
      'The API key that created the task; null for the configured admin key, and for calls without a key.',
  })
  readonly key: TaskKeyDto | null;
  @Shown.Choice([...STATES.keys()]) readonly state: string;
  @Shown.Num({ description: 'The number of the newest event.' }) readonly seq: number;
  @Shown.Time() readonly statusAt: string;
  @Shown.Time() readonly createdAt: string;
  @Shown.Time() readonly updatedAt: string;
  @Shown.Choice(END_CODES, {
    nullable: true,
    description:
      'Why it has ended without success; null while it is open, when it completed, and where no delegation says so.',
  })
  readonly reason: EndCode | null;
  @Shown.Time({ nullable: true })
  readonly cancelRequestedAt: string | null;
  @Shown.Nested(() => OperatorDto, {
    nullable: true,
    description:
      'The operator that canceled it; null if it was not canceled, or was canceled by its client.',
  })
  readonly canceledBy: OperatorDto | null;
  @Shown.Nested(() => RetryDto, {
    nullable: true,
    description: 'The task that this one retries at the request of an operator.',
  })
  readonly retryOf: RetryDto | null;
  @Shown.Text({
    nullable: true,
    description: 'The newest task that retries this one at the request of an operator.',
  })
  readonly retriedAs: string | null;
  @Shown.Nested(() => DelegationDto, { list: true }) readonly delegations: readonly DelegationDto[];
  @Shown.Nested(() => RouteRuleDto, {
    nullable: true,
    description: 'The routing rule that chose its agents; null when none did.',
  })
  readonly rule: RouteRuleDto | null;

  constructor({ record, delegations }: FoundTask, reader: TaskReader) {
    this.id = record.id;
    this.contextId = record.contextId;
    this.principalId = record.principalId;
    this.principalName = reader.principalNames.get(record.principalId) ?? null;
    this.organization = record.organization;
    const { keyId } = record;
    this.key = keyId === null ? null : new TaskKeyDto(keyId, reader.keyNames.get(keyId));
    this.state = NAMES.get(record.state) ?? 'unknown';
    this.seq = record.seq;
    this.statusAt = record.statusAt.toISOString();
    this.createdAt = record.createdAt.toISOString();
    this.updatedAt = record.updatedAt.toISOString();
    this.reason = isTerminal(record.state) ? taskEndCode(record, delegations) : null;
    this.cancelRequestedAt = record.cancelRequestedAt?.toISOString() ?? null;
    const operator = canceledBy(record.cancelMetadata);
    const retry = retryOf(record.requestMetadata);
    this.canceledBy = operator ? new OperatorDto(operator, reader) : null;
    this.retryOf = retry ? new RetryDto(retry, reader) : null;
    this.retriedAs = reader.retriedAs.get(record.id) ?? null;
    this.rule = record.route.rule ?? null;
    const plan = planOf(record.route);
    this.delegations = delegations.map((each) => new DelegationDto(each, plan, reader));
  }
}

export class TaskCountDto {
  @Shown.Choice([...STATES.keys()]) readonly state: string;
  @Shown.Num({ description: 'At most 1000.', example: 17 }) readonly count: number;
  @Shown.Flag({ description: 'There may be more than were counted.', example: false })
  readonly isLeast: boolean;

  constructor({ state, count, isLeast }: StateCount) {
    this.state = NAMES.get(state) ?? 'unknown';
    this.count = count;
    this.isLeast = isLeast;
  }
}

/** How many tasks there are by state. */
export class TaskCountsDto {
  @Shown.Nested(() => TaskCountDto, { list: true }) readonly states: readonly TaskCountDto[];

  constructor(counts: readonly StateCount[]) {
    this.states = counts.map((each) => new TaskCountDto(each));
  }
}

export class TaskEventDto {
  @Shown.Num() readonly seq!: number;
  @Shown.Choice(EVENT_KINDS)
  readonly kind!: string;
  @Shown.Time() readonly at!: string;
  @Shown.Other({ type: Object }, { description: 'The StreamResponse as A2A 1.0 writes it.' })
  readonly body!: unknown;

  constructor({ seq, kind, at, body }: TaskEvent) {
    fill<TaskEventDto>(this, { seq, kind, at, body: JSON.parse(body) });
  }
}

export class TaskDetailDto extends TaskDto {
  @Shown.Nested(() => RouteDto, {
    description:
      'The agents that were chosen and skipped, with the reasons, and the steps of the plan.',
  })
  readonly route: Route;
  @Shown.Text({ nullable: true }) readonly traceparent: string | null;
  @Shown.Text({
    nullable: true,
    description:
      'Where its trace can be looked at (telemetry.traces.linkTo); null where it is not recorded.',
  })
  readonly traceUrl: string | null;
  @Shown.Text({ list: true }) readonly hops: readonly string[];
  @Shown.Nested(() => TaskEventDto, {
    list: true,
    description: 'The newest events, oldest first: 100, or 8 MiB of them.',
  })
  readonly events: readonly TaskEventDto[];

  constructor(
    task: FoundTask,
    events: readonly TaskEvent[],
    reader: TaskReader,
    traceLink: string | null,
  ) {
    super(task, reader);
    const { route, traceparent, hops } = task.record;
    this.route = reader.isAdmin ? route : withoutExcluded(route);
    this.traceparent = traceparent;
    this.traceUrl = traceUrlOf(traceparent, traceLink);
    this.hops = hops;
    this.events = events.map((each) => new TaskEventDto(each));
  }
}

/** `link` has `{traceId}` for the id of the trace. */
function traceUrlOf(traceparent: string | null, link: string | null): string | null {
  if (traceparent === null || link === null) return null;
  const trace = readTraceparent(traceparent);
  return trace?.isSampled ? link.replaceAll('{traceId}', trace.traceId) : null;
}
