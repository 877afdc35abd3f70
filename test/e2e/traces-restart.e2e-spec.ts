import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubProcess, startHubProcess } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { type CollectedSpan, OtlpCollector } from '../support/otlp-collector.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const DEADLINE_MS = 60_000;
const ROOT = new URL('../../', import.meta.url).pathname;

describe('kill -9 in the middle of a task', () => {
  const traceId = randomBytes(16).toString('hex');
  let collector: OtlpCollector;
  let agent: ScriptedAgent;
  let sink: WebhookSink;
  let hub: HubProcess;
  let spans: readonly CollectedSpan[];
  let killedAt: number;
  let upTo = 1;

  beforeAll(async () => {
    [collector, agent, sink] = await Promise.all([
      OtlpCollector.start(),
      ScriptedAgent.start({ name: 'Counter', live: { chunks: 3, everyMs: 5, upTo: () => upTo } }),
      WebhookSink.start(),
    ]);
    hub = await startHubProcess({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: new URL('/', collector.endpoint).href },
    });
    await hub.registerAgent(agent.url, { id: 'counter' });
    await hub.submit(
      'count',
      {
        message: { metadata: { agentId: 'counter' } },
        configuration: { taskPushNotificationConfig: { url: sink.url('/hook') } },
      },
      { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
    );
    await collector.trace(traceId, (all) => all.some(({ name }) => name === 'SendMessage'));
    await eventually(() => {
      const [task] = agent.tasks.values();
      if (task?.parts.length !== 1) throw new Error('the agent has not begun');
    });
    await hub.kill();
    killedAt = Date.now();
    await hub.restart();
    upTo = 3;
    await sink.waitFor(({ raw }) => raw.includes('TASK_STATE_COMPLETED'), DEADLINE_MS);
    spans = await collector.trace(
      traceId,
      (all) =>
        all.some(({ name }) => name === 'invoke_agent Counter') &&
        all.some(({ name, ended }) => name === 'a2a.webhook' && ended > killedAt),
    );
  }, 2 * DEADLINE_MS);

  afterAll(async () => {
    await hub?.close();
    await Promise.all([collector?.close(), agent?.close(), sink?.close()]);
  });

  it('the delegation is one span, from before the kill to after it', () => {
    const found = spans.filter(({ name }) => name === 'invoke_agent Counter');
    expect(found).toHaveLength(1);
    expect(found[0]!.begun).toBeLessThan(killedAt);
    expect(found[0]!.ended).toBeGreaterThan(killedAt);
    const request = spans.find(({ name }) => name === 'SendMessage')!;
    expect(found[0]!.parentId).toBe(request.spanId);
  });

  it('the agent is called in the same trace by both processes, below that span', () => {
    const delegation = spans.find(({ name }) => name === 'invoke_agent Counter')!;
    const later = spans.filter(({ parentId }) => parentId === delegation.spanId);
    expect(later.map(({ name }) => name)).not.toContain('a2a.SendStreamingMessage');
    expect(later.length).toBeGreaterThan(0);
    expect(later.every(({ begun }) => begun > killedAt)).toBe(true);
    const parents = agent.calls.map(({ headers }) => String(headers['traceparent']));
    expect(parents.length).toBeGreaterThan(1);
    for (const traceparent of parents) expect(traceparent).toContain(traceId);
  });

  it('webhooks go on in the trace, and no span is there twice', () => {
    const request = spans.find(({ name }) => name === 'SendMessage')!;
    const webhooks = spans.filter(({ name }) => name === 'a2a.webhook');
    expect(webhooks.every(({ parentId }) => parentId === request.spanId)).toBe(true);
    const ids = collector.spans.map((span) => span.spanId);
    expect(ids).toEqual([...new Set(ids)]);
    const instances = new Set(spans.map(({ resource }) => resource['service.instance.id']));
    expect(instances.size).toBe(2);
  });
});

describe('what a hub loads of OpenTelemetry', () => {
  // What is imported of CommonJS is among its modules, too.
  const PROGRAM = `
    import Module from 'node:module';
    const { createApp } = await import('./dist/bootstrap.js');
    const traces = { endpoint: process.argv[1] || null };
    const config = { database: { url: 'sqlite::memory:' }, log: { level: 'silent' }, telemetry: { traces } };
    const app = await createApp({ config });
    await app.init();
    const loaded = Object.keys(Module._cache).filter((name) => name.includes('@opentelemetry'));
    // The library of the metrics loads the API for itself.
    console.log(loaded.filter((name) => !name.includes('@opentelemetry/api/')).length);
    await app.close();
  `;

  async function loaded(endpoint: string): Promise<number> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, endpoint],
      { cwd: ROOT, env: { PATH: process.env['PATH'] } },
    );
    return Number(stdout);
  }

  it('is nothing without an endpoint', async () => {
    expect(await loaded('')).toBe(0);
    expect(await loaded('http://127.0.0.1:9/v1/traces')).toBeGreaterThan(0);
  }, 60_000);
});
