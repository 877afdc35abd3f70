import type { ConfigProblem } from './config-error.js';
import type { Written } from './source-files.js';

const ENDPOINT = 'telemetry.traces.endpoint';
const OFF = ['OTEL_SDK_DISABLED', 'OTEL_TRACES_EXPORTER'] as const;

/**
 * Takes where traces go from OpenTelemetry's own variables, which platforms set for all their programs, where the hub's settings do
 * not say: the address of the collector and, with it, its headers and the name of the service.
 */
export function readStandardVariables(
  environment: NodeJS.ProcessEnv,
  written: Map<string, Written>,
  problems: ConfigProblem[],
  /** The source of values that are not set. */
  defaults: string,
): void {
  if (isSet(written.get(ENDPOINT)?.value)) return;
  if (environment[OFF[0]] === 'true' || environment[OFF[1]] === 'none') return;
  const signal = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const general = environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const value = signal || (general && `${general.replace(/\/+$/, '')}/v1/traces`);
  if (!value) return;
  const protocol = firstOf(
    environment,
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
  );
  if (protocol?.value === 'grpc') {
    const text = `grpc is not spoken by the hub: set ${ENDPOINT} to the collector's address for OTLP over HTTP (port 4318 as a rule), or OTEL_TRACES_EXPORTER=none for no traces`;
    problems.push({ key: protocol.name, source: 'environment', text });
    return;
  }
  const source = signal ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  written.set(ENDPOINT, { value, source, kind: 'environment' });
  take(
    'telemetry.traces.headers',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'OTEL_EXPORTER_OTLP_HEADERS',
  );
  take('telemetry.traces.serviceName', 'OTEL_SERVICE_NAME');

  function take(key: string, ...names: readonly string[]): void {
    const found = firstOf(environment, ...names);
    const before = written.get(key);
    if (found === undefined || (before !== undefined && before.source !== defaults)) return;
    written.set(key, { value: found.value, source: found.name, kind: 'environment' });
  }
}

function firstOf(
  environment: NodeJS.ProcessEnv,
  ...names: readonly string[]
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && value !== '') return { name, value };
  }
  return undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
