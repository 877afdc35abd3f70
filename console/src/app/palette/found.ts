import { queryOptions } from '@tanstack/react-query';
import { client, queries } from '../../api/client';
import { may, type Scope } from '../../api/me';
import { ApiProblem } from '../../api/problem';
import { isMadeId } from '../../api/new-id';
import type { PageOf } from '../../api/pages';
import { readPages } from '../../api/read-pages';
import { ACCESS } from '../../pages/access/query-keys';
import { PUSH } from '../../pages/webhooks/keys';
import type { Place } from './pages';

/** Of each kind so many are shown. */
const MOST = 5;
/** So many rows of a list are looked at: more than there are rules or organizations in most hubs. */
const MOST_ROWS = 1_000;

/** What was found, and whether all was looked at: a list may be too long, or not be read just now. */
export interface Found {
  readonly places: readonly Place[];
  readonly isWhole: boolean;
}

/** What has this id, or a name with this text in it, of all that one may see. */
export async function foundBy(
  text: string,
  scopes: readonly Scope[] | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const looks = LOOKS.filter(({ scope }) => may(scopes, scope)).map(({ look }) =>
    look(text, signal, scopes).catch((thrown: unknown): Found => ({
      places: [],
      isWhole: thrown instanceof ApiProblem && thrown.status === 404,
    })),
  );
  const found = await Promise.all(looks);
  return {
    places: found.flatMap(({ places }) => places),
    isWhole: found.every(({ isWhole }) => isWhole),
  };
}

type Look = (
  text: string,
  signal: AbortSignal,
  scopes: readonly Scope[] | undefined,
) => Promise<Found>;

const LOOKS: readonly { readonly scope: Scope; readonly look: Look }[] = [
  { scope: 'tasks:organization', look: tasks },
  { scope: 'agents:organization', look: agents },
  {
    scope: 'routing',
    look: listed(
      ['routing-rules'],
      (query, signal) => client.GET('/api/v1/routes/rules', { params: { query }, signal }),
      ({ id, name }) => ({
        names: [id, name],
        place: place('Rule', name, `/routing/rules/${encodeURIComponent(id)}`),
      }),
    ),
  },
  {
    scope: 'routing',
    look: listed(
      ['get', '/api/v1/composite-skills'],
      (query, signal) => client.GET('/api/v1/composite-skills', { params: { query }, signal }),
      ({ id, name, skillId }) => ({
        names: [id, name, skillId],
        place: place(
          'Composite skill',
          name,
          `/routing/composite-skills/${encodeURIComponent(id)}`,
        ),
      }),
    ),
  },
  { scope: 'push', look: configs },
  {
    scope: 'push',
    look: listed(
      [PUSH, 'endpoints'],
      (query, signal) => client.GET('/api/v1/push/endpoints', { params: { query }, signal }),
      ({ organization, origin }) => ({
        names: [origin],
        place: within('Receiver', `${origin} of ${organization}`, '/webhooks', {
          tab: 'receivers',
          id: `${organization} ${origin}`,
        }),
      }),
    ),
  },
  { scope: 'access:organization', look: principals },
  {
    scope: 'access:organization',
    look: listed(
      [ACCESS, 'organizations'],
      (query, signal) => client.GET('/api/v1/organizations', { params: { query }, signal }),
      ({ id, displayName }) => ({
        names: [id, displayName ?? ''],
        place: within('Organization', labelOf(id, displayName), '/access', {
          tab: 'principals',
          organization: id,
        }),
      }),
    ),
  },
  {
    scope: 'access',
    look: listed(
      [ACCESS, 'policies'],
      (query, signal) => client.GET('/api/v1/policies', { params: { query }, signal }),
      ({ id, description }) => ({
        names: [id, description ?? ''],
        place: within('Policy', id, '/access', { tab: 'policies', id }),
      }),
    ),
  },
];

async function tasks(q: string, signal: AbortSignal): Promise<Found> {
  const { data } = await client.GET('/api/v1/tasks', {
    params: { query: { q, limit: 1 } },
    signal,
  });
  const first = data?.items[0];
  if (!first) return whole([]);
  const { id, contextId } = first;
  if (id === q) return whole([place('Task', id, `/tasks/${encodeURIComponent(id)}`)]);
  const list = { ...place('Tasks of', q, '/tasks'), search: { q } };
  const conversation = place('Conversation', q, `/tasks/contexts/${encodeURIComponent(q)}`);
  return whole(contextId === q ? [conversation, list] : [list]);
}

async function agents(text: string, signal: AbortSignal): Promise<Found> {
  const { data } = await client.GET('/api/v1/agents', {
    params: { query: { text, limit: MOST } },
    signal,
  });
  return whole(
    data!.items.map(({ id, name }) =>
      place('Agent', labelOf(id, name), `/agents/${encodeURIComponent(id)}`),
    ),
  );
}

async function principals(text: string, signal: AbortSignal): Promise<Found> {
  const { data } = await client.GET('/api/v1/principals', {
    params: { query: { text, limit: MOST } },
    signal,
  });
  const { items, nextCursor } = data!;
  const places = items.map(({ id, name }) =>
    within('Principal', labelOf(id, name), '/access', {
      tab: 'principals',
      text: id,
    }),
  );
  return { places, isWhole: nextCursor === null };
}

/**
 * Looks at a list that the hub does not search: it is read once while one types, {@link MOST_ROWS} rows of it, and looked through here. `key`
 * begins with what the list belongs to, so that a change of it is seen.
 */
function listed<Item extends object>(
  key: readonly string[],
  read: (
    query: { readonly limit: number; readonly cursor?: string },
    signal: AbortSignal,
  ) => Promise<{ readonly data?: PageOf<Item> }>,
  shownOf: (item: Item) => { readonly names: readonly string[]; readonly place: Place },
): Look {
  return async (text, _signal, scopes) => {
    const wanted = text.toLowerCase();
    const { rows, hasMore } = await queries.fetchQuery(
      queryOptions({
        // Another key of the same principal may see less.
        queryKey: [...key, 'palette', scopes],
        queryFn: ({ signal }) => readPages(MOST_ROWS, (query) => read(query, signal)),
        staleTime: 60_000,
      }),
    );
    const places = rows
      .map(shownOf)
      .filter(({ names }) => names.some((each) => each.toLowerCase().includes(wanted)))
      .slice(0, MOST)
      .map((shown) => shown.place);
    return { places, isWhole: !hasMore };
  };
}

async function configs(id: string, signal: AbortSignal): Promise<Found> {
  if (!isMadeId(id)) return whole([]);
  const { data } = await client.GET('/api/v1/push/configs/{id}', {
    params: { path: { id } },
    signal,
  });
  return whole(data ? [within('Webhook', id, '/webhooks', { tab: 'webhooks', id })] : []);
}

function labelOf(id: string, name: string | null): string {
  return name === null || name === '' || name === id ? id : `${name} (${id})`;
}

function whole(places: readonly Place[]): Found {
  return { places, isWhole: true };
}

/** A row of a list, which the address of the page names. */
function within(
  kind: string,
  label: string,
  to: string,
  search: Readonly<Record<string, string>>,
): Place {
  const id = `${kind} ${to} ${Object.values(search).join(' ')}`;
  return { id, kind, label, to, search };
}

function place(kind: string, label: string, to: string): Place {
  return { id: `${kind} ${to}`, kind, label, to };
}
