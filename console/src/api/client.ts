import { QueryClient } from '@tanstack/react-query';
import createClient, { type Middleware } from 'openapi-fetch';
import createQueries from 'openapi-react-query';
import { connectionFound, connectionLost } from './connection';
import { authenticationHeaders } from './credential';
import { acceptedAge, noteOwnChange } from './own-changes';
import { noteLoad } from './pace';
import { HUB_URL } from './place';
import { asProblem, problemOf } from './problem';
import type { components, paths } from './schema';
import { noteSessionEnd } from './session-end';

/** What the hub's documents call by these names: `Schema<'TaskDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

const authenticated: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authenticationHeaders())) {
      request.headers.set(name, value);
    }
    const age = acceptedAge();
    if (request.method !== 'GET') noteOwnChange();
    else if (age !== undefined && !request.headers.has('Cache-Control')) {
      request.headers.set('Cache-Control', age);
    }
    return request;
  },
  async onResponse({ request, response }) {
    connectionFound();
    noteLoad(response);
    if (request.method !== 'GET') noteOwnChange();
    if (response.ok) return;
    noteSessionEnd(response);
    throw await problemOf(response);
  },
  onError({ error }) {
    // Whoever gave up the wait has lost nothing.
    if (!(error instanceof DOMException)) connectionLost();
  },
};

/** The admin API, typed by its OpenAPI document. Errors are thrown, as `ApiProblem` or what `fetch` throws. */
export const client = createClient<paths>({ baseUrl: HUB_URL.href.replace(/\/$/, '') });
client.use(authenticated);

/** The same for components: `api.useQuery('get', '/api/v1/tasks', { params: { query } })`. */
export const api = createQueries(client);

/** How long an answer is taken as new, in milliseconds. */
const FRESH_MS = 2_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // What was refused is refused again; a hub that is away comes back.
      retry: (_count, thrown) => asProblem(thrown).isUnreachable,
      retryDelay: (count) => Math.min(1000 * 2 ** count, 15_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
