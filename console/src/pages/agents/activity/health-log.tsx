import { api, type Schema } from '../../../api/client';
import { BreakerBadge, HealthBadge } from '../../../ui/agent-badges';
import { type Column, DataTable } from '../../../ui/data-table';
import { Empty, ErrorView, Loading } from '../../../ui/feedback';
import { Time } from '../../../ui/time';

const PAGE = 50;
const REFRESH_MS = 10_000;

type Change = Schema<'AgentEventDto'>;

const COLUMNS: readonly Column<Change>[] = [
  { id: 'at', header: 'When', share: 0.8, cell: ({ at }) => <Time at={at} /> },
  {
    id: 'became',
    header: 'Became',
    cell: ({ health, breaker }) => (
      <span className="agents-badges">
        <HealthBadge health={health} />
        <BreakerBadge breaker={breaker} />
      </span>
    ),
  },
  {
    id: 'before',
    header: 'Before',
    minor: true,
    cell: ({ before }) => (
      <span className="faint">
        {before['health']}
        {before['breaker'] !== 'closed' && `, breaker ${before['breaker']}`}
      </span>
    ),
  },
  {
    id: 'error',
    header: 'Last error',
    share: 3,
    cell: ({ lastError }) => lastError ?? <span className="faint">none</span>,
  },
];

/** How the health of an agent changed, newest first. */
export function HealthLog({ agentId }: { readonly agentId: string }) {
  const log = api.useInfiniteQuery(
    'get',
    '/api/v1/agents/events/log',
    { params: { query: { agentId, limit: PAGE } } },
    {
      pageParamName: 'cursor',
      initialPageParam: null,
      getNextPageParam: ({ nextCursor }: Schema<'AgentEventPageDto'>) => nextCursor,
      refetchInterval: REFRESH_MS,
    },
  );
  if (log.data === undefined) {
    return log.error ? (
      <ErrorView error={log.error} onRetry={() => void log.refetch()} />
    ) : (
      <div className="card-body">
        <Loading />
      </div>
    );
  }
  return (
    <DataTable
      label="Changes of its health"
      columns={COLUMNS}
      rows={log.data.pages.flatMap(({ items }) => items)}
      rowId={({ id }) => id}
      hasMore={log.hasNextPage}
      loadingMore={log.isFetchingNextPage}
      onMore={() => void log.fetchNextPage()}
      empty={
        <Empty title="Nothing has changed since this process of the hub started">
          Older changes are in the log of the hub and, by the minute, under Overview.
        </Empty>
      }
    />
  );
}
