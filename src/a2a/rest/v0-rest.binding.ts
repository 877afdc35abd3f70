import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hubErrorOf } from '../../common/hub-error.js';
import type { ServedInterface } from '../capabilities.js';
import { callContextOf } from '../context-of-headers.js';
import { WIRE_ERRORS } from '../error-map.js';
import { jsonText, quickJsonText } from '../../common/json-text.js';
import { fastifyPath } from '../http/fastify-path.js';
import type {
  FailedRequest,
  HttpAnswer,
  HttpBinding,
  HttpFailure,
  HttpRequest,
  HttpRoute,
} from '../http/http-binding.js';
import { HttpBindings } from '../http/http-bindings.js';
import { AGENT_BASE_PATH, HUB_BASE_PATH } from '../http/base-paths.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { OPERATIONS, type RestRoute } from '../operations.js';
import { checkVersion } from '../requested-version.js';
import type { EventSource } from '../sse/event-source.js';
import { LEGACY_OPERATIONS, type LegacyItem, type LegacyOperation } from '../v0-operations.js';
import { errorTextOf } from './v0-errors.js';
import { JSON_FORM, type RestForm } from './v0-forms.js';
import { legacyRequest } from './v0-params.js';
import { filledPath } from './v1-params.js';

/** A route and what it serves. */
interface Place {
  readonly operation: LegacyOperation;
  readonly route: RestRoute;
  readonly url: string;
  /** Where 1.0 has the same. */
  readonly other: string;
  /** The form of its answers, when it is not that of the request. */
  readonly form?: RestForm;
}

/** Where the operations of 0.3 are, and where those of 1.0 are for the same agent. */
const PREFIXES = [HUB_BASE_PATH, AGENT_BASE_PATH].map((place) => ({
  url: `${fastifyPath(place)}/v1`,
  other: place,
}));

const OPERATION_PLACES: readonly Place[] = PREFIXES.flatMap((prefix) =>
  [...LEGACY_OPERATIONS.values()].flatMap((operation) =>
    operation.rest.map((route, index) => ({
      operation,
      route,
      url: prefix.url + fastifyPath(route.path),
      other: prefix.other + OPERATIONS.get(operation.name)!.rest[index]!.path,
    })),
  ),
);

const [CARD, AGENT_CARD] = PREFIXES.map((prefix) =>
  OPERATION_PLACES.find(({ url }) => url === `${prefix.url}/card`)!,
) as [Place, Place];
/** The one HTTP endpoint of 0.2.5 (§7.10). Its place is relative to the card's url; some append it. */
const CARD_0_2_5 = 'agent/authenticatedExtendedCard';

const CARD_PLACES: readonly Place[] = [
  { ...CARD, url: `/${CARD_0_2_5}`, form: JSON_FORM },
  { ...CARD, url: `${HUB_BASE_PATH}/${CARD_0_2_5}`, form: JSON_FORM },
  { ...AGENT_CARD, url: `${fastifyPath(AGENT_BASE_PATH)}/${CARD_0_2_5}`, form: JSON_FORM },
  // For clients that resolve the path against the host.
  { ...CARD, url: '/v1/card' },
];

/** HTTP+JSON of A2A 0.3 (§3.5.6), in both of its forms, and the card of 0.2.5. */
@Injectable()
export class V0RestBinding implements HttpBinding, OnModuleInit {
  readonly interfaces: readonly ServedInterface[] = [{ binding: 'HTTP+JSON', version: '0.3' }];
  readonly below = PREFIXES.map(({ url }) => url);
  readonly contentTypes = ['application/json; charset=utf-8', 'application/a2a+json'];
  readonly routes: readonly HttpRoute[] = [...OPERATION_PLACES, ...CARD_PLACES].map((place) => ({
    method: place.route.method,
    url: place.url,
    streaming: place.operation.kind === 'stream',
    answer: (request) => this.answer(place, request),
  }));

  constructor(
    private readonly http: HttpBindings,
    private readonly handler: HubRequestHandler,
  ) {}

  onModuleInit(): void {
    this.http.mount(this);
  }

  failure(thrown: unknown, { headers }: FailedRequest): HttpFailure {
    const error = hubErrorOf(thrown);
    const status = WIRE_ERRORS[error.reason].httpStatus;
    return { error, status, text: errorTextOf(error, headers) };
  }

  private async answer(
    { operation, route, other, form: fixed }: Place,
    request: HttpRequest,
  ): Promise<HttpAnswer> {
    checkVersion(request.requested, '0.3', 'path', filledPath(other, request.params));
    const { params, form: requested } = legacyRequest(operation, route, request);
    const form = fixed ?? requested;
    const call = callContextOf(request.source, '0.3');
    if (operation.kind === 'stream') {
      const source: EventSource<LegacyItem> = {
        items: operation.run(this.handler, params, call),
        render: ({ seq, event }) => ({ seq, text: quickJsonText(form.event(event)) }),
        failure: (thrown) => errorTextOf(thrown, request.source.headers),
        failureEvent: 'error',
      };
      return { kind: 'stream', call, source };
    }
    const result = await operation.run(this.handler, params, call, form.card);
    return { kind: 'answer', call, text: await jsonText(form.answer(operation.name, result)) };
  }
}
