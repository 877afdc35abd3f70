import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Field, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';
import { AddressField, BodiesField, EventsField } from '../shared/delivery-fields';
import { emptySecrets, SecretsFields, secretsOf } from '../shared/secrets-form';

type Webhook = Schema<'WebhookDto'>;

/** Sets a webhook on a task, or changes one. */
export function ConfigForm({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}) {
  const [taskId, setTaskId] = useState('');
  const [id, setId] = useState('');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<Webhook['events']>(webhook?.events ?? 'changes');
  const [version, setVersion] = useState<Webhook['version']>('1.0');
  const [secrets, setSecrets] = useState(emptySecrets(webhook !== null));
  const submit = async () => {
    if (webhook === null) {
      await client.POST('/api/v1/push/configs', {
        body: {
          taskId: taskId.trim(),
          url: url.trim(),
          events,
          version,
          ...(id.trim() !== '' && { id: id.trim() }),
          ...secretsOf(secrets, true),
        },
      });
      notify('The webhook was set. It gets the present state of the task first.');
    } else {
      await client.PATCH('/api/v1/push/configs/{id}', {
        params: { path: { id: webhook.id } },
        body: {
          ...(url.trim() !== webhook.url && { url: url.trim() }),
          ...(events !== webhook.events && { events }),
          ...secretsOf(secrets, false),
        },
      });
      notify(`The webhook ${webhook.configId} was changed.`);
    }
    await refreshPush();
  };
  return (
    <FormDialog
      title={
        webhook === null ? 'Set a webhook on a task' : `Change the webhook ${webhook.configId}`
      }
      {...(webhook !== null && {
        description:
          'Secrets belong to the address they were given for: another scheme, host or port needs them again.',
      })}
      action={webhook === null ? 'Set the webhook' : 'Save'}
      onClose={onClose}
      onSubmit={submit}
    >
      {(violations) => (
        <>
          {webhook === null && (
            <div className="webhooks-pair">
              <Field label="Task" error={violationOf(violations, 'taskId')}>
                <TextInput
                  required
                  value={taskId}
                  onChange={(event) => setTaskId(event.target.value)}
                />
              </Field>
              <Field
                label="Id"
                hint="Yours; the same id again replaces it. Empty: a new one."
                error={violationOf(violations, 'id')}
              >
                <TextInput value={id} onChange={(event) => setId(event.target.value)} />
              </Field>
            </div>
          )}
          <AddressField value={url} onChange={setUrl} violations={violations} />
          <div className="webhooks-pair">
            <EventsField value={events} onChange={setEvents} violations={violations} />
            {webhook === null && (
              <BodiesField value={version} onChange={setVersion} violations={violations} />
            )}
          </div>
          <SecretsFields
            draft={secrets}
            onChange={setSecrets}
            keep={webhook !== null}
            violations={violations}
          />
        </>
      )}
    </FormDialog>
  );
}
