import { NO_STORE } from '../../common/http/no-store.js';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Challenges, refuseEnded } from '../../auth/index.js';
import { noteFailure } from '../../common/call-note.js';
import { faultOf, HubError } from '../../common/hub-error.js';
import { methodNotAllowed } from '../../common/http/allowed-methods.js';
import { refuseEncoded } from '../../common/http/json-body.js';
import { onceClosed, untilClosed } from '../../common/http/once-closed.js';
import { varyBy } from '../../common/http/vary.js';
import { lengthOf } from '../../common/json-text.js';
import { turnFor } from '../../common/slices.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { CallAdmission } from '../call-admission.js';
import { activatedHeaders } from '../context-of-headers.js';
import { checkListed } from '../capabilities.js';
import { type ByteReservation, NO_RESERVATION } from '../limits/byte-reservations.js';
import { type Admitted, RequestCapacity } from '../limits/request-capacity.js';
import type { AnswerReservation } from '../limits/answer-budget.js';
import { type MessageLimits, messageLimitsOf } from '../limits/message-limits.js';
import { StalledBody } from '../limits/uploads.js';
import { EventStreams } from '../sse/event-streams.js';
import { answerType, failureType } from './answer-type.js';
import { BODY_TYPES, textOf } from './body.js';
import { failureHeaders } from './failure-headers.js';
import {
  type HttpAnswer,
  type HttpBinding,
  type HttpFailure,
  type HttpRequest,
  type HttpRoute,
} from './http-binding.js';
import { readBody } from './read-request-body.js';
import { readerOf, sendText } from './send-text.js';
import { versionRequestedBy } from './version.js';

type Params = Readonly<Record<string, string>>;

/** A call whose answer is a stream. */
interface OpenAnswer {
  readonly gone: AbortController;
  /** See {@link Admitted.taken}. */
  readonly taken: () => void;
  readonly reservation: AnswerReservation;
}

/**
 * What every A2A binding over HTTP shares, on the raw Fastify server: no pipes, guards or interceptors. The
 * caller is known before the body is read; bodies reach the binding as text; a stream that is refused is
 * answered like any failure; every failure has the form of its binding and the headers HTTP wants.
 */
