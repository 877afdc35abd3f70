import { ApiProperty } from '@nestjs/swagger';
import type { DeliveryAttempt } from '../delivery/delivery.js';

export class AttemptDto {
  @ApiProperty({ type: Number, example: 1 })
  readonly number: number;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly at: string;

  @ApiProperty({ type: Number, example: 38 })
  readonly durationMs: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'HTTP status; null without an answer.',
    example: 503,
  })
  readonly status: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The kind of failure.',
    example: 'status',
  })
  readonly error: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The beginning of the answer, without the secrets that were sent.',
    example: 'try later',
  })
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
