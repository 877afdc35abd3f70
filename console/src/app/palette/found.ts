import { type InfiniteData, queryOptions } from '@tanstack/react-query';
import { client, queries } from '../../api/client';
import { may, type Scope } from '../../api/me';
import { ApiProblem } from '../../api/problem';
import { isMadeId } from '../../api/new-id';
import type { PageOf } from '../../api/pages';
import { readPages } from '../../api/read-pages';
import { ACCESS } from '../../pages/access/query-keys';
import { PUSH } from '../../pages/webhooks/keys';
import { partsOfShortened } from '../../ui/shortened';
import type { Place } from './pages';

/** Of each kind so many are shown. */
export const MOST = 5;
/** Of a list that the hub searches so many are read: those that are called so come first. */
const MOST_READ = 50;
/** So many rows of a list are looked at: more than there are rules or organizations in most hubs. */
const MOST_ROWS = 1_000;

/** What was found, and whether all was looked at: a list may be too long, or not be read just now. */
export interface Found {
  readonly places: readonly Place[];
  readonly isWhole: boolean;
  /** Of which kinds more was found than is shown. */
  readonly more: readonly More[];
}

/** What was found of one kind: `260 agents`. */
export interface More {
  readonly what: string;
  readonly count: number;
  /** There are more than that. */
  readonly isLeast: boolean;
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
      more: [],
    })),
  );
  const found = await Promise.all(looks);
  return {
    places: found.flatMap(({ places }) => places),
    isWhole: found.every(({ isWhole }) => isWhole),
    more: found.flatMap(({ more }) => more),
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
      'rules',
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
      'composite skills',
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
      'receivers',
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
      'organizations',
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
      'policies',
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
  if (partsOfShortened(q)) return whole(loadedTasks(q));
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

/** Of the tasks in lists that were read, those of a shortened id, and their conversations. */
function loadedTasks(text: string): readonly Place[] {
  const has = matcherOf(text);
  const rows = loadedRows<{ readonly id: string; readonly contextId: string }>(['tasks', 'list']);
  const ids = new Set(rows.map(({ id }) => id).filter(has));
  const contextIds = new Set(rows.map(({ contextId }) => contextId).filter(has));
  return [
    ...[...ids].map((id) => place('Task', id, `/tasks/${encodeURIComponent(id)}`)),
    ...[...contextIds].map((id) =>
      place('Conversation', id, `/tasks/contexts/${encodeURIComponent(id)}`),
    ),
  ];
}

/** The rows of the lists of this key that were read and are kept. */
function loadedRows<Row>(queryKey: readonly string[]): readonly Row[] {
  return queries
    .getQueriesData<InfiniteData<PageOf<Row>>>({ queryKey })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? []);
}

/** Whether a name has the text in it; of a shortened id, whether it begins and ends so. */
function matcherOf(text: string): (name: string) => boolean {
  const parts = partsOfShortened(text);
  const wanted = text.toLowerCase();
  return (name) => {
    const lower = name.toLowerCase();
    return parts
      ? lower.startsWith(parts.begin) && lower.endsWith(parts.end)
      : lower.includes(wanted);
  };
}

async function agents(text: string, signal: AbortSignal): Promise<Found> {
  const { data } = await client.GET('/api/v1/agents', {
    params: { query: { text: searchOf(text), limit: MOST_READ } },
    signal,
  });
  const { items, nextCursor } = data!;
  const found = ofShortened(
    text,
    items.map(({ id, name }) => ({
      names: [id, name],
      place: place('Agent', labelOf(id, name), `/agents/${encodeURIComponent(id)}`),
    })),
  );
  return { ...bestOf('agents', text, found, nextCursor !== null), isWhole: true };
}

async function principals(text: string, signal: AbortSignal): Promise<Found> {
  const { data } = await client.GET('/api/v1/principals', {
    params: { query: { text: searchOf(text), limit: MOST_READ } },
    signal,
  });
  const { items, nextCursor } = data!;
  const found = ofShortened(
    text,
    items.map(({ id, name, organization }) => ({
      names: [id, name ?? ''],
      place: within('Principal', `${labelOf(id, name)}, ${organization}`, '/access', {
        tab: 'principals',
        text: id,
      }),
    })),
  );
  const best = bestOf('principals', text, found, items.length === MOST_READ);
  // One page of the hub may be short where not all were looked at.
  return { ...best, isWhole: nextCursor === null || items.length === MOST_READ };
}

/**
 * Looks at a list that the hub does not search: it is read once while one types, {@link MOST_ROWS} rows of it, and looked through here. `key`
 * begins with what the list belongs to, so that a change of it is seen.
 */
function listed<Item extends object>(
  what: string,
  key: readonly string[],
  read: (
    query: { readonly limit: number; readonly cursor?: string },
    signal: AbortSignal,
  ) => Promise<{ readonly data?: PageOf<Item> }>,
  shownOf: (item: Item) => Named,
): Look {
  return async (text, _signal, scopes) => {
    const { rows, hasMore } = await queries.fetchQuery(
      queryOptions({
        // Another key of the same principal may see less.
        queryKey: [...key, 'palette', scopes],
        queryFn: ({ signal }) => readPages(MOST_ROWS, (query) => read(query, signal)),
        staleTime: 60_000,
      }),
    );
    const found = rows.map(shownOf).filter(({ names }) => names.some(matcherOf(text)));
    return { ...bestOf(what, text, found, false), isWhole: !hasMore };
  };
}

/** Of a shortened id, those that begin and end so; of any other text all that the hub has found for it. */
function ofShortened(text: string, found: readonly Named[]): readonly Named[] {
  if (!partsOfShortened(text)) return found;
  return found.filter(({ names }) => names.some(matcherOf(text)));
}

/** A place, and what it is called. */
interface Named {
  readonly names: readonly string[];
  readonly place: Place;
}

/** Those that are called so come first, then those whose name begins so. `isLeast`: there are more than these. */
function bestOf(
  what: string,
  text: string,
  found: readonly Named[],
  isLeast: boolean,
): Pick<Found, 'places' | 'more'> {
  const wanted = text.toLowerCase();
  const rank = ({ names }: Named) =>
    Math.min(
      ...names.map((each) => {
        const name = each.toLowerCase();
        return name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2;
      }),
    );
  const best = found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST);
  return {
    places: best.map((each) => each.place),
    more: best.length < found.length ? [{ what, count: found.length, isLeast }] : [],
  };
}

async function configs(id: string, signal: AbortSignal): Promise<Found> {
  if (partsOfShortened(id)) {
    const ids = loadedRows<{ readonly id: string }>([PUSH, 'configs']).map((row) => row.id);
    return whole([...new Set(ids.filter(matcherOf(id)))].map(webhook));
  }
  if (!isMadeId(id)) return whole([]);
  const { data } = await client.GET('/api/v1/push/configs/{id}', {
    params: { path: { id } },
    signal,
  });
  return whole(data ? [webhook(id)] : []);
}

function webhook(id: string): Place {
  return within('Webhook', id, '/webhooks', { tab: 'webhooks', id });
}

/** What the hub, which knows no shortened ids, is to search. */
function searchOf(text: string): string {
  return partsOfShortened(text)?.begin ?? text;
}

function labelOf(id: string, name: string | null): string {
  return name === null || name === '' || name === id ? id : `${name} (${id})`;
}

function whole(places: readonly Place[]): Found {
  return { places, isWhole: true, more: [] };
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
