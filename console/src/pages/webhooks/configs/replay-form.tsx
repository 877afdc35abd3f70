import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Field, Select, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';

/** Tells a webhook again what happened since a time or an entry of the task. */
export function ReplayForm({
  webhook,
  onClose,
}: {
  readonly webhook: Schema<'WebhookDto'>;
  readonly onClose: () => void;
}) {
  const [by, setBy] = useState('sequence');
  const [sequence, setSequence] = useState('1');
  const [since, setSince] = useState('');
  return (
    <FormDialog
      title={`Replay to ${webhook.configId}`}
      description="The receiver gets the same events again, in their order, each with the webhook-id that it had."
      action="Replay"
      onClose={onClose}
      onSubmit={async () => {
        const { data } = await client.POST('/api/v1/push/configs/{id}:replay', {
          params: { path: { id: webhook.id } },
          body:
            by === 'sequence'
              ? { sequence: Number(sequence) }
              : { since: since === '' ? '' : new Date(since).toISOString() },
        });
        notify(
          data!.fromSequence === null
            ? 'Nothing has happened since then.'
            : `Replays the entries ${data!.fromSequence} to ${data!.toSequence}.`,
        );
        await refreshPush();
      }}
    >
      {(violations) => (
        <div className="webhooks-pair">
          <Field label="Begin">
            <Select
              value={by}
              onChange={(event) => setBy(event.target.value)}
              options={[
                { value: 'sequence', label: 'With an entry of the task' },
                { value: 'since', label: 'At a time' },
              ]}
            />
          </Field>
          {by === 'sequence' ? (
            <Field
              label="Entry"
              hint="A2A-Hub-Sequence; 1 is the first."
              error={violationOf(violations, 'sequence')}
            >
              <TextInput
                inputMode="numeric"
                value={sequence}
                onChange={(event) => setSequence(event.target.value)}
              />
            </Field>
          ) : (
            <Field label="Since" error={violationOf(violations, 'since')}>
              <input
                className="input"
                type="datetime-local"
                value={since}
                onChange={(event) => setSince(event.target.value)}
              />
            </Field>
          )}
        </div>
      )}
    </FormDialog>
  );
}
