import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, refuseEnded } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { Admission } from '../admission.js';
import { activatedHeaders } from '../call-context.js';
import { checkListed } from '../capabilities.js';
import { EventStreams } from '../sse/event-streams.js';
import { BODY_TYPES, textOf } from './body.js';
import { failureHeaders } from './failure-headers.js';
import { type HttpDoor, type HttpFailure, type HttpRequest, type HttpRoute } from './http-door.js';
import { versionAskedBy } from './version.js';

type Params = Readonly<Record<string, string>>;

/** A request that was let in. */
interface Admitted {
  readonly principal: Principal;
  /** Aborted when the client is gone, or with the error that ends the call when its key is revoked. */
  readonly gone: AbortController;
}

/**
 * What every A2A door over HTTP shares, on the raw Fastify server: no pipes, guards or interceptors. The
 * caller is known before the body is read; bodies reach the door as text; a stream that is refused is
 * answered like any failure; every failure has the form of its door and the headers HTTP wants.
 */
@Injectable()
export class HttpDoors {
  private readonly admitted = new WeakMap<object, Admitted>();
  /** The doors by the paths that are theirs, the longest first. */
  private readonly territories: { readonly path: RegExp; readonly door: HttpDoor }[] = [];

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly admission: Admission,
    private readonly streams: EventStreams,
    private readonly log: Log,
  ) {}

  /**
   * Adds the door's routes, with body parsers of their own; doors call it in `onModuleInit`. Not awaited:
   * that would boot Fastify before Nest has set its error handler, and the admin API would answer errors
   * in Fastify's own form.
   */
  mount(door: HttpDoor): void {
    door.doors.forEach(checkListed);
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(BODY_TYPES, { parseAs: 'buffer' }, (_request, body, parsed) =>
        parsed(...textOf(body as Buffer)),
      );
      scope.setErrorHandler((error, request, reply) => this.fail(door, error, request, reply));
      for (const [url, routes] of byUrl(door.routes)) this.serve(scope, door, url, routes);
      for (const prefix of door.below) refuseUnknown(scope, `${prefix}/*`);
      done();
    });
    this.territories.push(...door.below.map((prefix) => ({ path: territoryOf(prefix), door })));
    this.territories.sort((a, b) => b.path.source.length - a.path.source.length);
  }

  /**
   * Answers a request that Fastify gives to no route, because its path cannot be read; false when the path
   * is of no door.
   */
  refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
    const owner = this.territories.find(({ path }) => path.test(request.url));
    if (owner) void this.fail(owner.door, thrown, request, reply);
    return owner !== undefined;
  }

  /** One path: its methods, what they are, and 405 for the others. */
  private serve(
    scope: FastifyInstance,
    door: HttpDoor,
    url: string,
    routes: readonly HttpRoute[],
  ): void {
    const methods: string[] = [];
    for (const route of routes) {
      const exposeHeadRoute = route.method === 'GET' && !route.streaming;
      methods.push(route.method, ...(exposeHeadRoute ? ['HEAD'] : []));
      scope.route<{ Params: Params }>({
        method: route.method,
        url,
        exposeHeadRoute,
        onRequest: (request, reply) => this.admit(request, reply),
        handler: (request, reply) => this.answer(door, route, request, reply),
      });
    }
    const allow = [...methods, 'OPTIONS'].join(', ');
    scope.options(url, {
      onRequest: async (_request, reply) => reply.status(204).header('allow', allow).send(),
      handler: () => undefined,
    });
    refuse(scope, url, [...methods, 'OPTIONS'], ({ method }) => {
      const text = `${method} is not for this path; it takes ${allow}.`;
      return new HubError('METHOD_NOT_ALLOWED', text, { metadata: { allow } });
    });
  }

  private async admit(
    request: Pick<FastifyRequest, 'headers'>,
    { raw }: Pick<FastifyReply, 'raw'>,
  ): Promise<void> {
    const principal = await this.admission.admit(request.headers);
    const gone = new AbortController();
    // From here on, so that what is revoked while the body comes is not answered either.
    const unwatch = this.admission.watch(principal, gone);
    raw.once('close', () => {
      unwatch();
      if (!raw.writableFinished) gone.abort();
    });
    this.admitted.set(request, { principal, gone });
    checkEncoding(request.headers['content-encoding']);
  }

  private async answer(
    door: HttpDoor,
    route: HttpRoute,
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { principal, gone } = this.admitted.get(request)!;
    refuseEnded(gone.signal);
    const answered = route.answer(this.requestOf(request, principal, gone.signal));
    const answer = await answered.finally(() => refuseEnded(gone.signal));
    const { call } = answer;
    if (answer.kind === 'answer') {
      // What a GET answers is for its caller alone, also where a cache stands between.
      if (route.method === 'GET') void reply.header('cache-control', 'no-store');
      return reply.headers(activatedHeaders(call)).type(door.contentType).send(answer.text);
    }
    try {
      await this.streams.serve(reply, answer.source, gone, () => activatedHeaders(call));
    } catch (thrown) {
      throw answer.refused?.(thrown) ?? thrown;
    }
    return reply;
  }

  private requestOf(
    request: FastifyRequest<{ Params: Params }>,
    principal: Principal,
    signal: AbortSignal,
  ): HttpRequest {
    const { headers, params, query, body } = request;
    return {
      source: { headers, principal, agentId: params['agentId'], signal },
      asked: versionAskedBy(request),
      params,
      query: query as HttpRequest['query'],
      body: typeof body === 'string' ? body : undefined,
    };
  }

  private async fail(
    door: HttpDoor,
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { error, status, text } = this.noted(
      door.failure(thrown, { asked: versionAskedBy(request), headers: request.headers }),
    );
    if (error.reason === 'PAYLOAD_TOO_LARGE') await drained(request.raw);
    return (
      reply
        .status(status)
        // A failure, too, is for its caller and this moment alone.
        .headers({ 'cache-control': 'no-store', ...failureHeaders(error, request.headers) })
        .type(door.contentType)
        .send(text)
    );
  }

  private noted(failure: HttpFailure): HttpFailure {
    const { error } = failure;
    if (error.reason === 'INTERNAL') {
      this.log.error({ err: error.cause ?? error }, 'A2A call failed');
    }
    return failure;
  }
}

