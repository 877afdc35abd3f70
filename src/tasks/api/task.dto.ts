import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { TaskState } from '../../protocol/a2a.js';
import { planOf, RouteDto, type Plan, type Route } from '../../routing/index.js';
import { canceledBy, retryOf } from '../domain/operator-actions.js';
import {
  EVENT_KINDS,
  type Delegation,
  type DelegationState,
  type TaskAggregate,
  type TaskEvent,
} from '../task.js';
import { AgentTroubleDto, AttemptDto, OperatorDto, RetryDto, timeOf } from './task-parts.dto.js';
import type { TaskFilter } from '../store/task-store.js';

/** The states as the admin API writes them: `working`, `input-required`, … */
const STATES: ReadonlyMap<string, TaskState> = new Map(
  Object.entries(TaskState).flatMap(([name, value]) =>
    typeof value === 'number' && value > TaskState.TASK_STATE_UNSPECIFIED
      ? [[name.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-'), value]]
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

export class TaskQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: [...STATES.keys()] })
  @IsOptional()
  @IsIn([...STATES.keys()])
  state?: string;

  @ApiPropertyOptional({ type: String, description: 'Only tasks of this context.' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  contextId?: string;

  @ApiPropertyOptional({ type: String, description: 'Only tasks with a delegation to this agent.' })
  @IsOptional()
  @IsString()
  @MaxLength(63)
  agentId?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only tasks whose status has changed since.',
  })
  @IsOptional()
  @IsISO8601({ strict: true })
  statusAfter?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only tasks whose status has not changed since.',
  })
  @IsOptional()
  @IsISO8601({ strict: true })
  statusBefore?: string;

  @ApiPropertyOptional({ type: String, description: 'Only tasks of this organization.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  organization?: string;

  @ApiPropertyOptional({ type: String, description: 'Only tasks of this principal.' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  principalId?: string;
}

export function filterOf(query: TaskQueryDto): TaskFilter {
  const state = query.state === undefined ? undefined : STATES.get(query.state);
  return {
    ...(state !== undefined && { state }),
    ...(query.contextId && { contextId: query.contextId }),
    ...(query.agentId && { agentId: query.agentId }),
    ...(query.statusAfter && { statusAfter: new Date(query.statusAfter) }),
    ...(query.statusBefore && { statusBefore: new Date(query.statusBefore) }),
    ...(query.organization && { organization: query.organization }),
    ...(query.principalId && { principalId: query.principalId }),
  };
}

/** Who reads the tasks, and what else the answer depends on. */
export interface TaskReader {
  /** The text for a queued task while there is no worker process; null while there is one. */
  readonly unworked: string | null;
  /** With the scope `admin`: the error texts of agents are shown too. */
  readonly isAdmin: boolean;
  /** The names of keys, by their ids. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** The API keys that created tasks. */
export function keyIdsOf(tasks: readonly TaskAggregate[]): string[] {
  return [...new Set(tasks.flatMap(({ record }) => record.keyId ?? []))];
}

export class TaskKeyDto {
  @ApiProperty({ type: String }) readonly id: string;
  @ApiProperty({ type: String, nullable: true }) readonly name: string | null;

  constructor(id: string, name: string | undefined) {
    this.id = id;
    this.name = name ?? null;
  }
}

export class DelegationDto {
  @ApiProperty({ type: String }) readonly id: string;
  @ApiProperty({
    type: Number,
    description: 'Its index among the delegations of the task, from 0.',
  })
  readonly position: number;
  @ApiProperty({ type: Number, description: 'The index of its step in the plan, from 0.' })
  readonly step: number;
  @ApiProperty({ type: String, description: 'The name of that step.', example: 'translate' })
  readonly stepName: string;
  @ApiProperty({
    type: String,
    description: 'The agent it is assigned to, or was assigned to last.',
  })
  readonly agentId: string;
  @ApiProperty({ type: String }) readonly agentName: string;
  @ApiProperty({ type: String, nullable: true }) readonly skillId: string | null;
  @ApiProperty({
    enum: DELEGATION_STATES,
    description:
      '`planned`: its step has not started. `skipped`: its step was not needed, or can no longer start.',
  })
  readonly state: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why it ended, or what it waits for.' })
  readonly reason: string | null;
  @ApiProperty({
    type: AgentTroubleDto,
    nullable: true,
    description:
      'The failed call that ended it or caused a failover to another agent; null without the scope `admin`.',
  })
  readonly trouble: AgentTroubleDto | null;
  @ApiProperty({
    type: [AttemptDto],
    description:
      'Agents tried before this one, or skipped without a call (no `calledAt`), oldest first.',
  })
  readonly attempts: readonly AttemptDto[];
  @ApiProperty({
    type: [String],
    description: 'Agents to fail over to, in order, if this one does not accept the message.',
  })
  readonly fallbacks: readonly string[];
  @ApiProperty({
    type: Number,
    description:
      'Messages sent to agents for it, failovers included; they count towards the call limit of the task.',
  })
  readonly calls: number;
  @ApiProperty({ type: Number, description: 'How often it has been claimed by a runner.' })
  readonly claims: number;
  @ApiProperty({ type: String, format: 'date-time' }) readonly createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its step started.',
  })
  readonly queuedAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its first message was sent.',
  })
  readonly sentAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When an agent accepted the message or answered it.',
  })
  readonly answeredAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly endedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time' }) readonly updatedAt: string;
  @ApiProperty({ type: String, format: 'date-time' }) readonly deadlineAt: string;

  constructor(delegation: Delegation, plan: Plan, { unworked, isAdmin }: TaskReader) {
    const { times = {}, attempts = [], trouble } = delegation.progress;
    this.id = delegation.id;
    this.position = delegation.position;
    this.step = delegation.step;
    this.stepName = plan[delegation.step]?.name ?? '';
    this.agentId = delegation.agentId;
    this.agentName = delegation.agentName;
    this.skillId = delegation.skillId;
    this.state = delegation.state;
    const isFree = delegation.state === 'queued' && delegation.owner === null;
    this.reason = delegation.reason ?? (isFree ? unworked : null);
    this.trouble = trouble && isAdmin ? new AgentTroubleDto(trouble) : null;
    this.attempts = attempts.map((each) => new AttemptDto(each));
    this.fallbacks = delegation.fallbacks.map(({ agentId }) => agentId);
    this.calls = delegation.calls;
    this.claims = delegation.epoch;
    this.createdAt = delegation.createdAt.toISOString();
    this.queuedAt = delegation.begunAt?.toISOString() ?? null;
    this.sentAt = timeOf(times.sentAt ?? sendingSince(delegation));
    this.answeredAt = timeOf(times.answeredAt);
    this.endedAt = timeOf(times.endedAt);
    this.updatedAt = delegation.updatedAt.toISOString();
    this.deadlineAt = delegation.deadlineAt.toISOString();
  }
}

