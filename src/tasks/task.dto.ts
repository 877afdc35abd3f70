import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { TaskState } from '../protocol/a2a.js';
import type { Route } from '../routing/index.js';
import type { Delegation, TaskAggregate, TaskEvent } from './task.js';
import type { TaskFilter } from './task-store.js';

/** The states as the admin API writes them: `working`, `input-required`, … */
const STATES: ReadonlyMap<string, TaskState> = new Map(
  Object.entries(TaskState).flatMap(([name, value]) =>
    typeof value === 'number' && value > TaskState.TASK_STATE_UNSPECIFIED
      ? [[name.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-'), value]]
      : [],
  ),
);
const NAMES = new Map([...STATES].map(([name, state]) => [state, name]));

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
}

export function filterOf(query: TaskQueryDto): TaskFilter {
  const state = query.state === undefined ? undefined : STATES.get(query.state);
  return {
    ...(state !== undefined && { state }),
    ...(query.contextId && { contextId: query.contextId }),
    ...(query.agentId && { agentId: query.agentId }),
    ...(query.statusAfter && { statusAfter: new Date(query.statusAfter) }),
  };
}

export class DelegationDto {
  @ApiProperty() readonly id: string;
  @ApiProperty() readonly agentId: string;
  @ApiProperty() readonly agentName: string;
  @ApiProperty({ type: String, nullable: true }) readonly skillId: string | null;
  @ApiProperty() readonly state: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why it ended, or why it waits.' })
  readonly reason: string | null;
  @ApiProperty({
    type: [String],
    description: 'Agents that take over if this one does not accept.',
  })
  readonly fallbacks: readonly string[];
  @ApiProperty({ description: 'How often it has been claimed by a runner.' })
  readonly claims: number;
  @ApiProperty({ format: 'date-time' }) readonly createdAt: string;
  @ApiProperty({ format: 'date-time' }) readonly updatedAt: string;
  @ApiProperty({ format: 'date-time' }) readonly deadlineAt: string;

  constructor(delegation: Delegation) {
    this.id = delegation.id;
    this.agentId = delegation.agentId;
    this.agentName = delegation.agentName;
    this.skillId = delegation.skillId;
    this.state = delegation.state;
    this.reason = delegation.reason;
    this.fallbacks = delegation.fallbacks.map(({ agentId }) => agentId);
    this.claims = delegation.epoch;
    this.createdAt = delegation.createdAt.toISOString();
    this.updatedAt = delegation.updatedAt.toISOString();
    this.deadlineAt = delegation.deadlineAt.toISOString();
  }
}

export class TaskDto {
  @ApiProperty() readonly id: string;
  @ApiProperty() readonly contextId: string;
  @ApiProperty() readonly principalId: string;
  @ApiProperty() readonly organization: string;
  @ApiProperty({ enum: [...STATES.keys()] }) readonly state: string;
  @ApiProperty({ description: 'The number of the newest event.' }) readonly seq: number;
  @ApiProperty({ format: 'date-time' }) readonly statusAt: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt: string;
  @ApiProperty({ format: 'date-time' }) readonly updatedAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly cancelRequestedAt: string | null;
  @ApiProperty({ type: [DelegationDto] }) readonly delegations: readonly DelegationDto[];

  constructor({ record, delegations }: TaskAggregate) {
    this.id = record.id;
    this.contextId = record.contextId;
    this.principalId = record.principalId;
    this.organization = record.organization;
    this.state = NAMES.get(record.state) ?? 'unknown';
    this.seq = record.seq;
    this.statusAt = record.statusAt.toISOString();
    this.createdAt = record.createdAt.toISOString();
    this.updatedAt = record.updatedAt.toISOString();
    this.cancelRequestedAt = record.cancelRequestedAt?.toISOString() ?? null;
    this.delegations = delegations.map((each) => new DelegationDto(each));
  }
}

export class TaskPageDto {
  @ApiProperty({ type: [TaskDto] }) readonly items!: readonly TaskDto[];
  @ApiProperty({ type: String, nullable: true }) readonly nextCursor!: string | null;
}

export class TaskEventDto {
  @ApiProperty() readonly seq: number;
  @ApiProperty({ enum: ['task', 'status', 'artifact', 'message', 'reply'] }) readonly kind: string;
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
  @ApiProperty({ type: Object, description: 'The agents chosen and left out, with the reasons.' })
  readonly route: Route;
  @ApiProperty({ type: String, nullable: true }) readonly traceparent: string | null;
  @ApiProperty({ type: [String] }) readonly hops: readonly string[];
  @ApiProperty({ type: [TaskEventDto], description: 'The newest events, oldest first.' })
  readonly events: readonly TaskEventDto[];

  constructor(aggregate: TaskAggregate, events: readonly TaskEvent[]) {
    super(aggregate);
    this.route = aggregate.record.route;
    this.traceparent = aggregate.record.traceparent;
    this.hops = aggregate.record.hops;
    this.events = events.map((each) => new TaskEventDto(each));
  }
}
