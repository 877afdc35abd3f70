import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Field, TextArea, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';

/** Makes an organization, or changes how it is described. */
export function OrganizationForm({
  organization,
  onClose,
}: {
  readonly organization: Schema<'OrganizationDto'> | null;
  readonly onClose: () => void;
}) {
  const [id, setId] = useState('');
  const [displayName, setDisplayName] = useState(organization?.displayName ?? '');
  const [description, setDescription] = useState(organization?.description ?? '');
  const [labels, setLabels] = useState(labelText(organization?.labels));
  return (
    <FormDialog
      title={organization === null ? 'New organization' : `Change ${organization.id}`}
      action={organization === null ? 'Create' : 'Save'}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          displayName: displayName.trim() || null,
          description: description.trim() || null,
          labels: labelsOf(labels),
        } as unknown as Schema<'ChangeOrganizationDto'>;
        if (organization === null) {
          await client.POST('/api/v1/organizations', { body: { ...body, id: id.trim() } });
        } else {
          await client.PATCH('/api/v1/organizations/{id}', {
            params: { path: { id: organization.id } },
            body,
          });
        }
        notify(organization === null ? `${id} was made.` : `${organization.id} was changed.`);
        await refreshAccess();
      }}
    >
      {(violations) => (
        <>
          {organization === null && (
            <Field
              label="Id"
              hint="The name by which keys, agents and policies speak of it."
              error={violationOf(violations, 'id')}
            >
              <TextInput required value={id} onChange={(event) => setId(event.target.value)} />
            </Field>
          )}
          <Field label="Name" error={violationOf(violations, 'displayName')}>
            <TextInput
              value={displayName}
              onChange={(event) => setDisplayName(event.target.value)}
            />
          </Field>
          <Field label="Description" error={violationOf(violations, 'description')}>
            <TextInput
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          </Field>
          <Field
            label="Labels"
            hint="One in each line: costCenter = 4711"
            error={violationOf(violations, 'labels')}
          >
            <TextArea rows={3} value={labels} onChange={(event) => setLabels(event.target.value)} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

export function labelText(labels: object | undefined): string {
  return Object.entries(labels ?? {})
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n');
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [name = '', ...value] = line.split('=');
        return [name.trim(), value.join('=').trim()];
      }),
  );
}
