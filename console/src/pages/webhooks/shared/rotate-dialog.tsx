import { useState } from 'react';
import type { Schema } from '../../../api/client';
import { Checkbox } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';
import { emptySecrets, SecretsFields, secretsOf } from './secrets-form';

/** New secrets for a webhook or a subscription; the stored ones are not shown. */
export function RotateDialog({
  what,
  onRotate,
  onClose,
}: {
  /** `the webhook billing` */
  readonly what: string;
  readonly onRotate: (body: Schema<'RotateWebhookDto'>) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(emptySecrets(true));
  const [keepKeys, setKeepKeys] = useState(false);
  return (
    <FormDialog
      title={`Rotate the secrets of ${what}`}
      description="What waits is sent with the new ones. A request that is under way may carry the old ones."
      action="Rotate"
      onClose={onClose}
      onSubmit={async () => {
        await onRotate({
          ...secretsOf(draft, false),
          keepSigningKeys: keepKeys,
        });
        notify(`The secrets of ${what} were rotated.`);
        await refreshPush();
      }}
    >
      {(violations) => (
        <>
          <SecretsFields draft={draft} onChange={setDraft} keep violations={violations} />
          {draft.keysMode === 'set' && (
            <Checkbox
              label="Sign with the old keys as well, until the next rotation"
              checked={keepKeys}
              onChange={(event) => setKeepKeys(event.target.checked)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
