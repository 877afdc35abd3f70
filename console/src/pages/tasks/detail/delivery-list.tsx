import { useState } from 'react';
import { api, client, type Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { StateBadge } from '../../../ui/badge';
import { Loaded } from '../../../ui/feedback';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { asProblem } from '../../../api/problem';
import { AttemptList } from './attempt-list';
import { refreshTask } from './task-query';

const FRESH_EVERY_MS = 5_000;
const SHOWN = 100;

type Delivery = Schema<'DeliveryDto'>;

export function DeliveryList({
  webhook: { taskId, configId, state },
}: {
  readonly webhook: Schema<'WebhookDto'>;
}) {
  const deliveries = api.useQuery(
    'get',
    '/api/v1/push/deliveries',
    { params: { query: { taskId, configId, limit: SHOWN } } },
    {
      refetchInterval: ({ state }) => (state.data?.items ?? []).some(isUnderWay) && FRESH_EVERY_MS,
    },
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

function isUnderWay({ state }: Delivery): boolean {
  return state === 'pending' || state === 'retrying';
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
            <AttemptList deliveryId={delivery.id} attempts={delivery.attempts} />
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
