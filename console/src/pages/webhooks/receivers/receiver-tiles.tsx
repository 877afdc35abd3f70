import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import { PUSH } from '../keys';

const EVERY_MS = 10_000;
const STATES = ['healthy', 'untried', 'failing', 'disabled'] as const;

/** How many receivers there are in each state. */
export function ReceiverTiles() {
  const counts = useQuery({
    queryKey: [PUSH, 'endpoint-counts'],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }) =>
      Promise.all(
        STATES.map(async (state) => {
          const { data } = await client.GET('/api/v1/push/endpoints', {
            params: { query: { limit: PAGE_ROWS, state } },
            signal,
          });
          return { state, text: `${data!.items.length}${data!.nextCursor === null ? '' : '+'}` };
        }),
      ),
  });
  if (!counts.data) return null;
  return (
    <div className="tiles">
      {counts.data.map(({ state, text }) => (
        <Link
          key={state}
          to="/webhooks"
          search={{ tab: 'receivers', state }}
          className={`tile webhooks-tile-${state} ${text === '0' ? 'webhooks-tile-none' : ''}`}
        >
          <strong>{text}</strong>
          <span>{state === 'untried' ? 'receivers not tried yet' : `${state} receivers`}</span>
        </Link>
      ))}
    </div>
  );
}
