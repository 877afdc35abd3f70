import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { DeliveryAttempt } from '../delivery/delivery.js';

export class DeliveryAttemptDto {
  @Shown.Num({ example: 1 })
  readonly number!: number;

  @Shown.Time()
  readonly at!: string;

  @Shown.Num({ example: 38 })
  readonly durationMs!: number;

  @Shown.Flag({
    description:
      '`durationMs` is in whole seconds, rounded up: of a receiver at a private address it is not shown how fast it is.',
  })
  readonly isRounded!: boolean;

  @Shown.Num({ nullable: true, description: 'HTTP status; null without an answer.', example: 503 })
  readonly status!: number | null;

  @Shown.Text({ nullable: true, description: 'The kind of failure.', example: 'status' })
  readonly error!: string | null;

  @Shown.Text({
    nullable: true,
    description: 'The beginning of the answer, without the secrets that were sent.',
    example: 'try later',
  })
  readonly response!: string | null;

  constructor(attempt: DeliveryAttempt) {
    fill<DeliveryAttemptDto>(this, attempt);
  }
}
