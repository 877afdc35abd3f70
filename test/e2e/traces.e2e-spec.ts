import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfigOverrides } from '../../src/config/index.js';
import { type Hub, startHub } from '../support/app.js';
import { allBindings, type Binding } from '../support/bindings.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { type CollectedSpan, KIND, OtlpCollector } from '../support/otlp-collector.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])$/;
const SUBSCRIPTIONS = '/api/v1/push/subscriptions';

const newTraceId = (): string => randomBytes(16).toString('hex');
const parentOf = (traceId: string, flags = '01'): string =>
  `00-${traceId}-00f067aa0ba902b7-${flags}`;
const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan =>
  spans.find((span) => span.name === name)!;
const hasAll = (spans: readonly CollectedSpan[], ...names: string[]): boolean =>
  names.every((name) => spans.some((span) => span.name === name));

interface Parties {
  readonly hub: Hub;
  readonly agent: ScriptedAgent;
  readonly sink: WebhookSink;
  close(): Promise<void>;
}

/** A hub with an agent, and a receiver of all events of its organization. */
async function start(
  traces: NonNullable<ConfigOverrides['telemetry']>['traces'] = {},
): Promise<Parties> {
  const [hub, agent, sink] = await Promise.all([
    startHub({
      config: { grpc: { port: -1 }, telemetry: { traces } },
    }),
    ScriptedAgent.start({ name: 'Counter' }),
    WebhookSink.start(),
  ]);
  await hub.registerAgent(agent.url, { id: 'counter' });
  const scopes = ['push', 'tasks:organization'];
  const key = await hub.createKey({ scopes, organization: 'tests' });
  const subscription = { url: sink.url('/all'), events: 'changes' };
  const made = await hub.admin('POST', SUBSCRIPTIONS, subscription, key);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return {
    ...{ hub, agent, sink },
    close: async () => {
      await hub.close();
      await Promise.all([agent.close(), sink.close()]);
    },
  };
}