@Injectable()
export class HttpBindings {
  /** What ends the call of a request that was let in. */
  private readonly open = new WeakMap<object, AbortController>();
  /** The room of the bodies that have come. */
  private readonly reservations = new WeakMap<
    object,
    { readonly bytes: number; readonly reservation: ByteReservation }
  >();
  private readonly limits: MessageLimits;
  /** The bindings by their base paths, the longest first. */
  private readonly owned: { readonly path: RegExp; readonly binding: HttpBinding }[] = [];

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly admission: CallAdmission,
    private readonly streams: EventStreams,
    private readonly config: AppConfig,
    private readonly log: Log,
    private readonly capacity: RequestCapacity,
    private readonly challenges: Challenges,
  ) {
    this.limits = messageLimitsOf(config);
  }

  /**
   * Adds the binding's routes, with body parsers of their own; bindings call it in `onModuleInit`. Not awaited:
   * that would boot Fastify before Nest has set its error handler, and the admin API would answer errors
   * in Fastify's own form.
   */
  mount(binding: HttpBinding): void {
    binding.interfaces.forEach(checkListed);
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(BODY_TYPES, (request: FastifyRequest, raw: IncomingMessage) =>
        this.receive(request, raw),
      );
      scope.setErrorHandler((error, request, reply) => this.fail(binding, error, request, reply));
      for (const [url, routes] of byUrl(binding.routes)) this.serve(scope, binding, url, routes);
      for (const prefix of binding.below) refuseUnknown(scope, `${prefix}/*`);
      done();
    });
    this.owned.push(...binding.below.map((prefix) => ({ path: pathsBelow(prefix), binding })));
    this.owned.sort((a, b) => b.path.source.length - a.path.source.length);
  }

  /**
   * Answers a request that Fastify gives to no route, because its path cannot be read; false when the path
   * is of no binding.
   */
  refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
    const owner = this.owned.find(({ path }) => path.test(request.url));
    if (owner) void this.fail(owner.binding, thrown, request, reply);
    return owner !== undefined;
  }

  /** One path: its methods, what they are, and 405 for the others. */
  private serve(
    scope: FastifyInstance,
    binding: HttpBinding,
    url: string,
    routes: readonly HttpRoute[],
  ): void {
    // All interfaces of one are of the same.
    const name = binding.interfaces[0]?.binding;
    const methods: string[] = [...(binding.elsewhere?.[url] ?? [])];
    for (const route of routes) {
      const exposeHeadRoute = route.method === 'GET' && !route.streaming;
      methods.push(route.method, ...(exposeHeadRoute ? ['HEAD'] : []));
      scope.route<{ Params: Params }>({
        method: route.method,
        url,
        exposeHeadRoute,
        config: { access: 'a2a', ...(name !== undefined && { binding: name }) },
        bodyLimit: this.config.server.bodyLimit,
        onRequest: (request, reply) => this.admit(request, reply),
        handler: (request, reply) => this.answer(binding, route, request, reply),
      });
    }
    const allow = [...methods, 'OPTIONS'].join(', ');
    scope.options(url, {
      config: { access: 'public' },
      onRequest: async (_request, reply) => reply.status(204).header('allow', allow).send(),
      handler: () => undefined,
    });
    refuse(scope, url, [...methods, 'OPTIONS'], ({ method }) => methodNotAllowed(method, allow));
  }

  private async admit(request: FastifyRequest, { raw }: Pick<FastifyReply, 'raw'>): Promise<void> {
    const caller = request.principal!;
    await this.admission.count(caller);
    const gone = new AbortController();
    // From here on, so that what is revoked while the body comes is not answered either.
    const unwatch = this.admission.watch(caller, gone);
    let isClosed = false;
    onceClosed(raw, () => {
      isClosed = true;
      unwatch();
      // Of a body that no answer has begun with.
      this.bodyOf(request).reservation.free();
      if (!raw.writableFinished) gone.abort();
    });
    this.open.set(request, gone);
    if (isClosed) throw new HubError('INVALID_REQUEST', 'The client has left.');
    refuseEncoded(request.headers['content-encoding']);
  }

  /** The text of a body, within the limits of messages and with room in the process. */
  private async receive(request: FastifyRequest, raw: IncomingMessage): Promise<string> {
    const caller = request.principal!;
    const { bytes, reservation } = await readBody(raw, caller, this.capacity, this.limits);
    const [error, text = ''] = textOf(bytes);
    if (error !== null || this.open.get(request)!.signal.aborted) {
      reservation.free();
      if (error !== null) throw error;
    } else {
      this.reservations.set(request, { bytes: bytes.length, reservation });
    }
    return text;
  }

  /** The body that has come, for who frees its room. */
  private bodyOf(request: object): {
    readonly bytes: number;
    readonly reservation: ByteReservation;
  } {
    const body = this.reservations.get(request) ?? { bytes: 0, reservation: NO_RESERVATION };
    this.reservations.delete(request);
    return body;
  }

  private async answer(
    binding: HttpBinding,
    route: HttpRoute,
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const gone = this.open.get(request)!;
    const { bytes, reservation } = this.bodyOf(request);
    let call: Admitted | undefined;
    try {
      refuseEnded(gone.signal);
      call = await this.capacity.admit(request.principal!, { bytes, reservation }, gone.signal);
      const { taken } = call;
      await turnFor(bytes);
      await this.serveAnswer(binding, route, request, reply, { gone, taken });
    } finally {
      call?.ended();
      reservation.free();
    }
    // Not above: to wait for a reply is to wait for its end, which never comes where the connection ends before its turn.
    return reply;
  }

  private async serveAnswer(
    binding: HttpBinding,
    route: HttpRoute,
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
    { gone, taken }: { readonly gone: AbortController; readonly taken: () => void },
  ): Promise<void> {
    const reservation = this.capacity.answers.begin(request.principal!);
    const requested = this.requestOf(request, gone.signal, reservation);
    // The text is large, and Fastify would keep it until the answer has ended.
    request.body = undefined;
    try {
      const answer = await route.answer(requested).catch((thrown: unknown) => {
        // What says why it was ended says more than that, such as the id of a task.
        const { error } = this.failureOf(binding, thrown, request);
        if (error.reason !== 'UNAUTHENTICATED') refuseEnded(gone.signal);
        throw thrown;
      });
      refuseEnded(gone.signal);
      if (answer.kind === 'stream') {
        return await this.serveStream(reply, answer, { gone, taken, reservation });
      }
      reservation.made(lengthOf(answer.text));
      // What a GET answers is for its caller alone, also where a cache stands between.
      if (route.method === 'GET') void reply.header('cache-control', NO_STORE);
      void reply.headers(activatedHeaders(answer.call));
      setType(binding, request, reply);
      taken();
      await sendText(reply, answer.text, reservation);
    } finally {
      reservation.end();
    }
  }

  private async serveStream(
    reply: FastifyReply,
    { call, source, refused }: Extract<HttpAnswer, { readonly kind: 'stream' }>,
    { gone, taken, reservation }: OpenAnswer,
  ): Promise<void> {
    const reader = readerOf(reply);
    const headers = (): Readonly<Record<string, string>> => {
      taken();
      return activatedHeaders(call);
    };
    try {
      await this.streams.serve(reply, source, { gone, reservation, reader, headers });
    } catch (thrown) {
      throw refused?.(thrown) ?? thrown;
    }
    // What has not been taken yet is in memory until then.
    await this.capacity.answers.untilLeft(untilClosed(reply.raw), reader);
  }

  private requestOf(
    request: FastifyRequest<{ Params: Params }>,
    signal: AbortSignal,
    { take: reserveAnswer, release: releaseAnswer }: AnswerReservation,
  ): HttpRequest {
    const { headers, params, query, body, note, principal } = request;
    const agentId = params['agentId'];
    return {
      source: {
        ...{ headers, principal: principal!, agentId, signal, note },
        ...{ reserveAnswer, releaseAnswer },
      },
      requested: versionRequestedBy(request),
      params,
      query: query as HttpRequest['query'],
      body: typeof body === 'string' ? body : undefined,
    };
  }

  private failureOf(
    binding: HttpBinding,
    thrown: unknown,
    request: FastifyRequest,
  ): ReturnType<HttpBinding['failure']> {
    const requested = versionRequestedBy(request);
    return binding.failure(thrown, { requested, headers: request.headers });
  }

  private async fail(
    binding: HttpBinding,
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { error, status, text } = this.noted(this.failureOf(binding, thrown, request), request);
    // Of a body that makes no progress the rest is not waited for.
    if (thrown instanceof StalledBody) void reply.header('connection', 'close');
    setType(binding, request, reply, failureType);
    const challenge = this.challenges.of(error, request);
    return (
      reply
        .status(status)
        // A failure, too, is for its caller and this moment alone.
        .headers({ 'cache-control': NO_STORE, ...failureHeaders(error, challenge) })
        .send(text)
    );
  }

  private noted(failure: HttpFailure, { id: requestId, note }: FastifyRequest): HttpFailure {
    const { error } = failure;
    noteFailure(note, error, failure.code);
    const err = faultOf(error);
    if (err !== undefined) this.log.error({ requestId, err }, 'A2A call failed');
    return failure;
  }
}

/** Gives the answer the media type that `Accept` prefers, and says that it depends on it where the binding has several. */
function setType(
  { contentTypes }: HttpBinding,
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  typeOf = answerType,
): void {
  void reply.header('content-type', typeOf(contentTypes, headers));
  if (contentTypes.length > 1) varyBy(reply, 'Accept');
}

/** Everything below a path of Fastify's kind (`/a2a/agents/:agentId/v1`). */
function pathsBelow(prefix: string): RegExp {
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
    config: { access: 'refused' },
    onRequest: (request, _reply, done) => done(why(request)),
    handler: () => undefined,
  });
}
