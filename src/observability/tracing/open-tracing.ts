import { randomUUID } from 'node:crypto';
import type { Clock } from '../../common/clock.js';
import { isDenial } from '../../common/egress/connect-error.js';
import type { Egress } from '../../common/egress/egress.js';
import type { IdSource } from '../../common/ids.js';
import type { Log } from '../../common/logger.js';
import { NoTracing, type Tracing } from '../../common/tracing/tracing.js';
import { type AppConfig, HUB_VERSION } from '../../config/index.js';
import type { Metrics } from '../metrics.js';
import { otlpSender } from './otlp-sender.js';
import { OtlpTracing } from './otlp-tracing.js';
import { SpanExport } from './span-export.js';

/**
 * The traces of this process, as `telemetry.traces` has them, not started: a start that fails is to leave no timer behind.
 * OpenTelemetry is loaded only where there are some.
 */
export async function openTracing(
  { telemetry: { traces } }: Pick<AppConfig, 'telemetry'>,
  egress: Pick<Egress, 'request' | 'check'>,
  clock: Clock,
  log: Log,
  metrics: Metrics,
  ids: IdSource,
): Promise<Tracing> {
  const { endpoint: url, headers, ca, timeoutMs, serviceName, maxQueue } = traces;
  if (url === null) return new NoTracing();
  await egress.check(url).catch((error: unknown) => {
    if (!isDenial(error)) throw error;
    const message =
      'no spans can be sent: telemetry.traces.endpoint may not be called; egress.allow has to list its host';
    log.error({ err: error }, message);
  });
  const { ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  const source = { serviceName, version: HUB_VERSION, instanceId: randomUUID() };
  const to = { url, headers, ca, timeoutMs };
  const send = otlpSender(ProtobufTraceSerializer, source, to, egress);
  const spans = new SpanExport(send, maxQueue, clock, log, metrics);
  const wallMs = () => clock.now().getTime();
  return new OtlpTracing(traces, spans, wallMs, () => ids.jitter());
}
