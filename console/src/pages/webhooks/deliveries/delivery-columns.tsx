import type { Schema } from '../../../api/client';
import type { Column } from '../../../ui/data-table';
import { TaskLink } from '../../../ui/task-link';
import { Time } from '../../../ui/time';
import { EndpointName, partsOfEndpoint } from '../shared/endpoint-name';
import { DeliveryStateBadge } from '../shared/push-badges';

type Delivery = Schema<'DeliveryDto'>;

/** The columns of deliveries, of which the first opens one. */
export function deliveryColumns(open: (row: Delivery) => void): Column<Delivery>[] {
  return [
    {
      id: 'created',
      header: 'Created',
      share: 0.9,
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
      share: 0.8,
      sortBy: ({ state }) => state,
      cell: ({ state }) => <DeliveryStateBadge state={state} />,
    },
    {
      id: 'receiver',
      header: 'Receiver',
      share: 1.7,
      sortBy: ({ endpoint }) => endpoint,
      cell: ({ endpoint }) => <EndpointName {...partsOfEndpoint(endpoint)} />,
    },
    {
      id: 'task',
      header: 'Task',
      cell: ({ taskId }) => <TaskLink id={taskId} />,
    },
    {
      id: 'what',
      header: 'What',
      share: 0.8,
      minor: true,
      cell: ({ kind, number }) => (
        <>
          {kind} <span className="faint">no. {number}</span>
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
      share: 1.8,
      cell: ({ reason, nextAttemptAt, state }) => (
        <>
          {reason}{' '}
          {state === 'retrying' && nextAttemptAt && (
            <span className="faint">
              next <Time at={nextAttemptAt} />
            </span>
          )}
        </>
      ),
    },
  ];
}
