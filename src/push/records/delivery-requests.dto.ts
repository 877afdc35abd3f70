import { ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { IfGiven } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { DELIVERY_STATES, type DeliveryState } from '../delivery/delivery.js';

const MAX_URL = 4096;
const MAX_IDS = 100;
const MAX_AT_ONCE = 1000;
const SINCE = { type: String, format: 'date-time', example: '2026-01-31T12:00:00Z' } as const;
const ENDPOINT = {
  type: String,
  description:
    'Any URL of the receiver, of which scheme, host and port are compared; or an endpoint as webhooks and deliveries show it.',
  example: 'https://hooks.example',
} as const;

/** The filters that deliveries and dead letters share. */
class DeliveryFilterDto {
  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  taskId?: string;

  @ApiPropertyOptional({
    type: String,
    description: "The webhook's id that the client knows, or the hub's own.",
  })
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  configId?: string;

  @ApiPropertyOptional(ENDPOINT)
  @IfGiven()
  @IsString()
  @MaxLength(MAX_URL)
  endpoint?: string;

  @ApiPropertyOptional({ type: String })
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  organization?: string;

  @ApiPropertyOptional({ ...SINCE, description: 'Created at this time or later.' })
  @IfGiven()
  @IsISO8601({ strict: true })
  @MaxLength(40)
  since?: string;

  @ApiPropertyOptional({ ...SINCE, description: 'Created before this time.' })
  @IfGiven()
  @IsISO8601({ strict: true })
  @MaxLength(40)
  until?: string;
}

export class DeadLetterQueryDto extends IntersectionType(PageQueryDto, DeliveryFilterDto) {}

export class DeliveryQueryDto extends DeadLetterQueryDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATES })
  @IfGiven()
  @IsIn(DELIVERY_STATES)
  state?: DeliveryState;
}

/** Which dead letters are meant: those that fit all that is given. */
export class DeadLettersDto extends DeliveryFilterDto {
  @ApiPropertyOptional({ type: [String], description: 'Only these deliveries.' })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_IDS)
  @IsString({ each: true })
  @MaxLength(256, { each: true })
  ids?: string[];

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Must be true when no other filter is given: applies to all dead letters that the caller may see.',
  })
  @IfGiven()
  @IsBoolean()
  all?: boolean;

  @ApiPropertyOptional({
    type: Number,
    minimum: 1,
    maximum: MAX_AT_ONCE,
    default: MAX_AT_ONCE,
    description: 'The maximum number, oldest first.',
  })
  @IsInt()
  @Min(1)
  @Max(MAX_AT_ONCE)
  limit: number = MAX_AT_ONCE;
}
