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
  const bearer = document.components?.securitySchemes?.['bearer'];
  if (bearer && 'bearerFormat' in bearer) delete bearer.bearerFormat;
  return withProblems(document);
}

/** Every operation of the admin API may answer with a problem, and takes the key in either header. */
function withProblems(document: OpenAPIObject): OpenAPIObject {
  const content = { 'application/problem+json': { schema: PROBLEM_SCHEMA } };
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.startsWith('/api/')) continue;
    for (const operation of Object.values(operations as Record<string, Operation>)) {
      operation.responses['4XX'] = { description: 'The problem with the request.', content };
      operation.responses['5XX'] = {
        description: 'The hub could not process the request.',
        content,
      };
      operation.security = [{ bearer: [] }, { api_key: [] }];
    }
  }
  return document;
}

/** The content of `docs/openapi.json`. */
export function renderOpenApi(app: NestFastifyApplication): string {
  return `${JSON.stringify(openApiOf(app), null, 2)}\n`;
}

/** Serves the document at `/docs/openapi.json`. */
export function serveOpenApi(app: NestFastifyApplication): void {
  let document: OpenAPIObject | undefined;
  const open = { config: { access: 'public' } };
  app
    .getHttpAdapter()
    .getInstance()
    .get('/docs/openapi.json', open, (_request, reply) =>
      reply.send((document ??= openApiOf(app))),
    );
}