/** The time of the claim, while the message is being sent; its answer will store it. */
function sendingSince({ state, updatedAt }: Delegation): number | undefined {
  return state === 'sending' ? updatedAt.getTime() : undefined;
}

export class TaskDto {
  @ApiProperty() readonly id: string;
  @ApiProperty() readonly contextId: string;
  @ApiProperty() readonly principalId: string;
  @ApiProperty() readonly organization: string;
  @ApiProperty({
    type: TaskKeyDto,
    nullable: true,
    description:
      'The API key that created the task; null for the configured admin key, and for calls without a key.',
  })
  readonly key: TaskKeyDto | null;
  @ApiProperty({ enum: [...STATES.keys()] }) readonly state: string;
  @ApiProperty({ description: 'The number of the newest event.' }) readonly seq: number;
  @ApiProperty({ format: 'date-time' }) readonly statusAt: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt: string;
  @ApiProperty({ format: 'date-time' }) readonly updatedAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly cancelRequestedAt: string | null;
  @ApiProperty({
    type: OperatorDto,
    nullable: true,
    description:
      'The operator that canceled it; null if it was not canceled, or was canceled by its client.',
  })
  readonly canceledBy: OperatorDto | null;
  @ApiProperty({
    type: RetryDto,
    nullable: true,
    description: 'The task that this one retries at the request of an operator.',
  })
  readonly retryOf: RetryDto | null;
  @ApiProperty({ type: [DelegationDto] }) readonly delegations: readonly DelegationDto[];

  constructor({ record, delegations }: TaskAggregate, reader: TaskReader) {
    this.id = record.id;
    this.contextId = record.contextId;
    this.principalId = record.principalId;
    this.organization = record.organization;
    const { keyId } = record;
    this.key = keyId === null ? null : new TaskKeyDto(keyId, reader.keyNames.get(keyId));
    this.state = NAMES.get(record.state) ?? 'unknown';
    this.seq = record.seq;
    this.statusAt = record.statusAt.toISOString();
    this.createdAt = record.createdAt.toISOString();
    this.updatedAt = record.updatedAt.toISOString();
    this.cancelRequestedAt = record.cancelRequestedAt?.toISOString() ?? null;
    const operator = canceledBy(record.cancelMetadata);
    const retry = retryOf(record.requestMetadata);
    this.canceledBy = operator ? new OperatorDto(operator) : null;
    this.retryOf = retry ? new RetryDto(retry) : null;
    const plan = planOf(record.route);
    this.delegations = delegations.map((each) => new DelegationDto(each, plan, reader));
  }
}

export class TaskPageDto {
  @ApiProperty({ type: [TaskDto] }) readonly items!: readonly TaskDto[];
  @ApiProperty({ type: String, nullable: true }) readonly nextCursor!: string | null;
}

export class TaskEventDto {
  @ApiProperty() readonly seq: number;
  @ApiProperty({ enum: EVENT_KINDS })
  readonly kind: string;
  @ApiProperty({ format: 'date-time' }) readonly at: string;
  @ApiProperty({ type: Object, description: 'The StreamResponse as A2A 1.0 writes it.' })
  readonly body: unknown;

  constructor({ seq, kind, at, body }: TaskEvent) {
    this.seq = seq;
    this.kind = kind;
    this.at = at.toISOString();
    this.body = JSON.parse(body);
  }
}

export class TaskDetailDto extends TaskDto {
  @ApiProperty({
    type: RouteDto,
    description:
      'The agents that were chosen and skipped, with the reasons, and the steps of the plan.',
  })
  readonly route: Route;
  @ApiProperty({ type: String, nullable: true }) readonly traceparent: string | null;
  @ApiProperty({ type: [String] }) readonly hops: readonly string[];
  @ApiProperty({
    type: [TaskEventDto],
    description: 'The newest events, oldest first: 100, or 8 MiB of them.',
  })
  readonly events: readonly TaskEventDto[];

  constructor(aggregate: TaskAggregate, events: readonly TaskEvent[], reader: TaskReader) {
    super(aggregate, reader);
    this.route = aggregate.record.route;
    this.traceparent = aggregate.record.traceparent;
    this.hops = aggregate.record.hops;
    this.events = events.map((each) => new TaskEventDto(each));
  }
}
