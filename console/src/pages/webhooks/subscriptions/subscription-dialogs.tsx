import { client, type Schema } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';
import { RotateDialog } from '../shared/rotate-dialog';
import { testOf } from '../shared/testables';
import { TestDialog } from '../shared/test-dialog';
import { SubscriptionForm } from './subscription-form';
import type { SubscriptionAction } from './subscription-menu';

/** What is being done about a subscription. */
export function SubscriptionDialogs({
  action,
  subscription,
  onClose,
}: {
  readonly action: SubscriptionAction;
  readonly subscription: Schema<'SubscriptionDto'> | null;
  readonly onClose: () => void;
}) {
  if (subscription === null) return <SubscriptionForm subscription={null} onClose={onClose} />;
  const params = { path: { id: subscription.id } };
  const what = subscription.name ?? `the subscription ${subscription.id}`;
  switch (action) {
    case 'create':
    case 'change':
      return <SubscriptionForm subscription={subscription} onClose={onClose} />;
    case 'rotate':
      return (
        <RotateDialog
          what={what}
          onRotate={(body) =>
            client.POST('/api/v1/push/subscriptions/{id}:rotate', { params, body })
          }
          onClose={onClose}
        />
      );
    case 'test':
      return (
        <TestDialog
          what={what}
          onTest={() => testOf({ id: subscription.id, kind: 'subscription' })}
          onClose={onClose}
        />
      );
    case 'delete':
      return (
        <Confirm
          open
          title={`Delete ${what}`}
          action="Delete"
          onClose={onClose}
          onConfirm={async () => {
            await client.DELETE('/api/v1/push/subscriptions/{id}', { params });
            notify('The subscription was deleted.');
            await refreshPush();
          }}
        >
          <p>
            Nothing more is sent to <code>{subscription.url}</code>. What it had left to tell
            becomes dead letters.
          </p>
        </Confirm>
      );
  }
}
