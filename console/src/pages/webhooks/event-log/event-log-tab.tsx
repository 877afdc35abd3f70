import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Badge, type Tone } from '../../../ui/badge';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { FilterInput } from '../../../ui/filter-input';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { Card } from '../../../ui/page';
import { PagedTable } from '../../../ui/paged-table';
import { TaskLink } from '../../../ui/task-link';
import { Time } from '../../../ui/time';
import { Toolbar } from '../../../ui/toolbar';
import { TimeRangeField } from '../../../ui/time-range';
import { PUSH } from '../keys';
import { useWebhookSearch } from '../search';
import { EndpointName } from '../shared/endpoint-name';
import { SearchLink } from '../shared/search-link';

type PushEvent = Schema<'PushEventDto'>;

const TYPES: Readonly<Record<PushEvent['type'], { readonly text: string; readonly tone: Tone }>> = {
  'endpoint.failing': { text: 'receiver failing', tone: 'warning' },
  'endpoint.disabled': { text: 'receiver disabled', tone: 'bad' },
  'endpoint.recovered': { text: 'receiver recovered', tone: 'good' },
  'webhook.disabled': { text: 'webhook disabled', tone: 'bad' },
};

/** When receivers failed, recovered and were given up. */
export function EventLogTab() {
  const [search, change] = useWebhookSearch();
  const { type, organization, endpoint } = search;
  const mayAll = useMay('push:all');
  const query = { type: type as PushEvent['type'], organization };
  const pages = usePages<PushEvent>(
    [PUSH, 'event-log', query],
    (cursor, signal, span) =>
      client.GET('/api/v1/push/event-log', {
        params: { query: { limit: PAGE_ROWS, cursor, ...span, ...query } },
        signal,
      }),
    { range: search },
  );
  const wanted = endpoint?.split(' ').at(-1);
  const rows = pages.rows.filter(({ origin }) => !wanted || origin.includes(wanted));
  return (
    <div className="page">
      <Toolbar>
        <TimeRangeField value={search} onChange={change} />
        <Field label="What">
          <Select
            value={type ?? ''}
            onChange={(event) => change({ type: event.target.value || undefined })}
            options={[
              { value: '', label: 'All' },
              ...Object.entries(TYPES).map(([value, { text }]) => ({ value, label: text })),
            ]}
          />
        </Field>
        <FilterInput
          label="Receiver"
          placeholder="https://hooks.example"
          value={endpoint}
          onChange={(next) => change({ endpoint: next })}
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
          label="Event log"
          pages={{ ...pages, rows, data: pages.data && rows }}
          rowId={({ id }) => id}
          columns={COLUMNS}
          empty={
            <Empty title="Nothing happened">
              <p>Here stands when a receiver fails, is disabled or answers again.</p>
            </Empty>
          }
        />
      </Card>
    </div>
  );
}

const COLUMNS: Column<PushEvent>[] = [
  {
    id: 'at',
    header: 'When',
    share: 0.7,
    sortBy: ({ at }) => at,
    cell: ({ at }) => <Time at={at} />,
  },
  {
    id: 'type',
    header: 'What',
    share: 1,
    sortBy: ({ type }) => type,
    cell: ({ type }) => <Badge tone={TYPES[type].tone}>{TYPES[type].text}</Badge>,
  },
  {
    id: 'receiver',
    header: 'Receiver',
    share: 1.5,
    sortBy: ({ origin }) => origin,
    cell: ({ origin, organization }) => (
      <SearchLink search={{ tab: 'receivers', id: `${organization} ${origin}` }}>
        <EndpointName origin={origin} organization={organization} />
      </SearchLink>
    ),
  },
  {
    id: 'reason',
    header: 'Why',
    share: 1.6,
    cell: ({ reason, since }) => (
      <>
        {reason}{' '}
        {since && (
          <span className="faint">
            every attempt since <Time at={since} />
          </span>
        )}
      </>
    ),
  },
  {
    id: 'task',
    header: 'Task',
    share: 0.9,
    minor: true,
    cell: ({ taskId }) => (taskId ? <TaskLink id={taskId} /> : ''),
  },
];
