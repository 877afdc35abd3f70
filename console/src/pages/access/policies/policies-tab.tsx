import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Confirm } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { Icon } from '../../../ui/icons';
import { Menu } from '../../../ui/menu';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { Toolbar } from '../../../ui/toolbar';
import { ACCESS, refreshAccess } from '../query-keys';
import { useAccessSearch } from '../search';
import { said } from '../shared/said';
import { SearchLink } from '../shared/search-link';
import { PolicyDialog } from './policy-dialog';
import { PolicyForm } from './policy-form';

type Policy = Schema<'PolicyDto'>;

/** Who may ask which agent for what. */
export function PoliciesTab() {
  const [{ id, organization }, change] = useAccessSearch();
  const [editing, setEditing] = useState<{ policy: Policy | null } | null>(null);
  const [deleting, setDeleting] = useState<Policy | null>(null);
  const pages = usePages<Policy>([ACCESS, 'policies', organization], (cursor, signal) =>
    client.GET('/api/v1/policies', {
      params: { query: { limit: PAGE_ROWS, cursor, organization } },
      signal,
    }),
  );
  const open = pages.rows.find((row) => row.id === id);
  const menu = (policy: Policy) =>
    policy.source === 'config' ? null : (
      <PolicyMenu
        policy={policy}
        onEdit={() => setEditing({ policy })}
        onDelete={() => setDeleting(policy)}
      />
    );
  return (
    <div className="page">
      <Toolbar
        action={
          <Button
            kind="primary"
            icon={<Icon name="plus" />}
            onClick={() => setEditing({ policy: null })}
          >
            New policy
          </Button>
        }
      >
        <OrganizationFilter
          value={organization}
          onChange={(next) => change({ organization: next })}
        />
        <SearchLink search={{ tab: 'who-may' }}>Try them: who may call an agent?</SearchLink>
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Policies"
          pages={pages}
          rowId={(row) => row.id}
          selected={(row) => row.id === id}
          columns={columnsOf((row) => change({ id: row.id }), menu)}
          empty={
            <Empty title={organization ? 'No policy of this organization' : 'No policy'}>
              <p>Without any, everybody may ask whatever agent is open to its organization.</p>
            </Empty>
          }
        />
      </Card>
      {open && !editing && (
        <PolicyDialog
          policy={open}
          onEdit={open.source === 'api' ? () => setEditing({ policy: open }) : null}
          onClose={() => change({ id: undefined })}
        />
      )}
      {editing && <PolicyForm policy={editing.policy} onClose={() => setEditing(null)} />}
      {deleting && (
        <Confirm
          open
          title={`Delete the policy ${deleting.id}`}
          action="Delete"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await client.DELETE('/api/v1/policies/{id}', {
              params: { path: { id: deleting.id } },
            });
            notify(`The policy ${deleting.id} was deleted.`);
            await refreshAccess();
          }}
        >
          <p>
            It and its versions are gone, and it decides nothing from now on. To keep it, put it out
            of force instead. It is refused when a test of another policy would fail.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function PolicyMenu({
  policy: { id, enabled },
  onEdit,
  onDelete,
}: {
  readonly policy: Policy;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  return (
    <Menu
      label={`Actions of the policy ${id}`}
      items={[
        { label: 'Edit …', onSelect: onEdit },
        {
          label: enabled ? 'Put out of force' : 'Put in force',
          onSelect: () =>
            void said(`The policy ${id} is ${enabled ? 'out of force' : 'in force'}.`, () =>
              client.PATCH('/api/v1/policies/{id}', {
                params: { path: { id } },
                body: { enabled: !enabled },
              }),
            ),
        },
        { label: 'Delete …', danger: true, onSelect: onDelete },
      ]}
    />
  );
}

function columnsOf(
  open: (row: Policy) => void,
  menu: (row: Policy) => ReactNode,
): Column<Policy>[] {
  return [
    {
      id: 'id',
      header: 'Policy',
      share: 1.2,
      sortBy: ({ id }) => id,
      cell: (row) => (
        <>
          <button type="button" className="access-open" onClick={() => open(row)}>
            {row.id}
          </button>{' '}
          {row.source === 'config' && <Badge>declared</Badge>}
        </>
      ),
    },
    {
      id: 'state',
      header: 'State',
      share: 0.7,
      sortBy: ({ enabled }) => String(enabled),
      cell: ({ enabled }) => (
        <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? 'in force' : 'out of force'}</Badge>
      ),
    },
    {
      id: 'what',
      header: 'What it says',
      share: 2.2,
      cell: ({ description, text }) => description || <code>{gistOf(text)}</code>,
    },
    {
      id: 'organization',
      header: 'For callers of',
      share: 0.8,
      minor: true,
      cell: ({ organization }) => organization ?? 'all',
    },
    {
      id: 'tests',
      header: 'Tests',
      align: 'end',
      share: 0.4,
      minor: true,
      cell: ({ tests }) => tests.length,
    },
    {
      id: 'updated',
      header: 'Changed',
      share: 0.7,
      minor: true,
      sortBy: ({ updatedAt }) => updatedAt,
      cell: ({ updatedAt }) => (updatedAt ? <Time at={updatedAt} /> : ''),
    },
    { id: 'actions', header: 'Actions', share: 0.5, align: 'end', cell: menu },
  ];
}

const GIST_CHARACTERS = 140;

/** The reason of the first statement, or how the text begins. */
function gistOf(text: string): string {
  const reason = /@reason\("([^"]*)"\)/.exec(text)?.[1];
  const gist = reason ?? text.replace(/\s+/g, ' ').trim();
  return gist.length > GIST_CHARACTERS ? `${gist.slice(0, GIST_CHARACTERS)}…` : gist;
}
