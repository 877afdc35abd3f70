import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay, useMe } from '../../../api/me';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Confirm } from '../../../ui/dialog';
import { Empty } from '../../../ui/feedback';
import { Icon } from '../../../ui/icons';
import { Menu } from '../../../ui/menu';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { Toolbar } from '../../../ui/toolbar';
import { ACCESS, refreshAccess } from '../query-keys';
import { said } from '../shared/said';
import { SearchLink } from '../shared/search-link';
import { labelText, OrganizationForm } from './organization-form';

type Organization = Schema<'OrganizationDto'>;
type Doing = { action: 'edit' | 'disable' | 'delete'; organization: Organization | null };

/** That of the hub itself, which is neither disabled nor deleted. */
const HUBS_OWN = 'default';

/** The organizations that principals belong to. */
export function OrganizationsTab() {
  const mayAll = useMay('access');
  const own = useMe().data?.organization;
  const [doing, setDoing] = useState<Doing | null>(null);
  const pages = usePages<Organization>([ACCESS, 'organizations'], (cursor, signal) =>
    client.GET('/api/v1/organizations', {
      params: { query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  const menu = (organization: Organization) => (
    <Menu
      label={`Actions of ${organization.id}`}
      items={[
        { label: 'Change …', onSelect: () => setDoing({ action: 'edit', organization }) },
        ...(mayAll
          ? [
              organization.state === 'enabled'
                ? {
                    label: 'Disable …',
                    danger: true,
                    disabled: organization.id === HUBS_OWN || organization.id === own,
                    onSelect: () => setDoing({ action: 'disable', organization }),
                  }
                : {
                    label: 'Enable',
                    onSelect: () =>
                      void said(`${organization.id} is enabled.`, () =>
                        client.POST('/api/v1/organizations/{id}:enable', {
                          params: { path: { id: organization.id } },
                        }),
                      ),
                  },
              {
                label: 'Delete …',
                danger: true,
                disabled: organization.id === HUBS_OWN,
                onSelect: () => setDoing({ action: 'delete', organization }),
              },
            ]
          : []),
      ]}
    />
  );
  return (
    <div className="page">
      {mayAll && (
        <Toolbar
          action={
            <Button
              kind="primary"
              icon={<Icon name="plus" />}
              onClick={() => setDoing({ action: 'edit', organization: null })}
            >
              New organization
            </Button>
          }
        />
      )}
      <Card flush>
        <PagedTable
          label="Organizations"
          pages={pages}
          rowId={({ id }) => id}
          columns={[
            ...COLUMNS,
            { id: 'actions', header: 'Actions', share: 0.5, align: 'end', cell: menu },
          ]}
          empty={
            <Empty title="No organization yet">
              <p>One is made with its first principal, or here.</p>
            </Empty>
          }
        />
      </Card>
      {doing?.action === 'edit' && (
        <OrganizationForm organization={doing.organization} onClose={() => setDoing(null)} />
      )}
      {doing?.organization && doing.action !== 'edit' && (
        <EndOrganization
          organization={doing.organization}
          action={doing.action}
          onClose={() => setDoing(null)}
        />
      )}
    </div>
  );
}

function EndOrganization({
  organization: { id, principals },
  action,
  onClose,
}: {
  readonly organization: Organization;
  readonly action: 'disable' | 'delete';
  readonly onClose: () => void;
}) {
  const params = { path: { id } };
  return (
    <Confirm
      open
      title={action === 'disable' ? `Disable ${id}` : `Delete ${id}`}
      action={action === 'disable' ? 'Disable' : 'Delete'}
      onClose={onClose}
      onConfirm={async () => {
        await (action === 'disable'
          ? client.POST('/api/v1/organizations/{id}:disable', { params })
          : client.DELETE('/api/v1/organizations/{id}', { params }));
        notify(action === 'disable' ? `${id} is disabled.` : `${id} was deleted.`);
        await refreshAccess();
      }}
    >
      <p>
        {action === 'disable'
          ? `At once no key, token or certificate of its principals (${principals}) is taken, their open calls end, and their webhooks pause. Its tasks go on. Enabling it gives everything back.`
          : 'It is refused while it has principals, policies or credentials for agents.'}
      </p>
    </Confirm>
  );
}

const COLUMNS: Column<Organization>[] = [
  {
    id: 'id',
    header: 'Organization',
    share: 1.4,
    sortBy: ({ id }) => id,
    cell: ({ id, displayName }) => (
      <>
        {id} {displayName && <span className="faint">{displayName}</span>}
      </>
    ),
  },
  {
    id: 'state',
    header: 'State',
    share: 0.7,
    sortBy: ({ state }) => state,
    cell: ({ state }) => <Badge tone={state === 'enabled' ? 'good' : 'bad'}>{state}</Badge>,
  },
  {
    id: 'principals',
    header: 'Principals',
    align: 'end',
    share: 0.6,
    sortBy: ({ principals }) => principals,
    cell: ({ id, principals }) => (
      <SearchLink search={{ tab: 'principals', organization: id }}>{principals}</SearchLink>
    ),
  },
  {
    id: 'labels',
    header: 'Labels',
    minor: true,
    cell: ({ labels }) => labelText(labels),
  },
  {
    id: 'description',
    header: 'Description',
    share: 1.4,
    minor: true,
    cell: ({ description }) => description,
  },
  {
    id: 'created',
    header: 'Created',
    share: 0.7,
    minor: true,
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];
