import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../../api/client';
import { PAGE_ROWS } from '../../../api/pages';
import { PUSH } from '../keys';

const EVERY_MS = 10_000;
/** Those that reject events fail, but the overview says how many fail otherwise. */
const TILES = [
  { state: 'healthy', label: 'healthy receivers' },
  { state: 'untried', label: 'receivers not tried yet' },
  { state: 'failing', rejects: 'false', label: 'failing receivers' },
  { state: 'failing', rejects: 'true', label: 'receivers that reject events' },
  { state: 'disabled', label: 'disabled receivers' },
] as const;

/** How many receivers there are in each state. */
export function ReceiverTiles() {
  const counts = useQuery({
    queryKey: [PUSH, 'endpoint-counts'],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }) =>
      Promise.all(
        TILES.map(async ({ label, ...filter }) => {
          const { data } = await client.GET('/api/v1/push/endpoints', {
            params: { query: { limit: PAGE_ROWS, ...filter } },
            signal,
          });
          return {
            label,
            filter,
            text: `${data!.items.length}${data!.nextCursor === null ? '' : '+'}`,
          };
        }),
      ),
  });
  if (!counts.data) return null;
  return (
    <div className="tiles">
      {counts.data.map(({ label, filter, text }) => (
        <Link
          key={label}
          to="/webhooks"
          search={{ tab: 'receivers', ...filter }}
          className={`tile webhooks-tile-${filter.state} ${text === '0' ? 'webhooks-tile-none' : ''}`}
        >
          <strong>{text}</strong>
          <span>{label}</span>
        </Link>
      ))}
    </div>
  );
}
