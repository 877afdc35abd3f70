import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { NAME, NAME_RULE } from '../../common/http/fields.js';
import type { HandedOver } from './owned-webhook-store.js';

export class HandoverDto {
  @ApiProperty({ type: String, description: 'The principal that gets them.' })
  @Matches(NAME, NAME_RULE)
  to!: string;
}

export class HandedOverDto {
  @ApiProperty({ type: Number, description: 'Standing subscriptions.', example: 1 })
  readonly subscriptions: number;

  @ApiProperty({
    type: Number,
    description: 'Webhooks that are for one task each.',
    example: 12,
  })
  readonly webhooks: number;

  constructor({ subscriptions, webhooks }: HandedOver) {
    this.subscriptions = subscriptions;
    this.webhooks = webhooks;
  }
}
