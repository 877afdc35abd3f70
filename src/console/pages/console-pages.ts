import { NO_STORE } from '../../common/http/no-store.js';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { HubError } from '../../common/hub-error.js';
import { pageHeaders } from '../../common/http/page-headers.js';

const OPEN = { config: { access: 'public' } };

/** Where they are: beside the built hub, beside the bundled one, and for a hub from its sources where they were built last. */
const BUILT = ['../../console-pages/', './console-pages/', '../../../dist/console-pages/'].map(
  (place) => new URL(place, import.meta.url),
);

/** Random bytes of a nonce, twice what an attacker could guess. */
const NONCE_BYTES = 16;

/**
 * Serves the console at `/console`: one page at each of its addresses, so that they can be loaded again and sent on, and
 * its files. All of it is public; what it shows it reads through the API with the rights of who signs in.
 */
export async function serveConsole(server: FastifyInstance): Promise<void> {
  const folder = BUILT.find((place) => existsSync(new URL('index.html', place)));
  if (folder === undefined) {
    server.get('/console', OPEN, notBuilt);
    server.get('/console/*', OPEN, notBuilt);
    return;
  }
  await server.register(fastifyStatic, {
    root: fileURLToPath(folder),
    serve: false,
    preCompressed: true,
    index: false,
    cacheControl: true,
    // Names of files hold a hash of what is in them.
    immutable: true,
    maxAge: '365d',
  });
  const page = readFileSync(new URL('index.html', folder), 'utf8');
  for (const path of ['/console', '/console/*']) {
    server.get(path, OPEN, (request, reply) => {
      const nonce = randomBytes(NONCE_BYTES).toString('base64');
      return reply
        .headers(headersWith(nonce))
        .type('text/html; charset=utf-8')
        .send(pageAt(page, request.url, nonce));
    });
  }
  server.get<{ Params: { '*': string } }>('/console/assets/*', OPEN, (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`),
  );
  server.get('/console/icon.svg', OPEN, (_request, reply) =>
    reply.sendFile('icon.svg', { immutable: false, maxAge: '1d' }),
  );
}

/**
 * Scripts and styles are files of the hub, and nothing else is loaded or called. The nonce is for the one style that dialogs
 * add while they are open, so that the page behind them does not scroll. Images may be what the page itself made of an artifact.
 */
function headersWith(nonce: string): Readonly<Record<string, string>> {
  const headers = pageHeaders(
    `script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'`,
  );
  return {
    ...headers,
    'content-security-policy': headers['content-security-policy']!.replace(
      "base-uri 'none'",
      "base-uri 'self'",
    ),
    'cache-control': NO_STORE,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
}

/** Addresses in the page are relative to `/console/`, wherever a proxy serves that: so many levels above the page's own. */
function pageAt(page: string, url: string, nonce: string): string {
  const path = url.split('?', 1)[0]!;
  const levels = path.split('/').length - '/console/'.split('/').length;
  const base = levels < 0 ? './console/' : './' + '../'.repeat(levels);
  return page
    .replace('<base href="./"', `<base href="${base}"`)
    .replace('</head>', `<meta name="style-nonce" content="${nonce}" /></head>`);
}

function notBuilt(): never {
  throw new HubError(
    'NOT_FOUND',
    'The console is not built. `npm run build` builds it beside the hub.',
  );
}
