import { useQuery } from '@tanstack/react-query';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { every } from '../../../api/pace';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { OrganizationFilter } from '../../../ui/organization-inputs';
import { PagedTable } from '../../../ui/paged-table';
import { Card } from '../../../ui/page';
import { Toolbar } from '../../../ui/toolbar';
import { Time } from '../../../ui/time';
import { rangeText } from '../../../ui/time-range';
import { PUSH } from '../keys';
import { useWebhookSearch } from '../search';
import { EndpointName } from '../shared/endpoint-name';
import { EndpointStateBadge, type LostOfReceiver } from '../shared/push-badges';
import { LostCard } from './lost-card';
import { latencyText } from './latency-text';
import { useLostEvents } from './lost-events';
import { ReceiverDialog } from './receiver-dialog';
import { ReceiverTiles } from './receiver-tiles';

type Endpoint = Schema<'EndpointDto'>;

/** How often the one is read whose dialog is open. */
const OPEN_MS = 5_000;
/** Of fewer attempts 95 of 100 say nothing. */
const ENOUGH_ATTEMPTS = 20;

/** The receivers of webhooks with their health: who does not answer, since when and why. */
export function ReceiversTab() {
  const [{ state, rejects, organization, id, recover }, change] = useWebhookSearch();
  const mayAll = useMay('push:all');
  const filter = {
    state: state as Endpoint['state'],
    rejects: rejects as 'true' | 'false' | undefined,
    organization,
  };
  const pages = usePages<Endpoint>([PUSH, 'endpoints', filter], (cursor, signal) =>
    client.GET('/api/v1/push/endpoints', {
      params: { query: { limit: PAGE_ROWS, cursor, ...filter } },
      signal,
    }),
  );
  const listed = pages.rows.find((row) => idOf(row) === id);
  // Read by itself: it may not be in the list, or leave it while its dialog is open, when it is far behind or does not fit the filters.
  const alone = useQuery({
    queryKey: [PUSH, 'endpoint', id],
    queryFn: ({ signal }) => readEndpoint(id!, signal),
    enabled: id !== undefined,
    refetchInterval: every(OPEN_MS),
    placeholderData: listed,
  });
  const lostEvents = useLostEvents();
  const { lost, range } = lostEvents;
  const lostBy = new Map(lost.data?.receivers.map(({ endpoint, count }) => [endpoint, count]));
  const lostOf = (row: Endpoint) => ({ count: lostBy.get(idOf(row)) ?? 0, when: rangeText(range) });
  const open = id === undefined ? undefined : alone.data;
  return (
    <div className="page">
      <ReceiverTiles lost={lost.data} range={range} />
      <LostCard {...lostEvents} />
      <Toolbar>
        <Field label="Health">
          <Select
            value={[state, rejects].filter(Boolean).join(' ')}
            onChange={({ target }) => {
              const [nextState, nextRejects] = target.value.split(' ');
              change({ state: nextState || undefined, rejects: nextRejects });
            }}
            options={[
              { value: '', label: 'All' },
              { value: 'healthy', label: 'Accepted the last attempt' },
              { value: 'untried', label: 'No attempts yet' },
              { value: 'failing', label: 'Failing or rejects events' },
              { value: 'failing false', label: 'Failing' },
              { value: 'failing true', label: 'Rejects events or webhook gone' },
              { value: 'disabled', label: 'Disabled' },
            ]}
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
          label="Receivers"
          pages={pages}
          rowId={idOf}
          selected={(row) => idOf(row) === id}
          columns={columnsOf((row) => change({ id: idOf(row) }), lostOf)}
          empty={
            state || organization ? (
              <Empty title="No receiver fits these filters">
                <button
                  type="button"
                  className="link"
                  onClick={() =>
                    change({ state: undefined, rejects: undefined, organization: undefined })
                  }
                >
                  Show all
                </button>
              </Empty>
            ) : (
              <Empty title="No receiver yet">
                <p>
                  A receiver appears here when its first event is due. Make a subscription, or set a
                  webhook on a task.
                </p>
              </Empty>
            )
          }
        />
      </Card>
      {open && (
        <ReceiverDialog
          key={idOf(open)}
          endpoint={open}
          lostIn={range}
          recovers={recover === 'true'}
          onClose={() => change({ id: undefined, recover: undefined })}
        />
      )}
    </div>
  );
}

async function readEndpoint(endpoint: string, signal: AbortSignal): Promise<Endpoint | null> {
  const query = { limit: 1, endpoint };
  const { data } = await client.GET('/api/v1/push/endpoints', { params: { query }, signal });
  return data!.items[0] ?? null;
}

function idOf({ organization, origin }: Endpoint): string {
  return `${organization} ${origin}`;
}

function columnsOf(
  open: (row: Endpoint) => void,
  lostOf: (row: Endpoint) => LostOfReceiver,
): Column<Endpoint>[] {
  return [
    {
      id: 'receiver',
      header: 'Receiver',
      share: 1.8,
      sortBy: ({ origin }) => origin,
      cell: (row) => (
        <button type="button" className="webhooks-open" onClick={() => open(row)}>
          <EndpointName {...row} />
        </button>
      ),
    },
    {
      id: 'health',
      header: 'Health',
      share: 0.9,
      sortBy: ({ state, rejects }) => `${state} ${rejects}`,
      cell: (row) => <EndpointStateBadge endpoint={row} lost={lostOf(row)} />,
    },
    {
      id: 'error',
      header: 'Last error',
      share: 1.2,
      cell: ({ lastError, lastFailureAt }) =>
        lastError === null ? (
          <span className="faint">none</span>
        ) : (
          <>
            {lastError}{' '}
            {lastFailureAt && (
              <span className="faint">
                <Time at={lastFailureAt} />
              </span>
            )}
          </>
        ),
    },
    {
      id: 'waiting',
      header: 'Waiting',
      align: 'end',
      share: 0.5,
      sortBy: ({ waiting }) => waiting,
      cell: ({ waiting }) => (waiting >= 1000 ? '1,000 or more' : waiting),
    },
    {
      id: 'median',
      header: 'Median',
      align: 'end',
      share: 0.5,
      minor: true,
      sortBy: ({ latency }) => latency?.medianMs ?? -1,
      cell: ({ latency }) => (latency ? latencyText(latency, latency.medianMs) : ''),
    },
    {
      id: 'p95',
      header: '95 of 100 within',
      align: 'end',
      share: 0.7,
      minor: true,
      sortBy: ({ latency }) => latency?.p95Ms ?? -1,
      cell: ({ latency }) =>
        latency && latency.attempts >= ENOUGH_ATTEMPTS ? latencyText(latency, latency.p95Ms) : '',
    },
    {
      id: 'failures',
      header: 'Failures in a row',
      align: 'end',
      share: 0.8,
      minor: true,
      sortBy: ({ failures }) => failures,
      cell: ({ failures, rejects }) => (rejects ? 'rejections only' : failures),
    },
    {
      id: 'success',
      header: 'Last accepted',
      share: 0.8,
      minor: true,
      sortBy: ({ lastSuccessAt }) => lastSuccessAt,
      cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} />,
    },
    {
      id: 'probe',
      header: 'Next try',
      share: 0.7,
      minor: true,
      cell: ({ nextProbeAt, breaker, waiting }) => {
        if (nextProbeAt) return <Time at={nextProbeAt} />;
        if (breaker === 'open') return 'now';
        // Each event that waits has a time of its own.
        return waiting > 0 ? <span className="webhooks-words">by its schedule</span> : '';
      },
    },
  ];
}
