import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Field, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { counted } from '../../../ui/lists';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';
import { PrincipalInput } from '../shared/principal-inputs';

/** Gives the webhooks and subscriptions of a principal to another one. */
export function HandoverForm({
  principal,
  onClose,
}: {
  readonly principal: Schema<'PrincipalDto'>;
  readonly onClose: () => void;
}) {
  const [to, setTo] = useState('');
  return (
    <FormDialog
      title={`Hand over the webhooks of ${principal.displayName ?? principal.id}`}
      description="All its webhooks and subscriptions go to another principal of its organization."
      action="Hand over"
      onClose={onClose}
      onSubmit={async () => {
        const { data } = await client.POST('/api/v1/principals/{id}:handover', {
          params: { path: { id: principal.id } },
          body: { to: to.trim() },
        });
        notify(
          `Handed over ${counted(data!.webhooks, 'webhook')} and ${counted(data!.subscriptions, 'subscription')}.`,
        );
        await refreshAccess();
      }}
    >
      {(violations) => (
        <Field label="To" error={violationOf(violations, 'to')}>
          <PrincipalInput value={to} onChange={setTo} />
        </Field>
      )}
    </FormDialog>
  );
}
