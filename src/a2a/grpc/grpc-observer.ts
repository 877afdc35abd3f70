import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Log } from '../../common/logger.js';
import type { Metrics } from '../../observability/metrics.js';

/** Statuses of failures that are the hub's own. */
const FAILURES: ReadonlySet<number> = new Set([
  status.UNKNOWN,
  status.INTERNAL,
  status.UNAVAILABLE,
]);

/**
 * Measures every call and notes those that failed inside the hub. Methods that are not `known` are one
 * series, not as many as there are names.
 */
export function observeGrpc(
  metrics: Metrics,
  log: Log,
  known: (path: string) => boolean,
): ServerInterceptor {
  const duration = metrics.histogram(
    'grpc_request_duration_seconds',
    'Seconds from a gRPC call to its status.',
    ['method', 'code'],
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  );
  return ({ path }, call) => {
    const begin = performance.now();
    return new ServerInterceptingCall(call, {
      sendStatus: (end, next) => {
        const code = status[end.code ?? status.UNKNOWN] ?? 'UNKNOWN';
        const ms = performance.now() - begin;
        duration.observe({ method: known(path) ? path : '(unknown)', code }, ms / 1000);
        if (FAILURES.has(end.code ?? status.UNKNOWN)) {
          log.warn({ method: path, code, ms }, 'gRPC call failed');
        }
        next(end);
      },
    });
  };
}
