import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStreams } from '../../src/a2a/sse/event-streams.js';
import { Draining } from '../../src/common/draining.js';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const V0 = { version: null };

/** A subscription at each binding over HTTP. */
const STREAMS: readonly [binding: string, open: (hub: Hub, id: string) => Promise<HttpAnswer>][] = [
  ['JSON-RPC 1.0', (hub, id) => hub.rpcRaw('SubscribeToTask', { id })],
  ['JSON-RPC 0.3', (hub, id) => hub.rpcRaw('tasks/resubscribe', { id }, { version: null })],
  ['HTTP+JSON 1.0', (hub, id) => hub.rest('GET', `/a2a/tasks/${id}:subscribe`)],
  ['HTTP+JSON 0.3', (hub, id) => hub.rest('GET', `/a2a/v1/tasks/${id}:subscribe`, undefined, V0)],
];

let hub: Hub;
let agent: ScriptedAgent;
let ended: Map<string, HttpAnswer>;

/** Streams are open when the process begins to drain; its port stays open for the rest of the test. */
beforeAll(async () => {
  hub = await startHub();
  agent = await ScriptedAgent.start({ live: { manual: true } });
  await hub.registerAgent(agent.url, { id: 'scripted' });
  const task = await hub.submit('go', { message: { metadata: { agentId: 'scripted' } } });
  const id = String(task['id']);
  const streams = STREAMS.map(async ([binding, open]) => [binding, await open(hub, id)] as const);
  const { open } = hub.app.get<{ open: Map<unknown, unknown> }>(EventStreams);
  await eventually(() => expect(open.size).toBe(STREAMS.length));
  hub.app.get(Draining).begin();
  ended = new Map(await Promise.all(streams));
});

afterAll(async () => {
  await hub.close();
  await agent.close();
});

describe('while the process drains', () => {
  it.each(STREAMS)('a stream of %s ends as UNAVAILABLE', (binding) => {
    const { status, text } = ended.get(binding)!;
    expect(status).toBe(200);
    const events = text.trim().split('\n\n');
    expect(events.length).toBeGreaterThan(1);
    expect(events[0]).toMatch(/^id: \d+\n/);
    const last = events.at(-1)!;
    expect(last).toContain('"reason":"UNAVAILABLE"');
    expect(last).toContain('subscribe again');
    expect(last).not.toMatch(/^id:/m);
    expect(/^event: error$/m.test(last)).toBe(binding.startsWith('HTTP+JSON'));
  });

  it('JSON-RPC answers 503 in its envelope', async () => {
    const answer = await requested(() => hub.rpcRaw('GetTask', { id: 'any' }));
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', connection: 'close' },
      body: { jsonrpc: '2.0', id: null, error: { code: -32603, data: [UNAVAILABLE] } },
    });
    const legacy = await requested(() => hub.rpcRaw('tasks/get', { id: 'any' }, V0));
    expect(legacy).toMatchObject({
      status: 503,
      body: { error: { code: -32603, message: 'Internal error', data: UNAVAILABLE } },
    });
  });

  it('HTTP+JSON answers 503 in the form of its version', async () => {
    expect(await requested(() => hub.rest('GET', '/a2a/tasks'))).toMatchObject({
      status: 503,
      headers: {
        'retry-after': '1',
        'content-type': expect.stringContaining('application/a2a+json'),
      },
      body: { error: { code: 503, status: 'UNAVAILABLE', details: [UNAVAILABLE] } },
    });
    expect(
      await requested(() => hub.rest('GET', '/a2a/v1/tasks/any', undefined, V0)),
    ).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { code: -32603, data: UNAVAILABLE },
    });
  });

  it('the admin API answers 503 with a problem, and the probes go on', async () => {
    expect(await requested(() => hub.admin('GET', '/api/v1/agents'))).toMatchObject({
      status: 503,
      headers: {
        'content-type': expect.stringContaining('application/problem+json'),
        'retry-after': '1',
      },
      body: { type: 'urn:a2a-hub:error:unavailable' },
    });
    const probe = (path: string): Promise<HttpAnswer> =>
      requested(() => hub.get(path, { key: null }));
    expect((await probe('/health/live')).status).toBe(200);
    expect((await probe('/health/ready')).status).toBe(503);
  });
});

/** Idle connections are closed meanwhile, at times before their request is read. */
function requested(ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  return eventually(ask);
}

const UNAVAILABLE = { reason: 'UNAVAILABLE', metadata: { retryAfterSeconds: '1' } };
