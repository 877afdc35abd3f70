import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, type PageOf } from '../../../api/pages';
import { every } from '../../../api/pace';
import type { TimeRange } from '../../../api/time-span';
import { rangeText } from '../../../ui/time-range';
import { PUSH } from '../keys';
import type { WebhookSearch } from '../search';

const EVERY_MS = 10_000;
/** Those that reject events fail, but the overview says how many fail otherwise. */
const FILTERS = {
  healthy: { state: 'healthy' },
  untried: { state: 'untried' },
  failing: { state: 'failing', rejects: 'false' },
  rejecting: { state: 'failing', rejects: 'true' },
  disabled: { state: 'disabled' },
} as const;

type Name = keyof typeof FILTERS;
type Receiver = Schema<'EndpointDto'>;
type Lists = Readonly<Record<Name, PageOf<Receiver>>>;

interface Tile {
  readonly label: string;
  readonly tone: string;
  readonly count: number;
  /** There are more. */
  readonly isLeast: boolean;
  readonly search: WebhookSearch;
}

/** How many receivers are in which trouble, or in none: each counted once, as the overview counts them. */
export function ReceiverTiles({
  lost,
  range,
}: {
  readonly lost: Schema<'LostEventsDto'> | undefined;
  readonly range: TimeRange;
}) {
  const lists = useQuery({
    queryKey: [PUSH, 'endpoint-counts'],
    refetchInterval: every(EVERY_MS),
    queryFn: ({ signal }) => readLists(signal),
  });
  if (!lists.data || !lost) return null;
  return (
    <div className="tiles">
      {tilesOf(lists.data, lost, range).map(({ label, tone, count, isLeast, search }) => (
        <Link
          key={label}
          to="/webhooks"
          search={search}
          className={`tile webhooks-tile-${tone} ${count === 0 ? 'webhooks-tile-none' : ''}`}
        >
          <strong>{`${count}${isLeast ? '+' : ''}`}</strong>
          <span>{label}</span>
        </Link>
      ))}
    </div>
  );
}

/** Of a hub with few receivers all at once. */
async function readLists(signal: AbortSignal): Promise<Lists> {
  const read = async (filter: object): Promise<PageOf<Receiver>> => {
    const query = { limit: PAGE_ROWS, ...filter };
    const { data } = await client.GET('/api/v1/push/endpoints', { params: { query }, signal });
    return data!;
  };
  const all = await read({});
  const list = (name: Name) =>
    all.nextCursor === null ? fitting(all.items, FILTERS[name]) : read(FILTERS[name]);
  const [healthy, untried, failing, rejecting, disabled] = await Promise.all([
    list('healthy'),
    list('untried'),
    list('failing'),
    list('rejecting'),
    list('disabled'),
  ]);
  return { healthy, untried, failing, rejecting, disabled };
}

function fitting(
  items: readonly Receiver[],
  { state, rejects }: { readonly state: string; readonly rejects?: string },
): PageOf<Receiver> {
  const isMeant = (each: Receiver) =>
    each.state === state && (rejects === undefined || String(each.rejects) === rejects);
  return { items: items.filter(isMeant), nextCursor: null };
}

function tilesOf(lists: Lists, lost: Schema<'LostEventsDto'>, range: TimeRange): readonly Tile[] {
  const losing = new Set(lost.receivers.map(({ endpoint }) => endpoint));
  const isLosing = ({ organization, origin }: Receiver) => losing.has(`${organization} ${origin}`);
  const isNotLosing = (each: Receiver) => !isLosing(each);
  const tile = (
    label: string,
    tone: string,
    names: readonly Name[],
    isMeant: (each: Receiver) => boolean = () => true,
  ): Tile => ({
    ...{ label, tone },
    count: names.flatMap((name) => lists[name].items).filter(isMeant).length,
    isLeast: names.some((name) => lists[name].nextCursor !== null),
    search: {
      ...{ tab: 'receivers', ...range },
      ...(names.length === 1 && FILTERS[names[0]!]),
    },
  });
  return [
    tile('healthy receivers', 'healthy', ['healthy'], isNotLosing),
    tile('receivers not tried yet', 'untried', ['untried'], isNotLosing),
    tile(
      `receivers that lost events, but do not fail now (${rangeText(range)})`,
      'failing',
      ['healthy', 'untried'],
      isLosing,
    ),
    tile('failing receivers', 'failing', ['failing']),
    tile('receivers with a webhook gone', 'failing', ['rejecting'], ({ gone }) => gone),
    tile('receivers that reject events', 'failing', ['rejecting'], ({ gone }) => !gone),
    tile('disabled receivers', 'disabled', ['disabled']),
  ];
}
