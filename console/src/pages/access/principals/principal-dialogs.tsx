import { client, type Schema } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { notify } from '../../../ui/toast';
import { KeyForm } from '../keys/key-form';
import { refreshAccess } from '../query-keys';
import { HandoverForm } from './handover-form';
import { PrincipalForm } from './principal-form';
import type { PrincipalAction } from './principal-menu';

/** What is being done about a principal. */
export function PrincipalDialogs({
  action,
  principal,
  onClose,
}: {
  readonly action: PrincipalAction;
  readonly principal: Schema<'PrincipalDto'> | null;
  readonly onClose: () => void;
}) {
  if (principal === null) return <PrincipalForm principal={null} onClose={onClose} />;
  const { id } = principal;
  const params = { path: { id } };
  const name = principal.displayName ?? id;
  switch (action) {
    case 'create':
    case 'change':
      return <PrincipalForm principal={principal} onClose={onClose} />;
    case 'key':
      return <KeyForm principal={id} onClose={onClose} />;
    case 'handover':
      return <HandoverForm principal={principal} onClose={onClose} />;
    case 'disable':
      return (
        <Confirm
          open
          title={`Disable ${name}`}
          action="Disable"
          onClose={onClose}
          onConfirm={async () => {
            await client.POST('/api/v1/principals/{id}:disable', { params });
            notify(`${name} is disabled.`);
            await refreshAccess();
          }}
        >
          <p>
            At once: none of its keys and sign-ins is taken, its open calls end, its webhooks and
            subscriptions pause. Its tasks go on. Enabling it gives everything back.
          </p>
        </Confirm>
      );
    case 'delete':
      return (
        <Confirm
          open
          title={`Delete ${name}`}
          action="Delete"
          onClose={onClose}
          onConfirm={async () => {
            await client.DELETE('/api/v1/principals/{id}', { params });
            notify(`${name} was deleted.`);
            await refreshAccess();
          }}
        >
          <p>
            It is deleted with its keys. It is refused while it has tasks, webhooks or
            subscriptions.
          </p>
        </Confirm>
      );
  }
}
