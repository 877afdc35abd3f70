import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { FilterInput } from '../../../ui/filter-input';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { Icon } from '../../../ui/icons';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { PrincipalName } from '../../../ui/principal-name';
import { Time } from '../../../ui/time';
import { Toolbar } from '../../../ui/toolbar';
import { ACCESS } from '../query-keys';
import { useAccessSearch } from '../search';
import { PrincipalStateBadge } from '../shared/principal-state';
import { SearchLink } from '../shared/search-link';
import { PrincipalDialogs } from './principal-dialogs';
import { type PrincipalAction, PrincipalMenu } from './principal-menu';

type Principal = Schema<'PrincipalDto'>;

/** Who calls: people and programs. */
export function PrincipalsTab() {
  const [{ text, state, organization, group }, change] = useAccessSearch();
  const mayAll = useMay('access');
  const [doing, setDoing] = useState<{
    action: PrincipalAction;
    principal: Principal | null;
  } | null>(null);
  const pages = usePages<Principal>(
    [ACCESS, 'principals', text, state, organization, group],
    (cursor, signal) =>
      client.GET('/api/v1/principals', {
        params: {
          query: {
            limit: PAGE_ROWS,
            cursor,
            text,
            state: state as Principal['state'],
            organization,
            group,
          },
        },
        signal,
      }),
  );
  return (
    <div className="page">
      <Toolbar
        action={
          <Button
            kind="primary"
            icon={<Icon name="plus" />}
            onClick={() => setDoing({ action: 'create', principal: null })}
          >
            New principal
          </Button>
        }
      >
        <FilterInput
          label="Principal"
          placeholder="part of its id or name"
          value={text}
          onChange={(next) => change({ text: next })}
        />
        <Field label="State">
          <Select
            value={state ?? ''}
            onChange={(event) => change({ state: event.target.value || undefined })}
            options={[
              { value: '', label: 'All' },
              { value: 'active', label: 'Active' },
              { value: 'keyless', label: 'Without a key' },
              { value: 'disabled', label: 'Disabled' },
            ]}
          />
        </Field>
        <FilterInput label="Group" value={group} onChange={(next) => change({ group: next })} />
        {mayAll && (
          <OrganizationFilter
            value={organization}
            onChange={(next) => change({ organization: next })}
          />
        )}
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Principals"
          pages={pages}
          rowId={({ id }) => id}
          columns={columnsOf((principal) => (
            <PrincipalMenu
              principal={principal}
              onAction={(action) => setDoing({ action, principal })}
            />
          ))}
          empty={
            <Empty
              title={
                text || state || organization || group
                  ? 'No principal fits these filters'
                  : 'Nobody may call yet'
              }
            >
              <p>A new key makes a principal, or gives a further key to one.</p>
            </Empty>
          }
        />
      </Card>
      {doing && <PrincipalDialogs {...doing} onClose={() => setDoing(null)} />}
    </div>
  );
}

function columnsOf(menu: (row: Principal) => ReactNode): Column<Principal>[] {
  return [
    {
      id: 'id',
      header: 'Principal',
      share: 1.7,
      sortBy: ({ name, id }) => name ?? id,
      cell: ({ id, name }) => <PrincipalName id={id} name={name} />,
    },
    {
      id: 'organization',
      header: 'Organization',
      share: 0.8,
      sortBy: ({ organization }) => organization,
      cell: ({ organization }) => organization,
    },
    {
      id: 'state',
      header: 'State',
      share: 0.9,
      sortBy: ({ state }) => state,
      cell: ({ state, builtIn, disabledByOperator, organizationDisabledAt, pushHeld }) => (
        <span className="access-badges">
          <PrincipalStateBadge state={state} />
          {organizationDisabledAt !== null && <Badge>organization disabled</Badge>}
          {disabledByOperator && <Badge>by an operator</Badge>}
          {builtIn && <Badge title="The configuration admits it.">built in</Badge>}
          {pushHeld !== null && <Badge tone="warning">webhooks held</Badge>}
        </span>
      ),
    },
    {
      id: 'groups',
      header: 'Groups',
      share: 1.2,
      minor: true,
      cell: ({ groups }) =>
        groups.length === 0 ? (
          <span className="faint">none</span>
        ) : (
          <span className="access-badges">
            {groups.map((group) => (
              <Badge key={group}>{group}</Badge>
            ))}
          </span>
        ),
    },
    {
      id: 'keys',
      header: 'Valid keys',
      align: 'end',
      share: 0.6,
      sortBy: ({ validKeys }) => validKeys,
      cell: ({ id, validKeys }) => (
        <SearchLink search={{ tab: 'keys', principal: id }}>{validKeys}</SearchLink>
      ),
    },
    {
      id: 'identity',
      header: 'Signs in at',
      share: 1.2,
      minor: true,
      cell: ({ identity }) =>
        identity === null ? (
          <span className="faint">keys only</span>
        ) : (
          <>
            {identity.issuer}{' '}
            <span className="faint">
              seen <Time at={identity.lastSeenAt} />
            </span>
          </>
        ),
    },
    {
      id: 'created',
      header: 'Created',
      share: 0.7,
      minor: true,
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    { id: 'actions', header: 'Actions', share: 0.5, align: 'end', cell: menu },
  ];
}
