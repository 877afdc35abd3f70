import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.js';
import { loadConfig, summarize } from './load-config.js';

const traces = (
  environment: NodeJS.ProcessEnv,
): ReturnType<typeof loadConfig>['telemetry']['traces'] => loadConfig(environment).telemetry.traces;
const GENERAL = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

function problemsOf(environment: NodeJS.ProcessEnv): string {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe("OpenTelemetry's variables", () => {
  it('say where traces go, with what and under which name', () => {
    expect(
      traces({
        ...GENERAL,
        OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%2Cb, other=c',
        OTEL_SERVICE_NAME: 'our hub',
      }),
    ).toMatchObject({
      endpoint: 'http://collector:4318/v1/traces',
      headers: { 'x-key': 'a,b', other: 'c' },
      serviceName: 'our hub',
    });
    const signal = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/elsewhere' };
    expect(traces({ ...GENERAL, ...signal }).endpoint).toBe('http://traces:4318/elsewhere');
  });

  it('do not count beside a setting of the hub', () => {
    const own = { A2A_HUB__TELEMETRY__TRACES__ENDPOINT: 'https://own.example/v1/traces' };
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'key=for-another' };
    expect(traces({ ...GENERAL, ...headers, ...own })).toMatchObject({
      endpoint: 'https://own.example/v1/traces',
      headers: {},
    });
    const named = { A2A_HUB__TELEMETRY__TRACES__SERVICE_NAME: 'own' };
    expect(traces({ ...GENERAL, ...named, OTEL_SERVICE_NAME: 'other' }).serviceName).toBe('own');
  });

  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    [{ ...GENERAL, OTEL_SDK_DISABLED: 'true' }],
    [{ ...GENERAL, OTEL_TRACES_EXPORTER: 'none' }],
    [{ OTEL_SERVICE_NAME: 'hub' }],
  ])('%j makes no traces', (environment) => {
    expect(traces(environment)).toMatchObject({ endpoint: null, serviceName: 'a2a-hub' });
  });

  it('with gRPC are refused, with what to do', () => {
    const problems = problemsOf({ ...GENERAL, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(problems).toMatch(/OTEL_EXPORTER_OTLP_PROTOCOL.*set telemetry\.traces\.endpoint/);
    expect(
      problemsOf({
        ...GENERAL,
        ...{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_SDK_DISABLED: 'true' },
      }),
    ).toBe('');
  });

  it('that are wrong are named', () => {
    expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })).toContain(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    );
    const wrong = problemsOf({ ...GENERAL, OTEL_EXPORTER_OTLP_HEADERS: 'the-secret' });
    expect(wrong).toContain('OTEL_EXPORTER_OTLP_HEADERS');
    expect(wrong).not.toContain('the-secret');
  });
});

describe('telemetry.traces.headers', () => {
  const headersOf = (value: string): unknown =>
    traces({ A2A_HUB__TELEMETRY__TRACES__HEADERS: value }).headers;

  it.each([
    ['', {}],
    ['authorization=Bearer abc', { authorization: 'Bearer abc' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=1, B=2', { a: '1', b: '2' }],
  ])('%j is %j', (value, expected) => {
    expect(headersOf(value)).toEqual(expected);
  });

  it.each(['a', '=a', 'a b=c', 'a=%', 'a=%0d%0ab', 'host=x', 'content-length=1'])(
    '%j is refused',
    (value) => {
      expect(() => headersOf(value)).toThrow('telemetry.traces.headers');
    },
  );

  it('is shown by its names alone', () => {
    const config = loadConfig({ A2A_HUB__TELEMETRY__TRACES__HEADERS: 'x-key=the-secret' });
    expect(summarize(config)['telemetry.traces.headers']).toBe('x-key=********');
  });
});