describe('with a collector', () => {
  let collector: OtlpCollector;
  let parties: Parties;
  let bindings: Binding[];

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    parties = await start({
      endpoint: collector.endpoint,
      headers: { 'x-collector-key': 'the key' },
      linkTo: 'https://traces.example/trace/{traceId}',
    });
    bindings = allBindings(parties.hub);
  });

  afterAll(async () => {
    for (const binding of bindings ?? []) binding.close();
    await parties?.close();
    await collector?.close();
  });

  const webhooksIn = (traceId: string): ReceivedWebhook[] =>
    parties.sink.received.filter(({ headers }) => headers['traceparent']?.includes(traceId));
  const isEnd = ({ json }: ReceivedWebhook): boolean =>
    JSON.stringify(json).includes('TASK_STATE_COMPLETED');

  it.each([
    ['JSON-RPC 1.0', 0],
    ['JSON-RPC 0.3', 1],
    ['HTTP+JSON 1.0', 2],
    ['HTTP+JSON 0.3', 3],
    ['gRPC 1.0', 4],
    ['gRPC 0.3', 5],
  ])('%s: one trace from the request to the webhook', async (name, index) => {
    const traceId = newTraceId();
    const binding = bindings[index]!;
    expect(binding.name).toBe(name);
    const headers = { traceparent: parentOf(traceId), tracestate: 'vendor=1, other=2' };
    await binding.send({ agentId: 'counter' }, { headers });
    const spans = await collector.trace(
      traceId,
      (all) =>
        hasAll(all, 'SendMessage', 'a2a.route', 'invoke_agent Counter', 'a2a.webhook') &&
        all.filter((span) => span.name === 'a2a.webhook').length === webhooksIn(traceId).length &&
        webhooksIn(traceId).some(isEnd),
    );
    const request = named(spans, 'SendMessage');
    const route = named(spans, 'a2a.route');
    const delegation = named(spans, 'invoke_agent Counter');
    const call = named(spans, 'a2a.SendStreamingMessage');
    expect([request.kind, request.parentId]).toEqual([KIND.SERVER, '00f067aa0ba902b7']);
    expect([route.kind, route.parentId]).toEqual([KIND.INTERNAL, request.spanId]);
    expect([delegation.kind, delegation.parentId]).toEqual([KIND.INTERNAL, request.spanId]);
    expect([call.kind, call.parentId]).toEqual([KIND.CLIENT, delegation.spanId]);
    expect([request, route, delegation, call].map((span) => span.isParentRemote)).toEqual([
      ...[true, false, false, false],
    ]);
    // Each once.
    expect(spans.map(({ spanId }) => spanId)).toEqual([
      ...new Set(spans.map(({ spanId }) => spanId)),
    ]);
    // The agent and the receivers continue the very spans.
    const [asked] = parties.agent
      .callsOf('SendStreamingMessage')
      .filter(({ headers: sent }) => sent['traceparent']?.includes(traceId));
    expect(asked!.headers['traceparent']).toBe(`00-${traceId}-${call.spanId}-01`);
    expect(asked!.headers['tracestate']).toBe('vendor=1,other=2');
    const webhooks = spans.filter((span) => span.name === 'a2a.webhook');
    expect(webhooks.map(({ kind, parentId }) => [kind, parentId])).toEqual(
      webhooks.map(() => [KIND.CLIENT, request.spanId]),
    );
    expect(webhooks.map(({ spanId }) => `00-${traceId}-${spanId}-01`).toSorted()).toEqual(
      webhooksIn(traceId)
        .map((got) => String(got.headers['traceparent']))
        .toSorted(),
    );
    for (const { begun, ended } of spans) expect(ended).toBeGreaterThanOrEqual(begun);
    expect(collector.faults).toEqual([]);
  });

  it('says what happened, by names and not by contents', async () => {
    const traceId = newTraceId();
    const secret = 'nobody else should read this';
    const { task } = await parties.hub.send(
      secret,
      { message: { metadata: { agentId: 'counter' } } },
      { headers: { traceparent: parentOf(traceId) } },
    );
    const spans = await collector.trace(traceId, (all) =>
      hasAll(all, 'SendMessage', 'a2a.route', 'invoke_agent Counter', 'a2a.webhook'),
    );
    const { id, contextId } = task as unknown as { id: string; contextId: string };
    expect(named(spans, 'SendMessage')).toMatchObject({
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/a2a',
        'http.response.status_code': 200,
        'a2a.operation': 'SendMessage',
        'a2a.task.id': id,
      },
      resource: { 'service.name': 'a2a-hub', 'service.version': expect.any(String) },
    });
    expect(named(spans, 'a2a.route').attributes).toMatchObject({
      'a2a.route.reason': 'agent',
      'a2a.route.agents': ['counter'],
    });
    expect(named(spans, 'invoke_agent Counter').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'counter',
      'gen_ai.agent.name': 'Counter',
      'gen_ai.conversation.id': contextId,
      'a2a.task.id': id,
      'a2a.delegation.state': 'completed',
    });
    const call = named(spans, 'a2a.SendStreamingMessage');
    expect(call.attributes).toMatchObject({
      'rpc.system.name': 'jsonrpc',
      'rpc.method': 'SendStreamingMessage',
      'server.address': '127.0.0.1',
      'server.port': parties.agent.port,
    });
    expect(call.events.map(({ name }) => name)).toContain('a2a.event.artifactUpdate');
    expect(call.events.at(-1)!.attributes).toEqual({ 'a2a.task.state': 'TASK_STATE_COMPLETED' });
    expect(named(spans, 'a2a.webhook').attributes).toMatchObject({
      'http.response.status_code': 200,
      'a2a.task.id': id,
      'a2a.webhook.attempt': 1,
    });
    expect(JSON.stringify(spans)).not.toContain(secret);
    expect(collector.requests.at(-1)).toMatchObject({
      url: '/v1/traces',
      headers: { 'x-collector-key': 'the key' },
    });
  });

  it('a task without a traceparent gets a trace of its own, which the admin API names', async () => {
    const { task } = await parties.hub.send('hello', {
      message: { metadata: { agentId: 'counter' } },
    });
    const { body } = await parties.hub.admin(
      'GET',
      `/api/v1/tasks/${String((task as JsonObject)['id'])}`,
    );
    const [, traceId] = TRACEPARENT.exec(String(body['traceparent']))!;
    expect(body['traceUrl']).toBe(`https://traces.example/trace/${traceId}`);
    const spans = await collector.trace(traceId!, (all) =>
      hasAll(all, 'SendMessage', 'invoke_agent Counter'),
    );
    expect(named(spans, 'SendMessage').parentId).toBe('');
  });

  it('a trace that its caller does not record is handed on as it came, without a span', async () => {
    const traceId = newTraceId();
    const traceparent = parentOf(traceId, '00');
    const sent = { message: { metadata: { agentId: 'counter' } } };
    await parties.hub.send('hello', sent, { headers: { traceparent } });
    const [asked] = parties.agent.calls.filter(
      ({ headers }) => headers['traceparent'] === traceparent,
    );
    expect(asked).toBeDefined();
    await parties.sink.waitFor((got) => got.headers['traceparent'] === traceparent && isEnd(got));
    // What comes later is there: the former would be.
    const later = newTraceId();
    await parties.hub.send('hello', sent, { headers: { traceparent: parentOf(later) } });
    await collector.trace(later, (all) => hasAll(all, 'invoke_agent Counter'));
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it('a request of the admin API has a span, a probe and the files of the console have none', async () => {
    for (const path of [
      'health/ready',
      'console',
      'console/tasks',
      'console/icon.svg',
      'console/assets/none.js',
    ])
      await fetch(`${parties.hub.url}/${path}`);
    await parties.hub.admin('GET', '/api/v1/agents/none%2Fsecret');
    const span = await eventually(() => {
      const found = collector.spans.find(({ name }) => name === 'GET /api/v1/agents/:id');
      if (found === undefined) throw new Error('no span of the admin API came');
      return found;
    });
    expect(span.attributes).toMatchObject({
      'http.response.status_code': 404,
      'a2a.error.reason': 'NOT_FOUND',
    });
    // It is the caller's mistake.
    expect(span.statusCode).toBe(0);
    expect(collector.spans.filter(({ name }) => /health|console/.test(name))).toEqual([]);
    const metrics = await parties.hub.admin('GET', '/metrics');
    const routes = metrics.text.match(
      /a2a_hub_http_request_duration_seconds_count\{[^}]*route="\/console[^"]*"/g,
    );
    expect(new Set(routes?.map((each) => /route="[^"]*"/.exec(each)![0]))).toEqual(
      new Set(['route="/console/*"']),
    );
  });

  it('an agent that cannot be reached fails its spans', async () => {
    const gone = await ScriptedAgent.start({ name: 'Gone' });
    await parties.hub.registerAgent(gone.url, { id: 'gone' });
    await gone.close();
    const traceId = newTraceId();
    await parties.hub.send(
      'hello',
      { message: { metadata: { agentId: 'gone' } } },
      { headers: { traceparent: parentOf(traceId) } },
    );
    const spans = await collector.trace(traceId, (all) => hasAll(all, 'invoke_agent Gone'));
    expect(named(spans, 'invoke_agent Gone')).toMatchObject({
      statusCode: 2,
      attributes: { 'error.type': 'failed' },
    });
    expect(named(spans, 'a2a.SendStreamingMessage')).toMatchObject({
      statusCode: 2,
      attributes: { 'error.type': 'unreachable' },
    });
  });

  it('an attempt that fails has a span that says so', async () => {
    const traceId = newTraceId();
    parties.sink.answer = ({ headers }) => (headers['traceparent']?.includes(traceId) ? 503 : 200);
    await parties.hub.send(
      'hello',
      { message: { metadata: { agentId: 'counter' } } },
      { headers: { traceparent: parentOf(traceId) } },
    );
    const spans = await collector.trace(traceId, (all) => hasAll(all, 'a2a.webhook'));
    parties.sink.answer = 200;
    expect(named(spans, 'a2a.webhook')).toMatchObject({
      statusCode: 2,
      attributes: { 'http.response.status_code': 503, 'error.type': '503' },
    });
  });
});
