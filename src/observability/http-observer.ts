import type { FastifyInstance } from 'fastify';
import type { Log } from '../common/logger.js';
import type { Metrics } from './metrics.js';

/** Measures every request and notes those that failed inside the hub. */
export function observeHttp(server: FastifyInstance, metrics: Metrics, log: Log): void {
  server.addHook('onResponse', (request, reply, done) => {
    // An unknown path is one series, not as many as there are paths.
    const route = request.is404 ? '(unknown)' : (request.routeOptions.url ?? '(unknown)');
    const status = reply.raw.statusCode;
    metrics.httpDuration.observe(
      { method: request.method, route, status: String(status) },
      reply.elapsedTime / 1000,
    );
    if (status >= 500) {
      log.warn({ method: request.method, route, status, ms: reply.elapsedTime }, 'request failed');
    }
    done();
  });
}
