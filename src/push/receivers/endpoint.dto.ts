import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { ENDPOINT_STATES, type EndpointState, originOf } from './endpoint.js';
import type { EndpointView } from './endpoint-store.js';
import { COUNT_LIMIT } from './waiting-streams.js';
import type { EventIds } from './event-ids.js';
import { PUSH_EVENT_TYPES, type PushEvent, type PushEventType } from './push-event.js';

const ORGANIZATION =
  'Only of this organization. Requires the scope `admin` for an organization other than your own.';

export class EndpointQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: ENDPOINT_STATES })
  @IsOptional()
  @IsIn(ENDPOINT_STATES)
  state?: EndpointState;

  @ApiPropertyOptional({ type: String, description: ORGANIZATION })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  organization?: string;
}

export class PushEventQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: PUSH_EVENT_TYPES })
  @IsOptional()
  @IsIn(PUSH_EVENT_TYPES)
  type?: PushEventType;

  @ApiPropertyOptional({ type: String, description: ORGANIZATION })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  organization?: string;
}

const BREAKERS = ['closed', 'open'] as const;

/** The health of one endpoint. */
export class EndpointDto {
  @ApiProperty({ type: String, example: 'https://hooks.example:443' })
  readonly origin: string;

  @ApiProperty({ type: String, example: 'acme' })
  readonly organization: string;

  @ApiProperty({
    enum: ENDPOINT_STATES,
    description:
      'failing: its circuit breaker opened, or a delivery was given up; disabled: the webhooks it had at that time are disabled.',
  })
  readonly state: EndpointState;

  @ApiProperty({
    enum: BREAKERS,
    description:
      'State of the circuit breaker. open: one webhook probes the endpoint, the others wait.',
  })
  readonly breaker: (typeof BREAKERS)[number];

  @ApiProperty({ type: Number, description: 'Failures in a row.', example: 0 })
  readonly failures: number;

  @ApiProperty({
    type: Number,
    description: 'The number of concurrent attempts it may have.',
    example: 10,
  })
  readonly slots: number;

  @ApiProperty({
    type: Number,
    description: `Delivery streams with something to send to it, up to ${COUNT_LIMIT}.`,
    example: 3,
  })
  readonly waiting: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly failingSince: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the next half-open probe is due; null while the breaker is closed, and when a probe may start at once after the endpoint was disabled.',
  })
  readonly nextProbeAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When it was disabled, because of `lastError`; failures are counted anew from then on. Null once it has answered.',
  })
  readonly disabledAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'To the minute.',
  })
  readonly lastSuccessAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly lastFailureAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'HTTP 503' })
  readonly lastError: string | null;

  @ApiProperty({
    enum: ['challenge', 'list'],
    nullable: true,
    description:
      'How it has agreed to be called. `challenge`: it agreed to the challenge. `list`: the operator trusts its host (push.trustedHosts). Null: it has not, and the limits push.unverified apply.',
  })
  readonly verifiedBy: 'challenge' | 'list' | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly verifiedAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Until when its deliveries wait because it has not agreed to be called; this is no failure.',
  })
  readonly heldUntil: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why its deliveries wait.' })
  readonly heldReason: string | null;

  /** `isListed`: the operator lists its host; `now`: times before that are over. */
  constructor(view: EndpointView, isListed: boolean, now: Date) {
    const isHeld = !isListed && (view.heldUntil ?? 0) > now.getTime();
    this.verifiedBy = isListed ? 'list' : view.verifiedAt === null ? null : 'challenge';
    this.verifiedAt = iso(view.verifiedAt);
    this.heldUntil = isHeld ? iso(view.heldUntil) : null;
    this.heldReason = isHeld ? view.heldReason : null;
    this.origin = originOf(view.endpoint);
    this.organization = view.organization;
    this.state = view.state;
    this.breaker = view.probeAt === null ? 'closed' : 'open';
    this.failures = view.failures;
    this.slots = view.concurrency;
    this.waiting = view.waiting;
    this.failingSince = iso(view.failingSince);
    this.nextProbeAt = iso(view.probeAt === view.disabledAt ? null : view.probeAt);
    this.disabledAt = iso(view.disabledAt);
    this.lastSuccessAt = iso(view.lastSuccessAt);
    this.lastFailureAt = iso(view.lastFailureAt);
    this.lastError = view.lastError;
  }
}

export class EndpointPageDto {
  @ApiProperty({ type: [EndpointDto] })
  readonly items!: readonly EndpointDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

/** One event; the `data` of the feed. */
export class PushEventDto {
  @ApiProperty({
    type: String,
    description: 'Opaque id, used to resume a stream (Last-Event-ID).',
    example: 'gQy0pWq3x2aT5nVb1sUe7A',
  })
  readonly id: string;

  @ApiProperty({ enum: PUSH_EVENT_TYPES })
  readonly type: PushEventType;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly at: string;

  @ApiProperty({ type: String, example: 'acme' })
  readonly organization: string;

  @ApiProperty({ type: String, example: 'https://hooks.example:443' })
  readonly origin: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of the webhook, for config.disabled.',
  })
  readonly taskId: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of the webhook, for config.disabled.',
  })
  readonly configId: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'HTTP 503' })
  readonly reason: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when every attempt has failed.',
  })
  readonly since: string | null;

  constructor(event: PushEvent, ids: EventIds) {
    this.id = ids.shown(event.id);
    this.type = event.type;
    this.at = event.at.toISOString();
    this.organization = event.organization;
    this.origin = originOf(event.endpoint);
    this.taskId = event.taskId;
    this.configId = event.configId;
    this.reason = event.reason;
    this.since = event.since?.toISOString() ?? null;
  }
}

export class PushEventPageDto {
  @ApiProperty({ type: [PushEventDto] })
  readonly items!: readonly PushEventDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
