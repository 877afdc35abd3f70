import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { NAME, NAME_RULE } from '../../common/http/fields.js';
import type { HandedOver } from './owned-webhook-store.js';

export class HandoverDto {
  @ApiProperty({ type: String, description: 'The principal that receives them.' })
  @Matches(NAME, NAME_RULE)
  to!: string;
}

export class HandedOverDto {
  @ApiProperty({ type: Number, description: 'Number of subscriptions.', example: 1 })
  readonly subscriptions: number;

  @ApiProperty({
    type: Number,
    description: 'Number of webhooks of single tasks.',
    example: 12,
  })
  readonly webhooks: number;

  constructor({ subscriptions, webhooks }: HandedOver) {
    this.subscriptions = subscriptions;
    this.webhooks = webhooks;
  }
}