/** How long the rest of a body that is too large may take to come. */
const LINGER_MS = 10_000;

/**
 * Resolves when the rest of the body has come and is thrown away. A client that writes all of it before it
 * reads would see a broken connection otherwise, and never the answer.
 */
async function drained(body: IncomingMessage): Promise<void> {
  body.resume();
  await finished(body, { writable: false, signal: AbortSignal.timeout(LINGER_MS) }).catch(
    () => undefined,
  );
}

/** Bodies are read as they are. */
function checkEncoding(coding: string | undefined): void {
  if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return;
  throw new HubError('UNSUPPORTED_MEDIA_TYPE', 'A body must come without a Content-Encoding.', {
    metadata: { acceptEncoding: 'identity' },
  });
}

/** Everything below a path of Fastify's kind (`/a2a/agents/:agentId/v1`). */
function territoryOf(prefix: string): RegExp {
  return new RegExp(`^${prefix.replace(/:\w+/g, '[^/]+')}/`);
}

function byUrl(routes: readonly HttpRoute[]): Map<string, HttpRoute[]> {
  const found = new Map<string, HttpRoute[]>();
  for (const route of routes) found.set(route.url, [...(found.get(route.url) ?? []), route]);
  return found;
}

function refuseUnknown(scope: FastifyInstance, url: string): void {
  refuse(scope, url, [], () => new HubError('METHOD_NOT_FOUND', 'There is no such path.'));
}

/** Every method of the path but these is refused, unread and whoever asks. */
function refuse(
  scope: FastifyInstance,
  url: string,
  but: readonly string[],
  why: (request: Pick<FastifyRequest, 'method'>) => HubError,
): void {
  scope.route({
    method: scope.supportedMethods.filter((method) => !but.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest: (request, _reply, done) => done(why(request)),
    handler: () => undefined,
  });
}
