import { useState } from 'react';
import { client } from '../../../api/client';
import { Checkbox, Field, Select, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';
import { PrincipalInput } from '../shared/principal-inputs';

/** Whose data: of an organization or of a principal. */
function useOwner() {
  const [kind, setKind] = useState<'principal' | 'organization'>('principal');
  const [id, setId] = useState('');
  return { kind, setKind, id, setId, owner: { [kind]: id.trim() } };
}

function OwnerFields({
  owner: { kind, setKind, id, setId },
  violations,
}: {
  readonly owner: ReturnType<typeof useOwner>;
  readonly violations: Parameters<typeof violationOf>[0];
}) {
  return (
    <div className="access-pair">
      <Field label="All data of">
        <Select
          value={kind}
          onChange={(event) => setKind(event.target.value as typeof kind)}
          options={[
            { value: 'principal', label: 'A principal' },
            { value: 'organization', label: 'An organization' },
          ]}
        />
      </Field>
      <Field
        label={kind === 'principal' ? 'Principal' : 'Organization'}
        error={violationOf(violations, kind)}
      >
        {kind === 'principal' ? (
          <PrincipalInput value={id} onChange={setId} />
        ) : (
          <OrganizationInput value={id} onChange={setId} />
        )}
      </Field>
    </div>
  );
}

/** Asks for an export of data. */
export function ExportForm({ onClose }: { readonly onClose: () => void }) {
  const owner = useOwner();
  return (
    <FormDialog
      title="Export data"
      description="It waits to be read: download it from the list."
      action="Export"
      onClose={onClose}
      onSubmit={async () => {
        await client.POST('/api/v1/data/exports', { body: owner.owner });
        notify('The export is ready to be downloaded.');
        await refreshAccess();
      }}
    >
      {(violations) => <OwnerFields owner={owner} violations={violations} />}
    </FormDialog>
  );
}

/** Asks for a deletion of data, which cannot be undone. */
export function DeletionForm({ onClose }: { readonly onClose: () => void }) {
  const owner = useOwner();
  const [confirm, setConfirm] = useState('');
  const [mappingOnly, setMappingOnly] = useState(false);
  const [block, setBlock] = useState(true);
  return (
    <FormDialog
      title="Delete data"
      description="The principals are disabled, then all their data is deleted: tasks, webhooks, keys. It cannot be undone."
      action="Delete for good"
      onClose={onClose}
      onSubmit={async () => {
        await client.POST('/api/v1/data/deletions', {
          body: {
            ...owner.owner,
            confirm,
            block,
            ...(mappingOnly && { only: 'mapping' }),
          },
        });
        notify('The deletion has begun.');
        await refreshAccess();
      }}
    >
      {(violations) => (
        <>
          <OwnerFields owner={owner} violations={violations} />
          <Field label="The same name once more" error={violationOf(violations, 'confirm')}>
            <TextInput value={confirm} onChange={(event) => setConfirm(event.target.value)} />
          </Field>
          <Checkbox
            label="Only who it is: its keys and sign-in go, its tasks stay under an id that does not say whose they are"
            checked={mappingOnly}
            onChange={(event) => setMappingOnly(event.target.checked)}
          />
          <Checkbox
            label="Whoever signed in may not sign in again"
            checked={block}
            onChange={(event) => setBlock(event.target.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}
