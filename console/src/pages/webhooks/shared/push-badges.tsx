import type { Schema } from '../../../api/client';
import { Badge, type Tone } from '../../../ui/badge';
import { counted } from '../../../ui/lists';
import { ReceiverBadge } from '../../../ui/receiver-badge';
import { WebhookBadge } from '../../../ui/webhook-badge';

const DELIVERY_TONES: Readonly<Record<Schema<'DeliveryDto'>['state'], Tone>> = {
  pending: 'neutral',
  retrying: 'warning',
  delivered: 'good',
  dead: 'bad',
};

export function DeliveryStateBadge({ state }: { readonly state: Schema<'DeliveryDto'>['state'] }) {
  return <Badge tone={DELIVERY_TONES[state]}>{state}</Badge>;
}

type Held = Schema<'WebhookDto'>['held'];

/** The state of a webhook or a subscription, and why nothing is sent whatever it is. */
export function WebhookStateBadge({
  state,
  reason,
  held,
}: {
  readonly state: Schema<'WebhookDto'>['state'];
  readonly reason: string | null;
  readonly held: Held;
}) {
  return (
    <span className="webhooks-badges">
      <WebhookBadge state={state} stateReason={reason} />
      {held !== null && <Badge tone="warning">held: {held.replaceAll('-', ' ')}</Badge>}
    </span>
  );
}

/** Events that a receiver lost, and in which time, in words. */
export interface LostOfReceiver {
  readonly count: number;
  readonly when: string;
}

export function EndpointStateBadge({
  endpoint,
  lost,
}: {
  readonly endpoint: Schema<'EndpointDto'>;
  readonly lost?: LostOfReceiver;
}) {
  return (
    <span className="webhooks-badges">
      <ReceiverBadge {...endpoint} />
      {lost && lost.count > 0 && (
        <Badge tone="warning" title={`Events that were given up: ${lost.when}`}>
          {counted(lost.count, 'event')} lost
        </Badge>
      )}
      {endpoint.breaker === 'open' && (
        <Badge tone="warning" title="One delivery is tried at a time; the others wait for it.">
          breaker open
        </Badge>
      )}
      {endpoint.heldUntil !== null && (
        <Badge tone="neutral" title={endpoint.heldReason ?? undefined}>
          held back
        </Badge>
      )}
    </span>
  );
}
