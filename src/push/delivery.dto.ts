import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryKind,
  type DeliveryState,
} from './delivery.js';

export class DeliveryQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  taskId?: string;

  @ApiPropertyOptional({ type: String, description: 'The config id as the client knows it.' })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  configId?: string;

  @ApiPropertyOptional({ enum: DELIVERY_STATES })
  @IsOptional()
  @IsIn(DELIVERY_STATES)
  state?: DeliveryState;
}

export class DeliveryDto {
  @ApiProperty({ type: String })
  readonly id: string;

  @ApiProperty({ type: String })
  readonly taskId: string;

  @ApiProperty({ type: String })
  readonly configId: string;

  @ApiProperty({ type: Number, description: '1, 2, 3 … per config.' })
  readonly number: number;

  @ApiProperty({ type: Number, description: 'The entry of the task’s log it tells of.' })
  readonly sequence: number;

  @ApiProperty({
    enum: ['event', 'artifact', 'snapshot'],
    description: 'A log entry, an artifact whole, or the task as it was at registration.',
  })
  readonly kind: DeliveryKind;

  @ApiProperty({ type: String, description: 'The header `webhook-id`.' })
  readonly webhookId: string;

  @ApiProperty({ enum: DELIVERY_STATES })
  readonly state: DeliveryState;

  @ApiProperty({ type: Number, description: 'Attempts so far.' })
  readonly attempts: number;

  @ApiProperty({ type: Boolean, description: 'It was sent again after it had ended.' })
  readonly redelivered: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly nextAttemptAt: string | null;

  @ApiProperty({ type: Number, nullable: true, description: 'HTTP status of the last attempt.' })
  readonly lastStatus: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why it is retrying or dead.' })
  readonly reason: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly updatedAt: string;

  constructor(delivery: Delivery) {
    this.id = delivery.id;
    this.taskId = delivery.taskId;
    this.configId = delivery.configId;
    this.number = delivery.number;
    this.sequence = delivery.seq;
    this.kind = delivery.kind;
    this.webhookId = delivery.webhookId;
    this.state = delivery.state;
    this.attempts = delivery.attempts;
    this.redelivered = delivery.redelivered;
    this.nextAttemptAt = delivery.nextAttemptAt?.toISOString() ?? null;
    this.lastStatus = delivery.lastStatus;
    this.reason = delivery.reason;
    this.createdAt = delivery.createdAt.toISOString();
    this.updatedAt = delivery.updatedAt.toISOString();
  }
}

export class DeliveryPageDto {
  @ApiProperty({ type: [DeliveryDto] })
  readonly items!: readonly DeliveryDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}

export class AttemptDto {
  @ApiProperty({ type: Number })
  readonly number: number;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly at: string;

  @ApiProperty({ type: Number })
  readonly durationMs: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'HTTP status; null without an answer.',
  })
  readonly status: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'The kind of failure.' })
  readonly error: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The beginning of the answer.' })
  readonly response: string | null;

  constructor(attempt: DeliveryAttempt) {
    this.number = attempt.number;
    this.at = attempt.at.toISOString();
    this.durationMs = attempt.durationMs;
    this.status = attempt.status;
    this.error = attempt.error;
    this.response = attempt.response;
  }
}

export class AttemptPageDto {
  @ApiProperty({ type: [AttemptDto] })
  readonly items!: readonly AttemptDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}
