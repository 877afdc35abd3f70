import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Field, TextArea, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';

/** A new secret for an auth profile. */
export function ProfileRotation({
  profile,
  onClose,
  onIssued,
}: {
  readonly profile: Schema<'AuthProfileDto'>;
  readonly onClose: () => void;
  readonly onIssued: (secret: string) => void;
}) {
  const [secret, setSecret] = useState('');
  const [certificate, setCertificate] = useState('');
  const signs = profile.scheme === 'hmac' || profile.scheme === 'ed25519';
  return (
    <FormDialog
      title={`Rotate the secret of ${profile.name}`}
      description={
        signs
          ? 'For some time requests are signed with the old key as well, so that receivers can follow.'
          : 'Requests carry the new secret from now on.'
      }
      action="Rotate"
      onClose={onClose}
      onSubmit={async () => {
        const isReference = /^(env|file|vault|aws):/.test(secret);
        const { data } = await client.POST('/api/v1/push/auth-profiles/{id}:rotate', {
          params: { path: { id: profile.id } },
          body: {
            ...(secret !== '' && { [isReference ? 'secretRef' : 'secret']: secret }),
            ...(certificate !== '' && { certificate }),
          },
        });
        notify(`The secret of ${profile.name} was rotated.`);
        if (data!.issuedSecret) onIssued(data!.issuedSecret);
        await refreshPush();
      }}
    >
      {(violations) => (
        <>
          <Field
            label="New secret"
            hint={
              signs ? 'Empty: the hub makes one.' : 'Or where it is kept: env:NAME, file:/PATH …'
            }
            error={violationOf(violations, 'secret') ?? violationOf(violations, 'secretRef')}
          >
            <TextArea rows={2} value={secret} onChange={(event) => setSecret(event.target.value)} />
          </Field>
          {profile.scheme === 'mtls' && (
            <Field
              label="New certificate (PEM)"
              hint="Empty: the present one, with the new key."
              error={violationOf(violations, 'certificate')}
            >
              <TextArea
                value={certificate}
                onChange={(event) => setCertificate(event.target.value)}
              />
            </Field>
          )}
        </>
      )}
    </FormDialog>
  );
}
