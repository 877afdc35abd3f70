import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import {
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryKind,
  type DeliveryState,
} from '../delivery/delivery.js';
import {
  type BoundedCount,
  type LostByReceiver,
  type LostEvents,
  MOST_LOSING,
  MOST_REASONS,
} from './delivery-store.js';
import type { BulkPage } from './delivery.service.js';

const NEXT = 'The `cursor` of the next call; null when nothing is left.';

export class RedeliveredDto {
  @Shown.Num({ description: 'How many are redelivered.', example: 17 })
  readonly redelivered: number;

  @Shown.Flag({
    description: 'The limit was reached; repeat the call for the others.',
    example: false,
  })
  readonly more: boolean;

  @Shown.Text({ nullable: true, description: NEXT })
  readonly nextCursor: string | null;

  constructor({ count, nextCursor }: BulkPage) {
    this.redelivered = count;
    this.more = nextCursor !== null;
    this.nextCursor = nextCursor;
  }
}

export class LostReasonDto {
  @Shown.Text({ nullable: true, example: 'HTTP 400' })
  readonly reason!: string | null;

  @Shown.Num()
  readonly count!: number;
}

export class LostByReceiverDto {
  @Shown.Text({ example: 'acme https://hooks.example:443' })
  readonly endpoint!: string;

  @Shown.Num({ example: 17 })
  readonly count!: number;

  @Shown.Num({
    description:
      'Those of them that you see as dead letters, and can redeliver: without `tasks:organization` those of your own tasks.',
    example: 17,
  })
  readonly own!: number;

  @Shown.Num({
    description: 'Those of them that the receiver rejected: it answers, but does not take them.',
    example: 12,
  })
  readonly rejected!: number;

  @Shown.Time({ description: 'When the first of them was given up.' })
  readonly firstAt!: string;

  @Shown.Time()
  readonly lastAt!: string;

  @Shown.Nested(() => LostReasonDto, {
    list: true,
    description: `Why they were given up, the most frequent first; ${MOST_REASONS} at most.`,
  })
  readonly reasons!: readonly LostReasonDto[];

  constructor(lost: LostByReceiver) {
    fill<LostByReceiverDto>(this, {
      ...lost,
      firstAt: lost.firstAt.toISOString(),
      lastAt: lost.lastAt.toISOString(),
    });
  }
}

export class LostEventsDto {
  @Shown.Nested(() => LostByReceiverDto, {
    list: true,
    description: `Those with most first; ${MOST_LOSING} at most.`,
  })
  readonly receivers: readonly LostByReceiverDto[];

  @Shown.Num({ description: 'Of all receivers.', example: 17 })
  readonly total: number;

  @Shown.Flag({ description: 'There may be more than were counted.', example: false })
  readonly isLeast: boolean;

  constructor({ receivers, total, isLeast }: LostEvents) {
    this.receivers = receivers.map((each) => new LostByReceiverDto(each));
    this.total = total;
    this.isLeast = isLeast;
  }
}

export class PurgedDto {
  @Shown.Num({ description: 'How many were deleted.', example: 17 })
  readonly purged: number;

  @Shown.Flag({
    description: 'The limit was reached; repeat the call for the others.',
    example: false,
  })
  readonly more: boolean;

  @Shown.Text({ nullable: true, description: NEXT })
  readonly nextCursor: string | null;

  constructor({ count, nextCursor }: BulkPage) {
    this.purged = count;
    this.more = nextCursor !== null;
    this.nextCursor = nextCursor;
  }
}

export class DeadLetterCountDto {
  @Shown.Num({ example: 17 })
  readonly count!: number;

  @Shown.Flag({ description: 'There may be more than were counted.', example: false })
  readonly isLeast!: boolean;

  constructor(count: BoundedCount) {
    fill<DeadLetterCountDto>(this, count);
  }
}

export class DeliveryDto {
  @Shown.Text({ example: '0199f1c3-0a44-7d10-b1c2-d3e4f5061728' })
  readonly id!: string;

  @Shown.Text({ example: '0199f1c2-7c1e-7a30-8f5e-0d5a3f6f2b11' })
  readonly taskId!: string;

  @Shown.Text({ description: 'The id of the webhook that the client knows.', example: 'billing' })
  readonly configId!: string;

  @Shown.Text({ description: "The hub's own id of the webhook." })
  readonly webhook!: string;

  @Shown.Text({
    description: 'Organization, scheme, host and port.',
    example: 'acme https://hooks.example:443',
  })
  readonly endpoint!: string;

  @Shown.Num({ description: '1, 2, 3 … for each webhook of a task; 0 for a test.', example: 4 })
  readonly number!: number;

  @Shown.Num({ description: 'The entry of the task’s log that it delivers.', example: 7 })
  readonly sequence!: number;

  @Shown.Choice(DELIVERY_KINDS, {
    description:
      'A log entry, a whole artifact, a snapshot of the task at that entry, or a test of the webhook.',
  })
  readonly kind!: DeliveryKind;

  @Shown.Text({ description: 'The header `webhook-id`.' })
  readonly webhookId!: string;

  @Shown.Choice(DELIVERY_STATES)
  readonly state!: DeliveryState;

  @Shown.Num({ description: 'Number of attempts so far.', example: 3 })
  readonly attempts!: number;

  @Shown.Flag({ description: 'Whether it was redelivered after it had ended.' })
  readonly redelivered!: boolean;

  @Shown.Time({ nullable: true })
  readonly nextAttemptAt!: string | null;

  @Shown.Num({ nullable: true, description: 'HTTP status of the last attempt.', example: 503 })
  readonly lastStatus!: number | null;

  @Shown.Text({ nullable: true, description: 'Why it is retrying or dead.', example: 'HTTP 503' })
  readonly reason!: string | null;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time()
  readonly updatedAt!: string;

  constructor(delivery: Delivery) {
    fill<DeliveryDto>(this, { ...delivery, webhook: delivery.streamId, sequence: delivery.seq });
  }
}
