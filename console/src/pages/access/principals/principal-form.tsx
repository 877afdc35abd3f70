import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Field, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { betweenCommas, textOfList } from '../../../ui/lists';
import { present } from '../../../ui/search';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';
import { newOrganization } from '../shared/missing';

/** Makes a principal, or changes its name and groups. */
export function PrincipalForm({
  principal,
  onClose,
}: {
  readonly principal: Schema<'PrincipalDto'> | null;
  readonly onClose: () => void;
}) {
  const mayAll = useMay('access');
  const [id, setId] = useState('');
  const [organization, setOrganization] = useState('');
  const [displayName, setDisplayName] = useState(principal?.displayName ?? '');
  const [groups, setGroups] = useState(textOfList(principal?.groups));
  const submit = async () => {
    const name = displayName.trim();
    if (principal === null) {
      await client.POST('/api/v1/principals', {
        body: {
          ...present({
            id: id.trim(),
            organization: organization.trim(),
            displayName: name,
          }),
          ...(groups.trim() !== '' && { groups: betweenCommas(groups) }),
        },
      });
      notify('The principal was made. Give it a key next.');
    } else {
      await client.PATCH('/api/v1/principals/{id}', {
        params: { path: { id: principal.id } },
        body: {
          displayName: name === '' ? null : name,
          ...(groups !== textOfList(principal.groups) && { groups: betweenCommas(groups) }),
        },
      });
      notify(`${name || principal.id} was changed.`);
    }
    await refreshAccess();
  };
  return (
    <FormDialog
      title={principal === null ? 'New principal' : `Change ${principal.id}`}
      description="A person or a program that calls. It has keys, or signs in."
      action={principal === null ? 'Create' : 'Save'}
      onClose={onClose}
      check={() => newOrganization(organization)}
      onSubmit={submit}
    >
      {(violations) => (
        <>
          <Field label="Name" error={violationOf(violations, 'displayName')}>
            <TextInput
              value={displayName}
              onChange={(event) => setDisplayName(event.target.value)}
            />
          </Field>
          {principal === null && mayAll && (
            <div className="access-pair">
              <Field label="Id" hint="Empty: a new one." error={violationOf(violations, 'id')}>
                <TextInput value={id} onChange={(event) => setId(event.target.value)} />
              </Field>
              <Field
                label="Organization"
                hint="Empty: default."
                error={violationOf(violations, 'organization')}
              >
                <OrganizationInput value={organization} onChange={setOrganization} />
              </Field>
            </div>
          )}
          {mayAll && (
            <Field
              label="Groups"
              hint='With commas; policies know them as Group::"NAME".'
              error={violationOf(violations, 'groups')}
            >
              <TextInput value={groups} onChange={(event) => setGroups(event.target.value)} />
            </Field>
          )}
        </>
      )}
    </FormDialog>
  );
}
