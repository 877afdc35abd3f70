import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RESERVED_AGENT_IDS } from '../../agents/index.js';
import { hubErrorOf } from '../../common/hub-error.js';
import type { StreamItem } from '../../tasks/index.js';
import type { ServedInterface } from '../capabilities.js';
import { callContextOf } from '../context-of-headers.js';
import { restErrorOf } from '../error-map.js';
import { jsonText } from '../../common/json-text.js';
import { fastifyPath } from '../http/fastify-path.js';
import type {
  HttpAnswer,
  HttpBinding,
  HttpFailure,
  HttpRequest,
  HttpRoute,
} from '../http/http-binding.js';
import { HttpBindings } from '../http/http-bindings.js';
import { AGENT_BASE_PATH, HUB_BASE_PATH } from '../http/base-paths.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { itemText } from '../item-text.js';
import { OPERATIONS, type Operation, type RestRoute } from '../operations.js';
import { checkVersion } from '../requested-version.js';
import type { EventSource } from '../sse/event-source.js';
import { LEGACY_OPERATIONS } from '../v0-operations.js';
import { filledPath, restParams } from './v1-params.js';

/** Where the operations are, and where those of 0.3 are for the same agent. */
const PREFIXES = [
  { url: HUB_BASE_PATH, other: `${HUB_BASE_PATH}/v1` },
  // `tenant` of a2a.proto: here the agent it names.
  {
    url: `${HUB_BASE_PATH}/:agentId(^(?!(?:${RESERVED_AGENT_IDS.join('|')})$)[^:]+)`,
    other: `${AGENT_BASE_PATH}/v1`,
  },
  { url: fastifyPath(AGENT_BASE_PATH), other: `${AGENT_BASE_PATH}/v1` },
];

/** HTTP+JSON of A2A 1.0 (§11): the operation table, read as routes. */
@Injectable()
export class V1RestBinding implements HttpBinding, OnModuleInit {
  readonly interfaces: readonly ServedInterface[] = [{ binding: 'HTTP+JSON', version: '1.0' }];
  readonly below = [HUB_BASE_PATH];
  readonly contentTypes = ['application/a2a+json', 'application/json; charset=utf-8'];
  readonly routes: readonly HttpRoute[] = PREFIXES.flatMap(({ url, other }) =>
    [...OPERATIONS.values()].flatMap((operation) =>
      operation.rest.map((route) => ({
        method: route.method,
        url: url + fastifyPath(route.path),
        streaming: operation.kind === 'stream',
        answer: (request: HttpRequest) =>
          this.answer(operation, route, otherPath(other, operation, route), request),
      })),
    ),
  );

  constructor(
    private readonly http: HttpBindings,
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
    other: string | undefined,
    request: HttpRequest,
  ): Promise<HttpAnswer> {
    checkVersion(request.requested, '1.0', 'path', filledPath(other, request.params));
    const params = restParams(route, operation.shape, request);
    const call = callContextOf(request.source, '1.0');
    if (operation.kind === 'stream') {
      const source: EventSource<StreamItem> = {
        items: operation.run(this.handler, params, call),
        render: (item) => ({ seq: item.seq, text: itemText(item) }),
        failure: (thrown) => JSON.stringify(restErrorOf(thrown)),
        failureEvent: 'error',
      };
      return { kind: 'stream', call, source };
    }
    const result = await operation.run(this.handler, params, call);
    // Clients read every answer as JSON, that of a delete too.
    return { kind: 'answer', call, text: await jsonText(result ?? {}) };
  }
}

/** Where 0.3 has the same route of an operation; undefined when it has no such operation. */
function otherPath(
  prefix: string,
  { name, rest }: Operation,
  route: RestRoute,
): string | undefined {
  const legacy = LEGACY_OPERATIONS.get(name)?.rest[rest.indexOf(route)];
  return legacy && prefix + legacy.path;
}
