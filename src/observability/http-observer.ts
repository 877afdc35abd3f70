import type { FastifyInstance } from 'fastify';
import type { Log } from '../common/logger.js';
import type { Metrics } from './metrics.js';

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

/** Measures every request and notes those that failed inside the hub. */
export function observeHttp(server: FastifyInstance, metrics: Metrics, log: Log): void {
  const names = new Map<string, string>();
  const nameOf = (url: string): string => {
    const name = names.get(url) ?? readable(url);
    names.set(url, name);
    return name;
  };
  server.addHook('onResponse', (request, reply, done) => {
    // An unknown path is one series, not as many as there are paths.
    const { url } = request.routeOptions;
    const route = request.is404 || url === undefined ? '(unknown)' : nameOf(url);
    const status = reply.raw.statusCode;
    metrics.httpDuration.observe(
      {
        method: METHODS.has(request.method) ? request.method : 'other',
        route,
        status: String(status),
      },
      reply.elapsedTime / 1000,
    );
    if (status >= 500) {
      log.warn({ method: request.method, route, status, ms: reply.elapsedTime }, 'request failed');
    }
    done();
  });
}

/** A path of Fastify's kind without the patterns of its parameters: `/a2a/tasks/:id:cancel`. */
function readable(url: string): string {
  const path = url.replace(/\([^()]*\)/g, '');
  // Patterns may hold others; the innermost go first.
  return path === url ? path.replaceAll('::', ':') : readable(path);
}
