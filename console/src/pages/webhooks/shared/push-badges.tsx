import type { Schema } from '../../../api/client';
import { Badge, StateBadge } from '../../../ui/badge';
import { counted } from '../../../ui/lists';
import { ReceiverBadge } from '../../../ui/receiver-badge';

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
      <StateBadge state={state} title={reason ?? undefined} />
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
