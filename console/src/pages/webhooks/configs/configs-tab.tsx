import { type ReactNode, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Button } from '../../../ui/button';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { FilterInput } from '../../../ui/filter-input';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { Icon } from '../../../ui/icons';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { Toolbar } from '../../../ui/toolbar';
import { TaskLink } from '../../../ui/task-link';
import { PrincipalName } from '../../../ui/principal-name';
import { Time } from '../../../ui/time';
import { PUSH } from '../keys';
import { useWebhookSearch } from '../search';
import { WebhookStateBadge } from '../shared/push-badges';
import { STATE_OPTIONS } from '../shared/state-options';
import { authenticationText } from '../shared/shown-authentication';
import { type ConfigAction, ConfigMenu } from './config-actions';
import { ConfigDialog } from './config-dialog';
import { ConfigDialogs } from './config-dialogs';

type Webhook = Schema<'WebhookDto'>;

/** The webhooks of single tasks, those that subscriptions made among them. */
export function ConfigsTab() {
  const [search, change] = useWebhookSearch();
  const { id, task, state, endpoint, organization, subscription } = search;
  const mayAll = useMay('push:all');
  const [doing, setDoing] = useState<Doing | null>(null);
  const query = { taskId: task, endpoint, organization, subscriptionId: subscription };
  const pages = usePages<Webhook>([PUSH, 'configs', query, state], (cursor, signal) =>
    client.GET('/api/v1/push/configs', {
      params: {
        query: { limit: PAGE_ROWS, cursor, ...query, state: state as Webhook['state'] },
      },
      signal,
    }),
  );
  const isFiltered = [task, state, endpoint, organization, subscription].some(Boolean);
  const menu = (webhook: Webhook) => (
    <ConfigMenu webhook={webhook} onAction={(action) => setDoing({ action, webhook })} />
  );
  return (
    <div className="page">
      <Toolbar
        action={
          <Button
            kind="primary"
            icon={<Icon name="plus" />}
            onClick={() => setDoing({ action: 'create', webhook: null })}
          >
            Set a webhook
          </Button>
        }
      >
        <Field label="State">
          <Select
            value={state ?? ''}
            onChange={(event) => change({ state: event.target.value || undefined })}
            options={STATE_OPTIONS}
          />
        </Field>
        <FilterInput label="Task" value={task} onChange={(next) => change({ task: next })} />
        <FilterInput
          label="Receiver"
          placeholder="https://hooks.example"
          value={endpoint}
          onChange={(next) => change({ endpoint: next })}
        />
        <FilterInput
          label="Subscription"
          value={subscription}
          onChange={(next) => change({ subscription: next })}
        />
        {mayAll && (
          <OrganizationFilter
            value={organization}
            onChange={(next) => change({ organization: next })}
          />
        )}
      </Toolbar>
      <Card flush>
        <PagedTable
          label="Webhooks of tasks"
          pages={pages}
          rowId={(row) => row.id}
          selected={(row) => row.id === id}
          columns={columnsOf((row) => change({ id: row.id }), menu)}
          empty={
            <Empty title={isFiltered ? 'No webhook fits these filters' : 'No task has a webhook'}>
              <p>Clients set them with their messages; a subscription sets one on each task.</p>
            </Empty>
          }
        />
      </Card>
      {id && !doing && (
        <ConfigDialog id={id} actions={menu} onClose={() => change({ id: undefined })} />
      )}
      {doing && <ConfigDialogs {...doing} onClose={() => setDoing(null)} />}
    </div>
  );
}

interface Doing {
  readonly action: ConfigAction | 'create';
  readonly webhook: Webhook | null;
}

function columnsOf(
  open: (row: Webhook) => void,
  menu: (row: Webhook) => ReactNode,
): Column<Webhook>[] {
  return [
    {
      id: 'url',
      header: 'Address',
      share: 1.8,
      sortBy: ({ url }) => url,
      cell: (row) => (
        <button type="button" className="webhooks-open" onClick={() => open(row)}>
          {row.url}
        </button>
      ),
    },
    {
      id: 'state',
      header: 'State',
      share: 0.9,
      sortBy: ({ state }) => state,
      cell: ({ state, stateReason, held }) => (
        <WebhookStateBadge state={state} reason={stateReason} held={held} />
      ),
    },
    { id: 'task', header: 'Task', share: 0.9, cell: ({ taskId }) => <TaskLink id={taskId} /> },
    {
      id: 'by',
      header: 'Set by',
      share: 1,
      minor: true,
      cell: ({ owner, ownerName, organization, subscriptionId }) => (
        <>
          {subscriptionId ? 'a subscription' : <PrincipalName short id={owner} name={ownerName} />}{' '}
          <span className="faint">{organization}</span>
        </>
      ),
    },
    {
      id: 'proof',
      header: 'Proof',
      share: 0.9,
      minor: true,
      cell: (row) => authenticationText(row),
    },
    {
      id: 'created',
      header: 'Created',
      share: 0.6,
      minor: true,
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    { id: 'actions', header: 'Actions', share: 0.4, align: 'end', cell: menu },
  ];
}
