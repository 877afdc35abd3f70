import { IntersectionType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Choice, Flag, Int, Text, Time } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { DELIVERY_STATES, type DeliveryState } from '../delivery/delivery.js';

const MAX_URL = 4096;
const MAX_IDS = 100;
const MAX_AT_ONCE = 1000;
const COUNTED = 1000;
const MOST_COUNTED = 10_000;
const ENDPOINT = {
  description:
    'Any URL of the receiver, of which scheme, host and port are compared; or an endpoint as webhooks and deliveries show it.',
  example: 'https://hooks.example',
} as const;

/** The filters that deliveries and dead letters share. */
class DeliveryFilterDto {
  @Text({ optional: true, min: 1, max: 256 })
  taskId?: string;

  @Text({
    optional: true,
    min: 1,
    max: 256,
    description: "The webhook's id that the client knows, or the hub's own.",
  })
  configId?: string;

  @Text({ ...ENDPOINT, optional: true, max: MAX_URL })
  endpoint?: string;

  @Text({ optional: true, min: 1, max: 256 })
  organization?: string;

  @Time({
    optional: true,
    description: 'Created at this time or later.',
    example: '2026-01-31T12:00:00Z',
  })
  since?: string;

  @Time({
    optional: true,
    description: 'Created before this time.',
    example: '2026-01-31T12:00:00Z',
  })
  until?: string;
}

export class DeliveryQueryDto extends IntersectionType(PageQueryDto, DeliveryFilterDto) {
  @Choice(DELIVERY_STATES, { optional: true })
  state?: DeliveryState;
}

class DeadLetterFilterDto extends DeliveryFilterDto {
  @Time({
    optional: true,
    description: 'Given up at this time or later.',
    example: '2026-01-31T12:00:00Z',
  })
  givenUpSince?: string;

  @Time({
    optional: true,
    description: 'Given up before this time.',
    example: '2026-01-31T12:00:00Z',
  })
  givenUpUntil?: string;
}

export class DeadLetterQueryDto extends IntersectionType(PageQueryDto, DeadLetterFilterDto) {}

class CountQueryDto {
  @Int({
    optional: true,
    min: 1,
    max: MOST_COUNTED,
    default: COUNTED,
    description: 'Counts no further.',
  })
  @Type(() => Number)
  most: number = COUNTED;
}

export class DeadLetterCountQueryDto extends IntersectionType(CountQueryDto, DeadLetterFilterDto) {}

/** By the time they were given up alone. */
export class LostEventsQueryDto extends IntersectionType(CountQueryDto, DeliveryFilterDto) {
  @Time({
    optional: true,
    description: 'Given up at this time or later.',
    example: '2026-01-31T12:00:00Z',
  })
  override since?: string;

  @Time({
    optional: true,
    description: 'Given up before this time.',
    example: '2026-01-31T12:00:00Z',
  })
  override until?: string;
}

/** Which dead letters are meant: those that fit all that is given. */
export class DeadLettersDto extends DeadLetterFilterDto {
  @Text({
    optional: true,
    list: { min: 1, max: MAX_IDS },
    max: 256,
    description: 'Only these deliveries.',
  })
  ids?: string[];

  @Flag({
    optional: true,
    description:
      'Must be true when no other filter is given: applies to all dead letters that the caller may see.',
  })
  all?: boolean;

  @Int({
    optional: true,
    min: 1,
    max: MAX_AT_ONCE,
    default: MAX_AT_ONCE,
    description: 'The maximum number, oldest first.',
  })
  limit: number = MAX_AT_ONCE;

  @Text({
    optional: true,
    max: 1024,
    description:
      '`nextCursor` of the call before: goes on behind what that call changed, so that each dead letter is taken once, even one that was given up again.',
  })
  cursor?: string;
}
