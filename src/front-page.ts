import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';
import { varyBy } from './common/http/vary.js';
import { HUB_VERSION } from './config/index.js';
import { onlyStyle, pageHeaders } from './common/http/page-headers.js';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 45rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600; margin-top: 0.75rem }
dd { margin: 0 }
`;

/** The page is text: nothing runs in it or is loaded by it. */
const HEADERS = pageHeaders(onlyStyle(STYLE));

interface Place {
  readonly at: string;
  readonly what: string;
  readonly isPage?: boolean;
}

/** Where to look, from `/`: addresses are relative, for a hub below a path of a proxy. */
const PLACES: Readonly<Record<string, Place>> = {
  agentCard: { at: '.well-known/agent-card.json', what: 'the agent card: what clients read first' },
  a2a: {
    at: 'a2a',
    what: 'A2A, for programs: POST for JSON-RPC here, HTTP+JSON below; both need a key',
    // To a browser, which GETs, it answers 405.
    isPage: false,
  },
  console: {
    at: 'console',
    what: 'the console, for people: agents, tasks, routes, webhooks, access',
  },
  docs: { at: 'docs', what: 'the admin API, to read and to try: keys, agents, tasks, webhooks' },
  openapi: { at: 'docs/openapi.json', what: 'its description (OpenAPI)' },
  health: { at: 'health/ready', what: 'whether the hub is ready' },
};

/** Serves `GET /`: says what this is, to a browser as a page, to programs as JSON. It reveals no more than the card does. */
export function serveFrontPage(server: FastifyInstance): void {
  const json = JSON.stringify({
    name: 'A2A Hub',
    version: HUB_VERSION,
    ...Object.fromEntries(Object.entries(PLACES).map(([name, { at }]) => [name, `./${at}`])),
  });
  const page = renderPage();
  server.get('/', { config: { access: 'public' } }, (request, reply) => {
    const types = ['application/json', 'text/html'];
    const isBrowser = new Negotiator(request).mediaTypes(types)[0] === 'text/html';
    varyBy(reply, 'Accept');
    void reply.headers(HEADERS);
    return isBrowser
      ? reply.type('text/html; charset=utf-8').send(page)
      : reply.type('application/json; charset=utf-8').send(json);
  });
}

function renderPage(): string {
  const rows = Object.values(PLACES).map(({ at, what, isPage = true }) => {
    const shown = isPage ? `<a href="./${at}">${at}</a>` : at;
    return `<dt>${shown}</dt>\n<dd>${what}</dd>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A2A Hub</title>
<style>${STYLE}</style>
</head>
<body>
<h1>A2A Hub</h1>
<p>One A2A endpoint in front of many agents (version ${HUB_VERSION}). It is a service for programs; this is where to look:</p>
<dl>
${rows.join('\n')}
</dl>
</body>
</html>
`;
}
