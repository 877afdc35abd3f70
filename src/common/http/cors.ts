import type { FastifyInstance } from 'fastify';
import { PUBLIC_REQUEST_HEADERS } from './public-document.js';

/** What a page of an allowed origin may send; at public documents what every page may, and keys as everywhere. */
const REQUEST_HEADERS = [
  ...PUBLIC_REQUEST_HEADERS,
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'Accept',
  'Cache-Control',
  'If-Match',
  'A2A-Extensions',
  'X-A2A-Extensions',
  'A2A-Hub-Hops',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-Request-Id',
  'traceparent',
  'tracestate',
].join(', ');
/** What it may read of an answer, beside its body. */
const ANSWER_HEADERS = [
  'X-Request-Id',
  'A2A-Extensions',
  'X-A2A-Extensions',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'ETag',
  'A2A-Hub-Busy',
].join(', ');
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** How long a browser may cache the answer. */
const MAX_AGE_SECONDS = 600;

/**
 * Lets pages of these origins (`*`: of any) read the answers of every route, streams among them, and send
 * what a browser asks about first. Cookies are never taken, and the header that sessions of the console need is not listed. To be called before other hooks that may refuse.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const any = origins.includes('*');
  const allowed = new Set(origins);
  server.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': requested } = request.headers;
    // On the raw answer, so that streams have them as well.
    if (!any) reply.raw.setHeader('vary', 'Origin');
    if (origin === undefined || !(any || allowed.has(origin))) return done();
    reply.raw.setHeader('access-control-allow-origin', any ? '*' : origin);
    if (request.method !== 'OPTIONS' || requested === undefined) {
      reply.raw.setHeader('access-control-expose-headers', ANSWER_HEADERS);
      return done();
    }
    void reply
      .status(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': String(MAX_AGE_SECONDS),
      })
      .send();
  });
}
