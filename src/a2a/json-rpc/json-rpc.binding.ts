import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HubError, hubErrorOf } from '../../common/hub-error.js';
import type { ServedInterface } from '../capabilities.js';
import { WIRE_ERRORS, rpcErrorOf } from '../error-map.js';
import { BODY_TYPES } from '../http/body.js';
import { fastifyPath } from '../http/fastify-path.js';
import {
  type FailedRequest,
  type HttpAnswer,
  type HttpBinding,
  type HttpFailure,
  type HttpRequest,
  type HttpRoute,
} from '../http/http-binding.js';
import { HttpBindings } from '../http/http-bindings.js';
import { AGENT_BASE_PATH, HUB_BASE_PATH } from '../http/base-paths.js';
import { failureText } from './envelope.js';
import { RpcDispatcher, RpcFailure, assumedVersion } from './rpc-dispatcher.js';

/** Paths of the JSON-RPC binding; each works with and without a slash at its end. */
const PATHS = [HUB_BASE_PATH, '/', fastifyPath(AGENT_BASE_PATH)];

/** JSON-RPC over HTTP (A2A §9), for 1.0 and 0.x: one parse and one stringify a request. */
@Injectable()
export class JsonRpcBinding implements HttpBinding, OnModuleInit {
  readonly interfaces: readonly ServedInterface[] = [
    { binding: 'JSONRPC', version: '1.0' },
    { binding: 'JSONRPC', version: '0.3' },
  ];
  readonly below = [];
  /** The front page. */
  readonly elsewhere = { '/': ['GET', 'HEAD'] };
  readonly contentTypes = ['application/json; charset=utf-8'];
  readonly routes: readonly HttpRoute[] = PATHS.map((url) => ({
    method: 'POST',
    url,
    answer: (request) => this.answer(request),
  }));

  constructor(
    private readonly http: HttpBindings,
    private readonly dispatcher: RpcDispatcher,
  ) {}

  onModuleInit(): void {
    this.http.mount(this);
  }

  failure(thrown: unknown, { requested }: FailedRequest): HttpFailure {
    const failure =
      thrown instanceof RpcFailure
        ? thrown
        : new RpcFailure(thrown, null, assumedVersion(requested));
    const error = hubErrorOf(failure.thrown);
    const { rpcStatus: status, code } = WIRE_ERRORS[error.reason];
    return {
      ...{ error, status, code },
      text: failureText(failure.id, rpcErrorOf(error, failure.version)),
    };
  }

  private async answer({ body, requested, source }: HttpRequest): Promise<HttpAnswer> {
    if (body === undefined) {
      throw new HubError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${BODY_TYPES[0]}.`);
    }
    const { outcome, call, failed } = await this.dispatcher.dispatch(body, requested, source);
    return outcome.kind === 'answer'
      ? { kind: 'answer', call, text: outcome.text }
      : { kind: 'stream', call, source: outcome.source, refused: failed };
  }
}
