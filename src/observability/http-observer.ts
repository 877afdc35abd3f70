import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CallNote, noteTask, noteTrace } from '../common/call-note.js';
import { onceClosed } from '../common/http/once-closed.js';
import type { Tracing } from '../common/tracing/tracing.js';
import { REQUEST_ID } from '../common/request-id.js';
import type { Metrics } from './metrics.js';
import type { OperationMetrics } from './operation-metrics.js';
import type { EndedRequest, RequestLog } from './request-log.js';
import { endRequestSpan } from './tracing/request-span.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is found out about the request, for the log. */
    note: CallNote;
  }
  interface FastifyContextConfig {
    /** The binding of A2A that the route is of, by its name in cards. */
    binding?: string;
  }
}

/** Methods that are a series of their own; Node takes 35, most of them for nothing here. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
const UNKNOWN = '(unknown)';
/** Routes that machines ask all the time. */
const PROBE = /^\/(health\/|metrics$)/;
/** The console's page and its files: one series, and no part of any trace. */
const CONSOLE = /^\/console(\/\*|\/assets\/\*|\/icon\.svg)?$/;
const CONSOLE_FILES = '/console/*';
/** Routes of the admin API about one task. */
const OF_A_TASK = /^\/api\/v1\/tasks\/:id\b/;

interface Described {
  readonly name: string;
  readonly isProbe: boolean;
  readonly isTraced: boolean;
  readonly isOfATask: boolean;
}

/** Gives every answer the id of its request, measures every request and writes it to the log. */
export class HttpObserver {
  private readonly routes = new Map<string, Described>();
  private open = 0;

  constructor(
    private readonly metrics: Metrics,
    private readonly operations: Pick<OperationMetrics, 'ended'>,
    private readonly log: RequestLog,
    private readonly tracing: Pick<Tracing, 'isOn' | 'enter'>,
    /** Told of each request that is over, and where it came from. */
    private readonly onEnded: (ended: EndedRequest, address: string | undefined) => void,
  ) {
    metrics.gauge(
      'http_requests_open',
      'Requests that are not answered to their end, streams among them.',
      [],
      (give) => give({}, this.open),
    );
  }

  /** To be called first of all: what hooks added before it refuse is not seen. */
  observe(server: FastifyInstance): void {
    server.decorateRequest('note');
    server.addHook('onRequest', (request, reply, done) => {
      this.begin(request, reply);
      done();
    });
  }

  /** The same for one request, which has passed no hook. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const begun = performance.now();
    // Of a connection that is gone it cannot be known any more.
    const { remoteAddress } = request.socket;
    request.note = { id: request.id };
    if (this.tracing.isOn) this.enter(request);
    // On the raw answer, so that streams have it as well.
    reply.raw.setHeader(REQUEST_ID, request.id);
    this.open += 1;
    // Also when the client leaves: `onResponse` does not tell of that.
    onceClosed(reply.raw, () => {
      this.open -= 1;
      this.ended(request, reply, performance.now() - begun, remoteAddress);
    });
  }

  private ended(
    request: FastifyRequest,
    { raw }: FastifyReply,
    ms: number,
    address: string | undefined,
  ): void {
    const { url, config } = request.routeOptions;
    // An unknown path is one series, not as many as there are paths.
    const route = request.is404 || url === undefined ? undefined : this.describe(url);
    const name = route?.name ?? UNKNOWN;
    const status = raw.headersSent ? raw.statusCode : null;
    this.metrics.httpDuration.observe(
      {
        method: METHODS.has(request.method) ? request.method : 'other',
        route: name,
        status: String(status ?? 'none'),
      },
      ms / 1000,
    );
    const { note } = request;
    const cut = !raw.writableFinished;
    if (config.binding !== undefined) this.operations.ended(config.binding, note, ms / 1000, cut);
    if (route?.isOfATask) noteTask(note, (request.params as { readonly id: string }).id);
    const ended: EndedRequest = {
      note,
      caller: request.principal,
      to: { method: request.method, route: name },
      status,
      ms,
      cut,
      failed: status !== null && status >= 500,
      isProbe: route?.isProbe ?? false,
    };
    this.onEnded(ended, address);
    this.log.write(ended);
    endRequestSpan(ended);
  }

  /** Probes come all the time, files of the console by dozens: they have no part in any trace. */
  private enter(request: FastifyRequest): void {
    const { url } = request.routeOptions;
    if (url !== undefined && !this.describe(url).isTraced) return;
    const { traceparent } = request.headers;
    noteTrace(
      request.note,
      this.tracing.enter(typeof traceparent === 'string' ? traceparent : undefined),
    );
  }

  private describe(url: string): Described {
    let found = this.routes.get(url);
    if (found === undefined) {
      const isFile = CONSOLE.test(url);
      const name = isFile ? CONSOLE_FILES : readable(url);
      const isProbe = PROBE.test(url);
      found = { name, isProbe, isTraced: !isProbe && !isFile, isOfATask: OF_A_TASK.test(name) };
      this.routes.set(url, found);
    }
    return found;
  }
}

/** A path of Fastify's kind without the patterns of its parameters: `/a2a/tasks/:id:cancel`. */
function readable(url: string): string {
  const path = url.replace(/\([^()]*\)/g, '');
  // Patterns may hold others; the innermost go first.
  return path === url ? path.replaceAll('::', ':') : readable(path);
}
