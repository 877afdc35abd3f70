import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthService, type Principal, hasScope } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { hubErrorOf } from '../../common/http/problem.js';
import { Log } from '../../common/logger.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { CallContext } from '../../routing/index.js';
import { WIRE_ERRORS, rpcErrorOf } from '../error-map.js';
import { EventStreams } from '../sse/event-streams.js';
import { failureText } from './envelope.js';
import { RpcDispatcher, RpcFailure, assumedVersion, versionAskedBy } from './rpc-dispatcher.js';

/** Paths of the JSON-RPC door; each works with and without a slash at its end. */
const PATHS = ['/a2a', '/', '/a2a/agents/:agentId'];
/** Media types of a request body. */
const MEDIA_TYPES = ['application/json', 'application/a2a+json'];
const JSON_TYPE = 'application/json; charset=utf-8';

type RpcRoute = { Params: { agentId?: string } };

/**
 * JSON-RPC over HTTP (A2A §9), for 1.0 and 0.x, on the raw Fastify server: no pipes, guards or
 * interceptors, one parse and one stringify a request. Callers are known before their body is read.
 */
@Injectable()
export class JsonRpcDoor implements OnModuleInit {
  private readonly principals = new WeakMap<object, Principal>();

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly auth: AuthService,
    private readonly dispatcher: RpcDispatcher,
    private readonly streams: EventStreams,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.mount(this.adapter.httpAdapter.getInstance<FastifyInstance>());
  }

  /**
   * Adds the door's routes, with body parsers of their own. Not awaited: that would boot Fastify before
   * Nest has set its error handler, and the admin API would answer errors in Fastify's own form.
   */
  mount(server: FastifyInstance): void {
    void server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(MEDIA_TYPES, { parseAs: 'string' }, (_request, body, parsed) =>
        parsed(null, body),
      );
      scope.setErrorHandler((error, request, reply) => this.fail(error, request, reply));
      for (const url of withSlash(PATHS, scope.initialConfig)) {
        scope.post<RpcRoute>(
          url,
          { onRequest: (request) => this.authenticate(request) },
          (request, reply) => this.answer(request, reply),
        );
      }
      done();
    });
  }

  private async authenticate(request: Pick<FastifyRequest, 'headers'>): Promise<void> {
    const principal = await this.auth.authenticate(request.headers);
    if (!hasScope(principal, 'a2a')) {
      throw new HubError('PERMISSION_DENIED', 'This needs a key with the scope a2a.');
    }
    this.principals.set(request, principal);
  }

  private async answer(
    request: FastifyRequest<RpcRoute>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { body, headers, params } = request;
    if (typeof body !== 'string') {
      throw new HubError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${MEDIA_TYPES[0]}.`);
    }
    const principal = this.principals.get(request)!;
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const source = { headers, principal, agentId: params.agentId, signal: gone.signal };
    const asked = versionAskedBy(request);
    const { outcome, call, failed } = await this.dispatcher.dispatch(body, asked, source);
    const activated = activatedExtensions(call);
    if (outcome.kind === 'answer') {
      return reply.headers(activated).type(JSON_TYPE).send(outcome.text);
    }
    try {
      await this.streams.serve(reply, outcome.source, gone, activated);
    } catch (thrown) {
      throw failed(thrown);
    }
    return reply;
  }

  /** Every failure of these routes, from the wrong content type to an accident of the hub. */
  private fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const failure =
      error instanceof RpcFailure
        ? error
        : new RpcFailure(error, null, assumedVersion(versionAskedBy(request)));
    const cause = hubErrorOf(failure.thrown);
    if (cause.reason === 'INTERNAL') this.log.error({ err: failure.thrown }, 'A2A call failed');
    if (cause.reason === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer');
    void reply
      .status(WIRE_ERRORS[cause.reason].rpcStatus)
      .type(JSON_TYPE)
      .send(failureText(failure.id, rpcErrorOf(cause, failure.version)));
  }
}

/** Which of the extensions asked for the hub itself has acted by (A2A §4.6). */
function activatedExtensions({ extensions, version }: CallContext): Record<string, string> {
  if (!extensions.includes(ROUTING_EXTENSION_URI)) return {};
  const name = version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions';
  return { [name]: ROUTING_EXTENSION_URI };
}

function withSlash(
  paths: readonly string[],
  { ignoreTrailingSlash, routerOptions }: FastifyInstance['initialConfig'],
): string[] {
  if (ignoreTrailingSlash || routerOptions?.ignoreTrailingSlash) return [...paths];
  return paths.flatMap((path) => (path === '/' ? [path] : [path, `${path}/`]));
}
