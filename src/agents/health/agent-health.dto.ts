import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { HEALTH_STATES, type HealthState } from './agent-health.js';
import { BREAKER_STATES, type BreakerState } from '../../common/circuit-breaker.js';
import type { AgentChange, AgentEvent, AgentStatus } from './agent-events.js';
import type { AgentHealthView } from './agent-monitor.js';

/** How an agent stands, as the process that answers sees it. */
export class AgentHealthDto {
  @ApiProperty({
    enum: HEALTH_STATES,
    description:
      'unknown: not called yet; degraded: some calls failed, or most of its tasks fail, it is ranked after agents of equal priority; down: it gets only half-open probes.',
  })
  readonly state: HealthState;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly since: string | null;

  @ApiProperty({
    enum: BREAKER_STATES,
    description:
      'open: it gets no work for a while; half-open: one message or health check decides.',
  })
  readonly breaker: BreakerState;

  @ApiProperty({ type: String, nullable: true, description: 'The last error.' })
  readonly lastError: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly lastOkAt: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Milliseconds to the first answer of a call, as a moving average.',
  })
  readonly latencyMs: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'The share of its recent tasks that failed by its own fault, 0 to 1, each organization weighted equally; null: none ended recently.',
  })
  readonly taskFailureRate: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last failed task failed.' })
  readonly lastTaskError: string | null;

  @ApiProperty({ type: Number, description: 'Delegations it works on for this process.' })
  readonly outstanding: number;

  @ApiProperty({ type: Number, description: 'Delegations queued for it.' })
  readonly queued: number;

  @ApiProperty({ type: Boolean, description: 'Its queue is full: it gets no new task.' })
  readonly isFull: boolean;

  constructor(view: AgentHealthView) {
    this.state = view.health;
    this.since = view.since?.toISOString() ?? null;
    this.breaker = view.breaker;
    this.lastError = view.lastError;
    this.lastOkAt = view.lastOkAt?.toISOString() ?? null;
    this.latencyMs = view.latencyMs;
    this.taskFailureRate = view.taskFailureRate;
    this.lastTaskError = view.lastTaskError;
    this.outstanding = view.outstanding;
    this.queued = view.queued;
    this.isFull = view.isFull;
  }
}

/** The data of an `agent` event. */
export class AgentChangeDto {
  @ApiProperty({ type: String })
  readonly agentId: string;

  @ApiProperty({ enum: HEALTH_STATES })
  readonly health: HealthState;

  @ApiProperty({ enum: BREAKER_STATES })
  readonly breaker: BreakerState;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  readonly before: AgentStatus;

  @ApiProperty({ type: String, nullable: true })
  readonly lastError: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly at: string;

  constructor(change: AgentChange) {
    this.agentId = change.agentId;
    this.health = change.health;
    this.breaker = change.breaker;
    this.before = change.before;
    this.lastError = change.lastError;
    this.at = change.at.toISOString();
  }
}

/** An `agent` event in a list. */
export class AgentEventDto extends AgentChangeDto {
  @ApiProperty({ type: String, description: 'As in the stream, for Last-Event-ID.' })
  readonly id: string;

  constructor({ id, change }: AgentEvent) {
    super(change);
    this.id = id;
  }
}

export class AgentEventPageDto {
  @ApiProperty({ type: [AgentEventDto] })
  readonly items!: readonly AgentEventDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class AgentEventQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, description: 'Only changes of this agent.' })
  @IsOptional()
  @IsString()
  @MaxLength(63)
  agentId?: string;
}
