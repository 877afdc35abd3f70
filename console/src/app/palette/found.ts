import { queryOptions } from '@tanstack/react-query';
import { client, queries } from '../../api/client';
import { may, type Scope } from '../../api/me';
import { isMadeId } from '../../api/new-id';
import { readPages } from '../../api/read-pages';
import type { Place } from './pages';

/** Of each kind so many are shown. */
const MOST = 5;
/** How many rules there are at most: those of the API and those of the configuration file. */
const RULES = 1_000;

/** What there is with this id, of all that one may see. What cannot be read is left out. */
export async function foundBy(
  text: string,
  scopes: readonly Scope[] | undefined,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const looks = LOOKS.filter(({ scope }) => may(scopes, scope)).map(({ look }) =>
    look(text, signal).catch((): readonly Place[] => []),
  );
  return (await Promise.all(looks)).flat();
}

type Look = (text: string, signal: AbortSignal) => Promise<readonly Place[]>;

const LOOKS: readonly { readonly scope: Scope; readonly look: Look }[] = [
  { scope: 'tasks:organization', look: tasks },
  { scope: 'agents:organization', look: agents },
  { scope: 'routing', look: rules },
  { scope: 'push', look: configs },
];

async function tasks(q: string, signal: AbortSignal): Promise<readonly Place[]> {
  const { data } = await client.GET('/api/v1/tasks', {
    params: { query: { q, limit: 1 } },
    signal,
  });
  const first = data?.items[0];
  if (!first) return [];
  const { id, contextId } = first;
  if (id === q) return [place('Task', id, `/tasks/${encodeURIComponent(id)}`)];
  const list = { ...place('Tasks of', q, '/tasks'), search: { q } };
  return contextId === q
    ? [place('Conversation', q, `/tasks/contexts/${encodeURIComponent(q)}`), list]
    : [list];
}

async function agents(text: string, signal: AbortSignal): Promise<readonly Place[]> {
  const { data } = await client.GET('/api/v1/agents', {
    params: { query: { text, limit: MOST } },
    signal,
  });
  return (data?.items ?? []).map(({ id, name }) =>
    place('Agent', name === id ? id : `${name} (${id})`, `/agents/${encodeURIComponent(id)}`),
  );
}

async function rules(text: string): Promise<readonly Place[]> {
  const wanted = text.toLowerCase();
  const { rows } = await queries.fetchQuery(ALL_RULES);
  return rows
    .filter(({ id, name }) => id === text || name.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map(({ id, name }) => place('Rule', name, `/routing/rules/${encodeURIComponent(id)}`));
}

/** Read once while one types: rules are found here, by any part of their name. */
const ALL_RULES = queryOptions({
  queryKey: ['routing-rules', 'palette'],
  queryFn: ({ signal }) =>
    readPages(RULES, (query) => client.GET('/api/v1/routes/rules', { params: { query }, signal })),
  staleTime: 60_000,
});

async function configs(id: string, signal: AbortSignal): Promise<readonly Place[]> {
  if (!isMadeId(id)) return [];
  const { data } = await client.GET('/api/v1/push/configs/{id}', {
    params: { path: { id } },
    signal,
  });
  if (!data) return [];
  return [{ ...place('Webhook', id, '/webhooks'), search: { tab: 'webhooks', id } }];
}

function place(kind: string, label: string, to: string): Place {
  return { id: `${kind} ${to}`, kind, label, to };
}
