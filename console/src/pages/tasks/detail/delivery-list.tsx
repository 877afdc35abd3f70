import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client, type Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { StateBadge } from '../../../ui/badge';
import { Loaded } from '../../../ui/feedback';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { asProblem } from '../../../api/problem';
import { AttemptList } from '../../../ui/attempt-view';
import { attemptsQuery, type Delivery, isUnderWay, useUpdateInterval } from '../deliveries';
import { refreshTask, type TaskDetail } from './task-query';

const SHOWN = 100;

export function DeliveryList({
  task,
  webhook: { configId, state },
}: {
  readonly task: TaskDetail;
  readonly webhook: Schema<'WebhookDto'>;
}) {
  const intervalOf = useUpdateInterval(task);
  const deliveries = api.useQuery(
    'get',
    '/api/v1/push/deliveries',
    { params: { query: { taskId: task.id, configId, limit: SHOWN } } },
    { refetchInterval: ({ state }) => intervalOf(state.data?.items) },
  );
  return (
    <Loaded query={deliveries}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <p className="faint">No updates so far.</p>
        ) : (
          <>
            <ol className="tasks-deliveries">
              {items
                .toSorted((a, b) => a.number - b.number)
                .map((delivery) => (
                  <DeliveryItem
                    key={delivery.id}
                    delivery={delivery}
                    isDisabled={state === 'disabled'}
                  />
                ))}
            </ol>
            {nextCursor !== null && <p className="faint">The newest {SHOWN} are shown.</p>}
          </>
        )
      }
    </Loaded>
  );
}

function DeliveryItem({
  delivery,
  isDisabled,
}: {
  readonly delivery: Delivery;
  /** Its webhook is: nothing can be sent again. */
  readonly isDisabled: boolean;
}) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const redeliver = async () => {
    setBusy(true);
    try {
      await client.POST('/api/v1/push/deliveries/{id}:redeliver', {
        params: { path: { id: delivery.id } },
      });
      notify(`Update ${delivery.number} is sent again.`);
      await refreshTask(delivery.taskId);
    } catch (thrown) {
      notify(asProblem(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="tasks-event-seq">{delivery.number}</span>
          <StateBadge state={delivery.state} />
          <span>
            {delivery.kind} {delivery.kind !== 'test' && delivery.sequence}
          </span>
          <span className="faint">
            {delivery.attempts === 1 ? '1 attempt' : `${delivery.attempts} attempts`}
            {delivery.lastStatus !== null && `, HTTP ${delivery.lastStatus}`}
            {delivery.reason !== null &&
              delivery.reason !== `HTTP ${delivery.lastStatus}` &&
              `, ${delivery.reason}`}
          </span>
          {delivery.nextAttemptAt !== null && delivery.state === 'retrying' && (
            <span className="faint">
              next <Time at={delivery.nextAttemptAt} />
            </span>
          )}
        </summary>
        {open && (
          <div className="tasks-event-body">
            <Attempts delivery={delivery} />
            {!isUnderWay(delivery) && !isDisabled && (
              <Button small busy={busy} onClick={() => void redeliver()}>
                Send again
              </Button>
            )}
          </div>
        )}
      </details>
    </li>
  );
}

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const query = useQuery({ ...attemptsQuery(delivery), placeholderData: keepPreviousData });
  return (
    <Loaded query={query}>
      {({ items, nextCursor }) => (
        <>
          <AttemptList attempts={items} />
          {nextCursor !== null && <p className="faint">The first {items.length} are shown.</p>}
        </>
      )}
    </Loaded>
  );
}
