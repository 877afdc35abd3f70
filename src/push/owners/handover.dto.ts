import { Shown, Text } from '../../common/http/fields.js';
import { NAME } from '../../common/http/text-forms.js';
import { fill } from '../../common/http/view.js';
import type { HandedOver } from './owned-webhook-store.js';

export class HandoverDto {
  @Text({ like: NAME, description: 'The principal that receives them.' })
  to!: string;
}

export class HandedOverDto {
  @Shown.Num({ description: 'Number of subscriptions.', example: 1 })
  readonly subscriptions!: number;

  @Shown.Num({ description: 'Number of webhooks of single tasks.', example: 12 })
  readonly webhooks!: number;

  constructor({ subscriptions, webhooks }: HandedOver) {
    fill<HandedOverDto>(this, { subscriptions, webhooks });
  }
}
