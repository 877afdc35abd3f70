import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

interface Operation {
  responses: Record<string, object>;
  security?: Record<string, string[]>[];
}

/** `Problem` of `common/http/problem.ts`. */
const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', description: '`urn:a2a-hub:error:<reason>`; decide by this.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, for people.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'description'],
        properties: { field: { type: 'string' }, description: { type: 'string' } },
      },
    },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

/** The OpenAPI document of the admin API. */
function openApiOf(app: NestFastifyApplication): OpenAPIObject {
  const head = new DocumentBuilder()
    .setTitle('A2A Hub')
    .setDescription(
      'The admin API. Errors are application/problem+json; lists answer {items, nextCursor}.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key.' })
    .addApiKey({ type: 'apiKey', name: 'X-API-Key', in: 'header', description: 'An API key.' })
    .build();
  const document = SwaggerModule.createDocument(app, head, {
    operationIdFactory: (controller, method) =>
      `${controller.replace(/Controller$/, '').toLowerCase()}.${method}`,
  });
  delete (document.components?.securitySchemes?.['bearer'] as { bearerFormat?: string })
    .bearerFormat;
  return withProblems(document);
}

/** Every operation of the admin API may answer with a problem, and takes the key in either header. */
function withProblems(document: OpenAPIObject): OpenAPIObject {
  const content = { 'application/problem+json': { schema: PROBLEM_SCHEMA } };
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.startsWith('/api/')) continue;
    for (const operation of Object.values(operations as Record<string, Operation>)) {
      operation.responses['4XX'] = { description: 'What is wrong with the request.', content };
      operation.responses['5XX'] = { description: 'The hub cannot answer.', content };
      operation.security = [{ bearer: [] }, { api_key: [] }];
    }
  }
  return document;
}

/** The content of `docs/openapi.json`. */
export function renderOpenApi(app: NestFastifyApplication): string {
  return `${JSON.stringify(openApiOf(app), null, 2)}\n`;
}

/** Serves the document at `/docs/openapi.json` and a page for people at `/docs`. */
export function serveDocs(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  let document: OpenAPIObject | undefined;
  const read = (): OpenAPIObject => (document ??= openApiOf(app));
  const open = { config: { access: 'public' } };
  server.get('/docs/openapi.json', open, (_request, reply) => reply.send(read()));
  server.get('/docs', open, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(renderPage(read())),
  );
}

function renderPage(document: OpenAPIObject): string {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, { summary?: string }>).map(
      ([method, { summary }]) =>
        `<tr><td><code>${method.toUpperCase()}</code></td><td><code>${escapeHtml(path)}</code></td>` +
        `<td>${escapeHtml(summary ?? '')}</td></tr>`,
    ),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A2A Hub: admin API</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
td { padding: 0.25rem 1rem 0.25rem 0; vertical-align: top }
</style>
</head>
<body>
<h1>A2A Hub: admin API</h1>
<p>Each request carries an API key: <code>Authorization: Bearer KEY</code> or <code>X-API-Key: KEY</code>.
The full description is <a href="/docs/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
