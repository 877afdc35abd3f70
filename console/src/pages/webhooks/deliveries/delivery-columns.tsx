import type { Schema } from '../../../api/client';
import { StateBadge } from '../../../ui/badge';
import type { Column } from '../../../ui/data-table';
import { TaskLink } from '../../../ui/task-link';
import { Time, useNow } from '../../../ui/time';
import { EndpointName, partsOfEndpoint } from '../shared/endpoint-name';

type Delivery = Schema<'DeliveryDto'>;

/** The columns of dead letters, of which the first opens one. */
export function deadLetterColumns(open: (row: Delivery) => void): Column<Delivery>[] {
  return deliveryColumns(open).map((column) =>
    column.id === 'state'
      ? {
          id: 'given-up',
          header: 'Given up',
          share: 0.7,
          sortBy: ({ updatedAt }) => updatedAt,
          cell: ({ updatedAt }) => <Time at={updatedAt} />,
        }
      : column,
  );
}

/** The columns of deliveries, of which the first opens one. */
export function deliveryColumns(open: (row: Delivery) => void): Column<Delivery>[] {
  return [
    {
      id: 'created',
      header: 'Created',
      share: 0.7,
      sortBy: ({ createdAt }) => createdAt,
      cell: (row) => (
        <button type="button" className="webhooks-open" onClick={() => open(row)}>
          <Time at={row.createdAt} />
        </button>
      ),
    },
    {
      id: 'state',
      header: 'State',
      share: 0.6,
      sortBy: ({ state }) => state,
      cell: ({ state }) => <StateBadge state={state} />,
    },
    {
      id: 'receiver',
      header: 'Receiver',
      share: 1.4,
      sortBy: ({ endpoint }) => endpoint,
      cell: ({ endpoint }) => <EndpointName {...partsOfEndpoint(endpoint)} />,
    },
    {
      id: 'task',
      header: 'Task',
      share: 0.9,
      cell: ({ taskId }) => <TaskLink id={taskId} />,
    },
    {
      id: 'what',
      header: 'What',
      share: 0.7,
      minor: true,
      cell: ({ kind, number }) => (
        <>
          {kind} <span className="faint webhooks-number">no. {number}</span>
        </>
      ),
    },
    {
      id: 'attempts',
      header: 'Attempts',
      align: 'end',
      share: 0.6,
      minor: true,
      sortBy: ({ attempts }) => attempts,
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'reason',
      header: 'Why',
      share: 1.3,
      cell: ({ reason, nextAttemptAt, state }) => (
        <>
          {reason} {state === 'retrying' && nextAttemptAt && <NextAttempt at={nextAttemptAt} />}
        </>
      ),
    },
  ];
}

/** While the breaker of its receiver is open, a delivery waits beyond its own schedule. */
function NextAttempt({ at }: { readonly at: string }) {
  const isDue = Date.parse(at) <= useNow();
  return (
    <span className="faint">
      {isDue ? (
        'waits for its receiver'
      ) : (
        <>
          next <Time at={at} />
        </>
      )}
    </span>
  );
}
