import { ApiProperty } from '@nestjs/swagger';
import { AttemptDto } from './attempt.dto.js';
import {
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryKind,
  type DeliveryState,
} from '../delivery/delivery.js';
import type { BulkOutcome } from './delivery-store.js';

export class RedeliveredDto {
  @ApiProperty({ type: Number, description: 'How many are redelivered.', example: 17 })
  readonly redelivered: number;

  @ApiProperty({
    type: Boolean,
    description: 'The limit was reached; repeat the call for the others.',
    example: false,
  })
  readonly more: boolean;

  constructor({ count, more }: BulkOutcome) {
    this.redelivered = count;
    this.more = more;
  }
}

export class PurgedDto {
  @ApiProperty({ type: Number, description: 'How many were deleted.', example: 17 })
  readonly purged: number;

  @ApiProperty({
    type: Boolean,
    description: 'The limit was reached; repeat the call for the others.',
    example: false,
  })
  readonly more: boolean;

  constructor({ count, more }: BulkOutcome) {
    this.purged = count;
    this.more = more;
  }
}

export class DeliveryDto {
  @ApiProperty({ type: String, example: '0199f1c3-0a44-7d10-b1c2-d3e4f5061728' })
  readonly id: string;

  @ApiProperty({ type: String, example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  readonly taskId: string;

  @ApiProperty({
    type: String,
    description: 'The id of the webhook that the client knows.',
    example: 'billing',
  })
  readonly configId: string;

  @ApiProperty({ type: String, description: "The hub's own id of the webhook." })
  readonly webhook: string;

  @ApiProperty({
    type: String,
    description: 'Organization, scheme, host and port.',
    example: 'acme https://hooks.example:443',
  })
  readonly endpoint: string;

  @ApiProperty({
    type: Number,
    description: '1, 2, 3 … for each webhook of a task; 0 for a test.',
    example: 4,
  })
  readonly number: number;

  @ApiProperty({
    type: Number,
    description: 'The entry of the task’s log that it delivers.',
    example: 7,
  })
  readonly sequence: number;

  @ApiProperty({
    enum: DELIVERY_KINDS,
    description:
      'A log entry, a whole artifact, a snapshot of the task at that entry, or a test of the webhook.',
  })
  readonly kind: DeliveryKind;

  @ApiProperty({ type: String, description: 'The header `webhook-id`.' })
  readonly webhookId: string;

  @ApiProperty({ enum: DELIVERY_STATES })
  readonly state: DeliveryState;

  @ApiProperty({ type: Number, description: 'Number of attempts so far.', example: 3 })
  readonly attempts: number;

  @ApiProperty({ type: Boolean, description: 'Whether it was redelivered after it had ended.' })
  readonly redelivered: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly nextAttemptAt: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'HTTP status of the last attempt.',
    example: 503,
  })
  readonly lastStatus: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it is retrying or dead.',
    example: 'HTTP 503',
  })
  readonly reason: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly updatedAt: string;

  constructor(delivery: Delivery) {
    this.id = delivery.id;
    this.taskId = delivery.taskId;
    this.configId = delivery.configId;
    this.webhook = delivery.streamId;
    this.endpoint = delivery.endpoint;
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

export class AttemptPageDto {
  @ApiProperty({ type: [AttemptDto] })
  readonly items!: readonly AttemptDto[];

  @ApiProperty({ type: String, nullable: true })
  readonly nextCursor!: string | null;
}
