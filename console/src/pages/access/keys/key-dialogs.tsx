import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { Field, Select, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OnceSecret } from '../../../ui/once-secret';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';
import { KeyChangeForm, KeyForm } from './key-form';

export type KeyAction = 'create' | 'change' | 'rotate' | 'revoke';

/** What is being done about a key. */
export function KeyDialogs({
  action,
  apiKey,
  principal,
  onClose,
}: {
  readonly action: KeyAction;
  readonly apiKey: Schema<'KeyDto'> | null;
  readonly principal: string | undefined;
  readonly onClose: () => void;
}) {
  if (apiKey === null) return <KeyForm principal={principal} onClose={onClose} />;
  switch (action) {
    case 'create':
    case 'change':
      return <KeyChangeForm apiKey={apiKey} onClose={onClose} />;
    case 'rotate':
      return <KeyRotation apiKey={apiKey} onClose={onClose} />;
    case 'revoke':
      return (
        <Confirm
          open
          title={`Revoke the key ${apiKey.name}`}
          action="Revoke"
          onClose={onClose}
          onConfirm={async () => {
            await client.DELETE('/api/v1/keys/{id}', { params: { path: { id: apiKey.id } } });
            notify(`The key ${apiKey.name} is revoked.`);
            await refreshAccess();
          }}
        >
          <p>
            It is refused at once and for good, and its open calls end. What uses it needs another
            key.
          </p>
        </Confirm>
      );
  }
}

const OVERLAPS = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For 7 days' },
];

/** A new key in the place of one; shown once. */
function KeyRotation({
  apiKey,
  onClose,
}: {
  readonly apiKey: Schema<'KeyDto'>;
  readonly onClose: () => void;
}) {
  const [overlap, setOverlap] = useState('86400');
  const [made, setMade] = useState<Schema<'CreatedKeyDto'> | null>(null);
  if (made) {
    return (
      <OnceSecret
        title={`The new key ${made.name}`}
        label="API key"
        secret={made.key}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={`Rotate the key ${apiKey.name}`}
      description="A new key for the same principal, with the same name, scopes and places."
      action="Rotate"
      onClose={onClose}
      onSubmit={async () => {
        const { data } = await client.POST('/api/v1/keys/{id}:rotate', {
          params: { path: { id: apiKey.id } },
          body: { overlapSeconds: Number(overlap) },
        });
        notify(`The key ${apiKey.name} was rotated.`);
        await refreshAccess();
        setMade(data!);
        return false;
      }}
    >
      {(violations) => (
        <Field label="The old key stays valid" error={violationOf(violations, 'overlapSeconds')}>
          <Select
            value={overlap}
            onChange={(event) => setOverlap(event.target.value)}
            options={OVERLAPS}
          />
        </Field>
      )}
    </FormDialog>
  );
}
