import 'reflect-metadata';
import type { IncomingMessage, Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { HttpBindings } from './a2a/index.js';
import {
  AdminAnswers,
  AdminBodies,
  AdminRates,
  AuditedChanges,
  BusyAnswers,
} from './admin/index.js';
import { serveReference } from './api-reference.js';
import { AppModule } from './app.module.js';
import { Refusals } from './audit/index.js';
import { HttpAccess } from './auth/index.js';
import { SystemClock } from './common/clock.js';
import { refuseUnreadable } from './common/http/unreadable-requests.js';
import { noteFailure } from './common/call-note.js';
import { Draining, stopping } from './common/draining.js';
import { HubError } from './common/hub-error.js';
import { allowOrigins } from './common/http/cors.js';
import { forbidStoring, NO_STORE } from './common/http/no-store.js';
import { PROBLEM_JSON, problemOf } from './common/http/problem.js';
import { ProblemFilter } from './common/http/problem.filter.js';
import { REQUEST_ID, requestIdOf } from './common/request-id.js';
import { ModuleLogs } from './common/module-logs.js';
import { Tracing } from './common/tracing/tracing.js';
import { UnreadBodies } from './common/http/unread-bodies.js';
import { adminValidationPipe } from './common/http/validation.pipe.js';
import {
  AppConfig,
  type ConfigOverrides,
  ConfigSource,
  FixedConfigSource,
  ListenerTls,
  ProcessConfigSource,
  configWith,
  httpListener,
  summarize,
  textsOf,
} from './config/index.js';
import { HubSettings } from './database/hub-settings.js';
import { serveConsole } from './console/index.js';
import { serveFrontPage } from './front-page.js';
import { checkCertificateTimes, TlsListener } from './http-listener.js';
import { HUB_SCHEMA } from './hub-schema.js';
import { HttpObserver } from './observability/http-observer.js';
import { LogRedaction } from './observability/log-redaction.js';
import { NestLog, openLog } from './observability/logging.js';
import { Metrics } from './observability/metrics.js';
import { OperationMetrics } from './observability/operation-metrics.js';
import { RequestLog } from './observability/request-log.js';
import { serveOpenApi } from './openapi.js';
import { openSecretBox } from './secrets/index.js';
import type { Replacement } from './shared.module.js';

/** How paths are read; the longest id in one has so many characters. */
const ROUTER = { ignoreTrailingSlash: true, maxParamLength: 1000 };
/** How long a client may take to send its whole request. */
const REQUEST_TIMEOUT_MS = 120_000;
/** How long it may take to send its head, from the connection or the first byte on. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How long a connection without a request stays open. */
const KEEP_ALIVE_MS = 72_000;
/** How often connections that have passed these times are looked for. */
const CONNECTIONS_CHECKED_MS = 5000;
/** The largest head: the request line and all headers. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How often connections that have become idle are closed while draining. */
const IDLE_SWEEP_MS = 50;

export interface AppOverrides {
  /**
   * Where the configuration is read, or a whole one, or what differs from `config/default.yaml`;
   * absent, the process's. Only what has a source can change while the hub runs.
   */
  readonly config?: ConfigSource | AppConfig | ConfigOverrides;
  /** Replaces providers of the shared module by their token (`Clock`, `IdSource`, …). */
  readonly providers?: readonly Replacement[];
}

/** Builds the hub, ready to listen. `close()` drains it. */
export async function createApp(overrides: AppOverrides = {}): Promise<NestFastifyApplication> {
  const source = sourceOf(overrides.config);
  const config = source.initial;
  const redaction = new LogRedaction(config.log.redact);
  const log = await openLog(config.log, redaction);
  // A summary of it is logged when the hub has started; all of it also by the command `config`.
  log.debug({ config: summarize(config) }, 'configuration');
  const secrets = openSecretBox(config, HUB_SCHEMA, log);
  let bindings: HttpBindings | undefined;
  // There when the first request comes.
  let observer: HttpObserver | undefined = undefined;
  checkCertificateTimes(config, new SystemClock());
  const http = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECKED_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const tls = TlsListener.of(textsOf(httpListener(config)), {
    ...http,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  });
  const adapter = new FastifyAdapter({
    ...(tls && { serverFactory: tls.serverFactory }),
    // Of the admin API, and of whatever says nothing else: the A2A API has its own.
    bodyLimit: config.server.adminBodyLimit,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http,
    keepAliveTimeout: KEEP_ALIVE_MS,
    genReqId: ({ headers }: IncomingMessage) => requestIdOf(headers[REQUEST_ID]),
    // Theirs has a form of its own; see `refuseWhileDraining`.
    return503OnClosing: false,
    routerOptions: ROUTER,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      observer?.begin(request, reply);
      refuseUrl(request, reply, bindings);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(config, log, secrets, overrides.providers ?? [], source),
    adapter,
    {
      logger: new NestLog(log),
      abortOnError: false,
      // Fastify's own parsers serve; Nest would add one for HTML forms, which no API here takes.
      bodyParser: false,
    },
  );
  await redaction
    .prepare(() => app.get(HubSettings).principalDigestKey())
    .catch((err: unknown) => log.warn({ err }, 'principals are left out of this log'));
  tls?.follow(app.get(ListenerTls).http);
  app.useGlobalPipes(adminValidationPipe());
  app.useGlobalFilters(new ProblemFilter(log));
  const server = adapter.getInstance();
  if (config.role === 'worker') server.removeAllContentTypeParsers();
  else {
    app.useGlobalInterceptors(app.get(AuditedChanges));
    app.get(AdminBodies).parse(server);
    app.get(AdminAnswers).meter(server);
    app.get(BusyAnswers).mark(server);
  }
  const refusals = app.get(Refusals);
  observer = new HttpObserver(
    app.get(Metrics),
    app.get(OperationMetrics),
    new RequestLog(app.get(ModuleLogs).plain('observability'), config.log.requests),
    app.get(Tracing),
    (ended, address) => refusals.ended({ ...ended, address }),
  );
  observer.observe(server);
  server.addHook('onRequest', noSniffing);
  forbidStoring(server);
  allowOrigins(server, config.server.corsOrigins);
  new UnreadBodies(({ principal }) => principal !== null).handle(server);
  refuseWhileDraining(server, app.get(Draining));
  if (config.role === 'worker') answerProbesOnly(adapter);
  app.get(HttpAccess).guard(server, ROUTER);
  if (config.role !== 'worker') {
    app.get(AdminRates).count(server);
    serveOpenApi(app);
    serveReference(server);
    serveFrontPage(server);
    if (config.console.enabled) await serveConsole(server);
    bindings = app.get(HttpBindings);
  }
  boundDraining(app.get(Draining), app.getHttpServer(), config.server.drainMs);
  return app;
}

function sourceOf(given: AppOverrides['config']): ConfigSource {
  if (given === undefined) return new ProcessConfigSource();
  if (given instanceof ConfigSource) return given;
  return new FixedConfigSource(given instanceof AppConfig ? given : configWith(given));
}

/** A path that Fastify itself refuses (bad percent-encoding, an endless id): in the form of its binding's errors. */
function refuseUrl(
  request: FastifyRequest,
  reply: FastifyReply,
  bindings: HttpBindings | undefined,
): void {
  const text = 'The path is badly encoded or has a part that is too long.';
  const error = new HubError('INVALID_REQUEST', text);
  // Such a request has passed no hook: the sender of its body is unknown.
  void reply.headers({
    connection: 'close',
    'x-content-type-options': 'nosniff',
    'cache-control': NO_STORE,
  });
  if (bindings?.refuse(error, request, reply)) return;
  noteFailure(request.note, error);
  const problem = problemOf(error);
  void reply.status(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem));
}

/** No answer is to be taken for anything but what its `Content-Type` says. */
const noSniffing: onRequestHookHandler = (_request, reply, done) => {
  void reply.header('x-content-type-options', 'nosniff');
  done();
};

/**
 * Requests that come on open connections while the process drains: refused in the form of their binding. Before, once it is
 * announced, they are served, and their connections end with the answers: what is asked next goes to another process.
 */
function refuseWhileDraining(server: FastifyInstance, draining: Draining): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (!draining.announced.aborted) return done();
    void reply.header('connection', 'close');
    done(!draining.signal.aborted || isProbe(request) ? undefined : stopping());
  });
}

/** A worker serves no clients: only health and metrics. */
function answerProbesOnly(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
    done(isProbe(request) ? undefined : new HubError('NOT_FOUND', 'This process is a worker.'));
  });
}

function isProbe({ url }: FastifyRequest): boolean {
  return /^\/(health\/|metrics\b)/.test(url);
}

/** While draining, closes connections as they become idle, and all of them after `limitMs`. */
function boundDraining(draining: Draining, server: Server, limitMs: number): void {
  draining.signal.addEventListener('abort', () => {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS).unref();
    const limit = setTimeout(() => server.closeAllConnections(), limitMs).unref();
    server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(limit);
    });
  });
}
