import type { Schema } from '../api/client';
import { Badge, type Tone } from './badge';

type Webhook = Pick<Schema<'WebhookDto'>, 'state' | 'stateReason'>;

const TONES: Readonly<Record<Webhook['state'], Tone>> = {
  active: 'good',
  failing: 'warning',
  paused: 'neutral',
  disabled: 'bad',
};

/** The state of a webhook or a subscription. */
export function WebhookBadge({ state, stateReason }: Webhook) {
  return (
    <Badge tone={TONES[state]} {...(stateReason !== null && { title: stateReason })}>
      {state}
    </Badge>
  );
}
