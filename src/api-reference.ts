import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pageHeaders } from './common/http/page-headers.js';

const OPEN = { config: { access: 'public' } };

/** Files of swagger-ui, which the build copies beside the hub, so that an image needs no package of it. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};
const COPIED = new URL('./reference/', import.meta.url);
const PACKAGE = new URL('../node_modules/swagger-ui-dist/', import.meta.url);

/**
 * Everything is of this origin and nothing is in line. The script and its styles are trusted files of the
 * hub; what it shows is the hub's own description. A key that is typed in stays in the page.
 */
const PAGE_HEADERS = pageHeaders(
  "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
);

/** Addresses are taken from where the script is, so that the page works below any path of a proxy. */
const START = `(() => {
  const { src } = document.currentScript;
  const hub = new URL('../..', src).href.replace(/\\/$/, '');
  const shown = document.getElementById('reference');
  fetch(new URL('../openapi.json', src))
    .then((answer) => answer.json())
    .then((spec) => {
      shown.textContent = '';
      SwaggerUIBundle({
        spec: { ...spec, servers: [{ url: hub }] },
        domNode: shown,
        deepLinking: true,
        filter: true,
        docExpansion: 'none',
        defaultModelsExpandDepth: 0,
        displayRequestDuration: true,
        tryItOutEnabled: true,
        validatorUrl: null,
        queryConfigEnabled: false,
        persistAuthorization: false,
      });
    })
    .catch((error) => {
      shown.textContent = 'The description of the API cannot be read: ' + error.message;
    });
})();
`;

/** Serves the reference of the admin API at `/docs`: what each operation takes and gives, and a way to try it. */
export function serveReference(server: FastifyInstance): void {
  server.get('/docs', OPEN, (request, reply) => {
    // Relative to the page's own address, with a slash at its end or without.
    const below = request.url.split('?')[0]!.endsWith('/') ? '' : 'docs/';
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(pageOf(below));
  });
  server.get('/docs/ui/start.js', OPEN, (_request, reply) =>
    send(reply, 'text/javascript; charset=utf-8', START),
  );
  for (const [name, type] of Object.entries(FILES)) {
    let content: Buffer | undefined;
    server.get(`/docs/ui/${name}`, OPEN, (_request, reply) =>
      send(reply, type, (content ??= readFileSync(pathOf(name)))),
    );
  }
}

function send(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply.header('cache-control', 'public, max-age=3600').type(type).send(content);
}

/** Beside the built hub; where it runs from its sources, in the package. */
function pathOf(name: string): string {
  const copied = fileURLToPath(new URL(name, COPIED));
  return existsSync(copied) ? copied : fileURLToPath(new URL(name, PACKAGE));
}

function pageOf(below: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A2A Hub: admin API</title>
<link rel="stylesheet" href="${below}ui/swagger-ui.css">
</head>
<body>
<div id="reference">This page needs JavaScript; the same is in <a href="${below}openapi.json">openapi.json</a>.</div>
<script src="${below}ui/swagger-ui-bundle.js"></script>
<script src="${below}ui/start.js"></script>
</body>
</html>
`;
}
