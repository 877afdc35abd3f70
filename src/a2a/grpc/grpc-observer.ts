import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Refusals } from '../../audit/index.js';
import { type CallNote, noteFailure, noteTrace } from '../../common/call-note.js';
import { ModuleLogs } from '../../common/module-logs.js';
import { REQUEST_ID, requestIdOf } from '../../common/request-id.js';
import { Tracing } from '../../common/tracing/tracing.js';
import { AppConfig } from '../../config/index.js';
import { Metrics } from '../../observability/metrics.js';
import { OperationMetrics } from '../../observability/operation-metrics.js';
import { type EndedRequest, RequestLog } from '../../observability/request-log.js';
import { endRequestSpan } from '../../observability/tracing/request-span.js';
import { errorOf } from './grpc-error.js';

/** Statuses of failures that are the hub's own. */
const FAILURES: ReadonlySet<number> = new Set([
  status.UNKNOWN,
  status.INTERNAL,
  status.UNAVAILABLE,
]);
const HEALTH = '/grpc.health.v1.Health/';
const UNKNOWN = '(unknown)';

interface Observed {
  readonly note: CallNote;
  caller: Principal | null;
}

/** Gives every call an id, measures it and writes it to the log. */
@Injectable()
export class GrpcObserver {
  private readonly observed = new WeakMap<Metadata, Observed>();
  private readonly requests: RequestLog;
  private readonly duration: ReturnType<typeof durationIn>;
  private open = 0;

  constructor(
    metrics: Metrics,
    private readonly operations: OperationMetrics,
    logs: ModuleLogs,
    config: AppConfig,
    private readonly refusals: Refusals,
    private readonly tracing: Tracing,
  ) {
    this.duration = durationIn(metrics);
    metrics.gauge(
      'grpc_calls_open',
      'gRPC calls without a status yet, streams among them.',
      [],
      (give) => give({}, this.open),
    );
    this.requests = new RequestLog(logs.plain('observability'), config.log.requests);
  }

  /** What is noted of a call, by its metadata. */
  noteOf(metadata: Metadata): CallNote {
    return this.observed.get(metadata)!.note;
  }

  /** The caller is known. */
  from(metadata: Metadata, caller: Principal): void {
    this.observed.get(metadata)!.caller = caller;
  }

  /** Methods that are not `known` are one series, not as many as there are names. */
  observe(known: (path: string) => boolean): ServerInterceptor {
    return ({ path }, call) => {
      const begun = performance.now();
      let observed: Observed = { note: { id: requestIdOf(undefined) }, caller: null };
      let isReported = false;
      this.open += 1;
      const isHealth = path.startsWith(HEALTH);
      const method = known(path) || isHealth ? path : UNKNOWN;
      const ended = (code: number, cut: boolean): void => {
        if (isReported) return;
        isReported = true;
        this.open -= 1;
        const ms = performance.now() - begun;
        const name = status[code] ?? 'UNKNOWN';
        this.duration.observe({ method: known(path) ? path : UNKNOWN, code: name }, ms / 1000);
        if (known(path)) this.operations.ended('GRPC', observed.note, ms / 1000, cut);
        const failed = FAILURES.has(code);
        const isProbe = isHealth;
        const to = { method };
        this.refusals.ended({ ...observed, to, address: call.getPeer() });
        const request: EndedRequest = { ...observed, to, status: name, ms, cut, failed, isProbe };
        this.requests.write(request);
        endRequestSpan(request);
      };
      let hasBegun = false;
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, proceed) => {
              observed = { note: { id: requestIdOf(metadata.get(REQUEST_ID)[0]) }, caller: null };
              if (this.tracing.isOn && !isHealth) {
                noteTrace(observed.note, this.tracing.enter(traceparentIn(metadata)));
              }
              this.observed.set(metadata, observed);
              proceed(metadata);
            },
            onCancel: () => ended(status.CANCELLED, true),
          }),
        sendMetadata: (metadata, next) => {
          hasBegun = true;
          metadata.set(REQUEST_ID, observed.note.id);
          next(metadata);
        },
        sendStatus: (end, next) => {
          const error = errorOf(end);
          if (error !== undefined) noteFailure(observed.note, error);
          ended(end.code ?? status.UNKNOWN, false);
          next(hasBegun ? end : withId(end, observed.note.id));
        },
      });
    };
  }
}

/** None, where there are several. */
function traceparentIn(metadata: Metadata): string | undefined {
  const [one, ...more] = metadata.get('traceparent');
  return typeof one === 'string' && more.length === 0 ? one : undefined;
}

type PartialStatusObject = Parameters<ServerInterceptingCall['sendStatus']>[0];

/** The status of a call that had no answer names it in its stead. */
function withId(end: PartialStatusObject, id: string): PartialStatusObject {
  const metadata = end.metadata ?? new Metadata();
  metadata.set(REQUEST_ID, id);
  return { ...end, metadata };
}

function durationIn(metrics: Metrics) {
  return metrics.histogram(
    'grpc_request_duration_seconds',
    'Seconds from a gRPC call to its status.',
    ['method', 'code'],
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  );
}
