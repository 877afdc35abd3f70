import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { Icon } from '../../../ui/icons';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Toolbar } from '../../../ui/toolbar';
import { PUSH } from '../keys';
import { useWebhookSearch } from '../search';
import { WebhookStateBadge } from '../shared/push-badges';
import { authenticationText } from '../shared/shown-authentication';
import { STATE_OPTIONS } from '../shared/state-options';
import { filterText } from './filter-text';
import { SubscriptionDialog } from './subscription-dialog';
import { SubscriptionDialogs } from './subscription-dialogs';
import { type SubscriptionAction, SubscriptionMenu } from './subscription-menu';

type Subscription = Schema<'SubscriptionDto'>;

/** Webhooks of all tasks, or of those that fit. */
export function SubscriptionsTab() {
  const [{ id, state, organization }, change] = useWebhookSearch();
  const mayAll = useMay('push:all');
  const [doing, setDoing] = useState<{
    action: SubscriptionAction;
    subscription: Subscription | null;
  } | null>(null);
  const pages = usePages<Subscription>(
    [PUSH, 'subscriptions', state, organization],
    (cursor, signal) =>
      client.GET('/api/v1/push/subscriptions', {
        params: {
          query: {
            limit: PAGE_ROWS,
            cursor,
            organization,
            state: state as Subscription['state'],
          },
        },
        signal,
      }),
  );
  const create = (
    <Button
      kind="primary"
      icon={<Icon name="plus" />}
      onClick={() => setDoing({ action: 'create', subscription: null })}
    >
      New subscription
    </Button>
  );
  const menu = (subscription: Subscription) => (
    <SubscriptionMenu
      subscription={subscription}
      onAction={(action) => setDoing({ action, subscription })}
    />
  );
  return (
    <div className="page">
      <Toolbar action={create}>
        <Field label="State">
          <Select
            value={state ?? ''}
            onChange={(event) => change({ state: event.target.value || undefined })}
            options={STATE_OPTIONS}
          />
        </Field>
        {mayAll && (
          <OrganizationFilter
            value={organization}
            onChange={(next) => change({ organization: next })}
          />
        )}
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Subscriptions"
          pages={pages}
          rowId={(row) => row.id}
          selected={(row) => row.id === id}
          columns={columnsOf((row) => change({ id: row.id }), menu)}
          empty={
            <Empty
              title={
                state || organization ? 'No subscription fits these filters' : 'No subscription yet'
              }
            >
              <p>
                A subscription tells a receiver of every task, without its clients doing anything.
              </p>
            </Empty>
          }
        />
      </Card>
      {id && !doing && (
        <SubscriptionDialog id={id} actions={menu} onClose={() => change({ id: undefined })} />
      )}
      {doing && <SubscriptionDialogs {...doing} onClose={() => setDoing(null)} />}
    </div>
  );
}

function columnsOf(
  open: (row: Subscription) => void,
  menu: (row: Subscription) => ReactNode,
): Column<Subscription>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      share: 1,
      sortBy: ({ name, id }) => name ?? id,
      cell: (row) => (
        <>
          <button type="button" className="webhooks-open" onClick={() => open(row)}>
            {row.name ?? row.id}
          </button>{' '}
          {row.source === 'config' && <Badge>declared</Badge>}
        </>
      ),
    },
    { id: 'url', header: 'Address', share: 1.5, sortBy: ({ url }) => url, cell: ({ url }) => url },
    {
      id: 'state',
      header: 'State',
      share: 0.8,
      sortBy: ({ state }) => state,
      cell: ({ state, stateReason, held }) => (
        <WebhookStateBadge state={state} reason={stateReason} held={held} />
      ),
    },
    { id: 'filter', header: 'Which tasks', share: 1.3, cell: filterText },
    {
      id: 'organization',
      header: 'Organization',
      share: 0.7,
      minor: true,
      sortBy: ({ organization }) => organization,
      cell: ({ organization }) => organization,
    },
    {
      id: 'proof',
      header: 'Proof',
      share: 0.7,
      minor: true,
      cell: (row) => authenticationText(row),
    },
    { id: 'actions', header: 'Actions', share: 0.4, align: 'end', cell: menu },
  ];
}
