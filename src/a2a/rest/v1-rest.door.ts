import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RESERVED_AGENT_IDS } from '../../agents/index.js';
import { hubErrorOf } from '../../common/http/problem.js';
import type { StreamItem } from '../../tasks/index.js';
import { callContextOf } from '../call-context.js';
import { restErrorOf } from '../error-map.js';
import { fastifyPath } from '../http/fastify-path.js';
import type {
  HttpAnswer,
  HttpDoor,
  HttpFailure,
  HttpRequest,
  HttpRoute,
} from '../http/http-door.js';
import { HttpDoors } from '../http/http-doors.js';
import { checkPathVersion } from '../http/version.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { OPERATIONS, type Operation, type RestRoute } from '../operations.js';
import type { EventSource } from '../sse/event-source.js';
import { restParams } from './v1-params.js';

/** Where the operations are, and where those of 0.3 are for the same agent. */
const PREFIXES = [
  { url: '/a2a', other: '/a2a/v1' },
  // `tenant` of a2a.proto: here the agent it names.
  {
    url: `/a2a/:agentId(^(?!(?:${RESERVED_AGENT_IDS.join('|')})$)[^:]+)`,
    other: '/a2a/agents/{agentId}/v1',
  },
  { url: '/a2a/agents/:agentId', other: '/a2a/agents/{agentId}/v1' },
];

/** HTTP+JSON of A2A 1.0 (§11): the operation table, read as routes. */
@Injectable()
export class V1RestDoor implements HttpDoor, OnModuleInit {
  readonly below = ['/a2a'];
  readonly contentType = 'application/a2a+json';
  readonly routes: readonly HttpRoute[] = PREFIXES.flatMap(({ url, other }) =>
    [...OPERATIONS.values()].flatMap((operation) =>
      operation.rest.map((route) => ({
        method: route.method,
        url: url + fastifyPath(route.path),
        streaming: operation.kind === 'stream',
        answer: (request: HttpRequest) =>
          this.answer(operation, route, other + legacyPath(route.path), request),
      })),
    ),
  );

  constructor(
    private readonly http: HttpDoors,
    private readonly handler: HubRequestHandler,
  ) {}

  onModuleInit(): void {
    this.http.mount(this);
  }

  failure(thrown: unknown): HttpFailure {
    const error = hubErrorOf(thrown);
    const body = restErrorOf(error);
    return { error, status: body.error.code, text: JSON.stringify(body) };
  }

  private async answer(
    operation: Operation,
    route: RestRoute,
    otherPath: string,
    request: HttpRequest,
  ): Promise<HttpAnswer> {
    checkPathVersion(request.asked, '1.0', otherPath);
    const params = restParams(route, operation.shape, request);
    const call = callContextOf(request.source, '1.0');
    if (operation.kind === 'stream') {
      const source: EventSource<StreamItem> = {
        items: operation.run(this.handler, params, call),
        // The stored text as it is: every subscriber reads the same bytes.
        render: ({ seq, body }) => ({ seq, text: body }),
        failure: (thrown) => JSON.stringify(restErrorOf(thrown)),
        failureEvent: 'error',
      };
      return { kind: 'stream', call, source: source as EventSource };
    }
    const result = await operation.run(this.handler, params, call);
    // Clients read every answer as JSON, that of a delete too.
    return { kind: 'answer', call, text: JSON.stringify(result ?? {}) };
  }
}

/** The path of the same operation in 0.3. */
function legacyPath(path: string): string {
  return path === '/extendedAgentCard' ? '/card' : path;
}
