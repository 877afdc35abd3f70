import { client, type Schema } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';
import { RotateDialog } from '../shared/rotate-dialog';
import { testOf } from '../shared/testables';
import { TestDialog } from '../shared/test-dialog';
import type { ConfigAction } from './config-actions';
import { ConfigForm } from './config-form';
import { ReplayForm } from './replay-form';

/** What is being done about a webhook. */
export function ConfigDialogs({
  action,
  webhook,
  onClose,
}: {
  readonly action: ConfigAction | 'create';
  readonly webhook: Schema<'WebhookDto'> | null;
  readonly onClose: () => void;
}) {
  if (webhook === null) return <ConfigForm webhook={null} onClose={onClose} />;
  const params = { path: { id: webhook.id } };
  const what = `the webhook ${webhook.configId}`;
  switch (action) {
    case 'create':
    case 'change':
      return <ConfigForm webhook={webhook} onClose={onClose} />;
    case 'replay':
      return <ReplayForm webhook={webhook} onClose={onClose} />;
    case 'rotate':
      return (
        <RotateDialog
          what={what}
          onRotate={(body) => client.POST('/api/v1/push/configs/{id}:rotate', { params, body })}
          onClose={onClose}
        />
      );
    case 'test':
      return (
        <TestDialog
          what={what}
          onTest={() => testOf({ id: webhook.id, kind: 'config' })}
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
            await client.DELETE('/api/v1/push/configs/{id}', { params });
            notify('The webhook was deleted.');
            await refreshPush();
          }}
        >
          <p>
            Nothing more is sent to <code>{webhook.url}</code> for this task. What it had left to
            tell becomes dead letters.
          </p>
        </Confirm>
      );
  }
}
