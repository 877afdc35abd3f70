import { api } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { Loaded } from '../../../ui/feedback';
import { durationText, Time } from '../../../ui/time';

/** Each try to deliver one update. `attempts` is how many there are by now. */
export function AttemptList({
  deliveryId,
  attempts,
}: {
  readonly deliveryId: string;
  readonly attempts: number;
}) {
  const query = api.useQuery(
    'get',
    '/api/v1/push/deliveries/{id}/attempts',
    { params: { path: { id: deliveryId }, query: { limit: 100 } } },
    { refetchInterval: ({ state }) => (state.data?.items.length ?? 0) < attempts && 1_000 },
  );
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="faint">Not tried yet.</p>
        ) : (
          <ol className="tasks-attempts">
            {items.map(({ number, at, durationMs, status, error, response }) => (
              <li key={number}>
                <span className="tasks-event-seq">{number}</span>
                <Badge tone={status !== null && status < 300 ? 'good' : 'bad'}>
                  {status === null ? (error ?? 'no answer') : `HTTP ${status}`}
                </Badge>
                <Time at={at} />
                <span className="faint">{durationText(durationMs)}</span>
                {response && <code>{response}</code>}
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
