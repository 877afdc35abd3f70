import { collectorHeaders } from '../collector-headers.js';
import { duration, flag, number, optionalHttpUrl, optionalText, text } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { MINUTE, SECOND } from '../units.js';

/** What the hub reports of its work to systems of its operators. */
export const TELEMETRY_SETTINGS = {
  telemetry: new Section('What the hub reports of its work; docs/telemetry.md.', {
    traces: new Section('Spans of OpenTelemetry, sent by OTLP over HTTP.', {
      endpoint: optionalHttpUrl({
        default: null,
        description:
          'The address that spans are POSTed to as they are, with its path (https://collector.example/v1/traces); egress.allow holds for it. Null: what OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT say, and without them there are no traces.',
      }),
      headers: collectorHeaders({
        default: {},
        description:
          'Headers of these requests, as in OTEL_EXPORTER_OTLP_HEADERS: NAME=VALUE, more of them after commas, values percent-encoded where they hold a comma.',
      }),
      ca: optionalText({
        default: null,
        description:
          'Certificates of the authorities trusted for the collector, as PEM or file:PATH. Null: those that Node trusts.',
        reference: true,
      }),
      sample: number({
        min: 0,
        max: 1,
        decimals: true,
        default: 1,
        description:
          'The share of traces that are recorded, of those that the hub decides on: decided once, when the request comes. 0.1 is one in ten.',
      }),
      trustParent: flag({
        default: true,
        description:
          'Whether callers that send a traceparent decide by its sampled flag if their trace is recorded. false: sample decides for all; their trace goes on all the same.',
      }),
      serviceName: text({
        default: 'a2a-hub',
        pattern: /^[\x20-\x7e]{1,255}$/,
        allowed: '1 to 255 printable characters',
        description: 'service.name of the spans.',
      }),
      linkTo: optionalText({
        default: null,
        pattern: /^https?:\/\/[^\s]*\{traceId\}[^\s]*$/i,
        allowed: 'an http or https address that contains {traceId}, or null',
        description:
          'Where people can look at a trace (https://traces.example/trace/{traceId}); tasks of the admin API and the console link to it.',
      }),
      maxQueue: number({
        min: 256,
        max: 100_000,
        default: 4096,
        description: 'Spans that may wait to be sent; more are dropped.',
      }),
      timeoutMs: duration({
        min: SECOND,
        max: MINUTE,
        default: 10 * SECOND,
        description: 'How long one request to the collector may take.',
      }),
    }),
  }),
} as const;
