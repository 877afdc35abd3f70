import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { BreakerBadge, HealthBadge } from '../../../ui/agent-badges';
import type { Column } from '../../../ui/data-table';
import { Empty } from '../../../ui/feedback';
import { PagedTable } from '../../../ui/paged-table';
import { Time } from '../../../ui/time';

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
  const pages = usePages(['agents', agentId, 'log'], (cursor, signal) =>
    client.GET('/api/v1/agents/events/log', {
      params: { query: { agentId, limit: PAGE_ROWS, ...(cursor && { cursor }) } },
      signal,
    }),
  );
  return (
    <PagedTable
      label="Changes of its health"
      columns={COLUMNS}
      pages={pages}
      rowId={({ id }) => id}
      empty={
        <Empty title="Nothing has changed since this process of the hub started">
          Older changes are in the log of the hub and, by the minute, under Overview.
        </Empty>
      }
    />
  );
}
