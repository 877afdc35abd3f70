import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { WebhookSink } from '../support/webhook-sink.js';

const KIB = 1024;
/** A minute is longer than any of these tests: nothing of an allowance comes back meanwhile. */
const LIMITS = {
  requestsPerMinute: 1000,
  bytesPerMinute: 100 * KIB,
  principal: { requestsPerMinute: 1000, bytesPerMinute: 200 * KIB, receivers: 6 },
};
const BIG = 'x'.repeat(40 * KIB);

describe('receivers that have not agreed to be called', () => {
  let hub: Hub;
  let agent: RunningAgent;
  const sinks: WebhookSink[] = [];

  beforeAll(async () => {
    agent = await startSdkAgent({
      name: 'worker',
      execute: (turn) => void turn.task().artifact('big', BIG).complete(),
    });
    hub = await startHub({
      config: {
        push: { allow: ['127.0.0.0/8'], trustedHosts: ['listed=127.0.0.0/8'], unverified: LIMITS },
      },
    });
    await hub.registerAgent(agent.url, { id: 'worker' });
  });
  afterAll(async () => {
    await hub?.close();
    await agent?.close();
    for (const sink of sinks) await sink.close();
  });

  async function receivers(count: number): Promise<WebhookSink[]> {
    const made = await Promise.all(Array.from({ length: count }, () => WebhookSink.start()));
    sinks.push(...made);
    // They know nothing of the hub.
    for (const sink of made) sink.answer = ({ method }) => (method === 'POST' ? 200 : 405);
    return made;
  }

  const bytesOf = (all: readonly WebhookSink[]): number =>
    all.flatMap(({ received }) => received).reduce((sum, { raw }) => sum + raw.length, 0);

  const posts = (sink: WebhookSink): number =>
    sink.received.filter(({ method }) => method === 'POST').length;

  /** A finished task of the key's principal with a webhook at each of these. */
  async function taskFor(key: string, all: readonly WebhookSink[]): Promise<string> {
    const message = { metadata: { agentId: 'worker' } };
    const taskId = String((await hub.submit('hi', { message }, { key }))['id']);
    await hub.waitForTask(taskId, undefined, 10_000, { key });
    for (const sink of all) {
      const params = { taskId, url: sink.url() };
      await hub.rpc('CreateTaskPushNotificationConfig', params, { key });
    }
    return taskId;
  }

  const push = (method: string, path: string, key: string, body?: unknown): Promise<HttpAnswer> =>
    hub.admin(method, `/api/v1/push${path}`, body, key);

  const settled = async (look: () => number): Promise<number> => {
    let last = -1;
    await eventually(async () => {
      const before = last;
      last = look();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([before, look()]).toEqual([last, last]);
    }, 15_000);
    return last;
  };

  it('get little of one principal together, however many there are; others are not held up', async () => {
    const key = await hub.createKey({ organization: 'attackers' });
    const victims = await receivers(12);
    await taskFor(key, victims);
    const bytes = await settled(() => bytesOf(victims));
    // The allowance, and the debt of one body.
    expect(bytes).toBeGreaterThan(100 * KIB);
    expect(bytes).toBeLessThan(200 * KIB + 60 * KIB);
    expect(victims.filter((each) => posts(each) > 0).length).toBeLessThanOrEqual(6);
    const [theirs] = await receivers(1);
    const other = await hub.createKey({ organization: 'others' });
    await taskFor(other, [theirs!]);
    await eventually(() => expect(posts(theirs!)).toBe(1), 10_000);
  });

  it('wait, visibly and without a failure, are asked once, and go on when they agree', async () => {
    const key = await hub.createKey({ organization: 'acme' });
    const [sink] = await receivers(1);
    for (let n = 0; n < 4; n += 1) await taskFor(key, [sink!]);
    await eventually(async () => {
      const { body } = await push('GET', '/endpoints', key);
      expect(body.items).toMatchObject([
        {
          state: 'healthy',
          failures: 0,
          verifiedBy: null,
          heldReason: expect.stringContaining('has not agreed to be called'),
          heldUntil: expect.any(String),
        },
      ]);
    }, 10_000);
    const before = await settled(() => posts(sink!));
    expect(before).toBe(3);
    expect(sink!.received.filter(({ method }) => method === 'OPTIONS')).toHaveLength(1);
    const { body: configs } = await push('GET', '/configs', key);
    const path = `/configs/${configs.items[0].id}`;
    const refused = await push('POST', `${path}:test`, key);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('has not agreed');

    sink!.answer = ({ method, headers }) =>
      method === 'OPTIONS'
        ? {
            status: 200,
            headers: { 'WebHook-Allowed-Origin': String(headers['webhook-request-origin']) },
          }
        : 200;
    const early = await push('POST', `${path}:verify`, key);
    expect([early.status, early.headers['retry-after']]).toEqual([429, '10']);
    await eventually(async () => {
      const answer = await push('POST', `${path}:verify`, key);
      expect([answer.status, answer.body.by]).toEqual([200, 'challenge']);
    }, 15_000);
    await eventually(() => expect(posts(sink!)).toBe(4), 10_000);
    const { body: after } = await push('GET', '/endpoints', key);
    expect(after.items).toMatchObject([{ verifiedBy: 'challenge', heldUntil: null }]);
    const dead = await push('GET', '/dead-letters', key);
    expect(dead.body.items).toEqual([]);
  });

  it('that the operator lists for the organization get everything', async () => {
    const key = await hub.createKey({ organization: 'listed' });
    const [sink] = await receivers(1);
    for (let n = 0; n < 5; n += 1) await taskFor(key, [sink!]);
    await eventually(() => expect(posts(sink!)).toBe(5), 10_000);
    expect(bytesOf([sink!])).toBeGreaterThan(5 * 40 * KIB);
    const { body } = await push('GET', '/endpoints', key);
    expect(body.items).toMatchObject([{ verifiedBy: 'list' }]);
  });
});

describe('a hub whose receivers must agree', () => {
  it('sends nothing before they do', async () => {
    const agent = await startSdkAgent({
      name: 'worker',
      execute: (turn) => void turn.task().complete(),
    });
    const hub = await startHub({
      config: { push: { allow: ['127.0.0.0/8'], trustedHosts: [], verification: 'required' } },
    });
    const good = await WebhookSink.start();
    const silent = await WebhookSink.start();
    try {
      good.answer = ({ method }) =>
        method === 'OPTIONS'
          ? { status: 204, headers: { 'WebHook-Allowed-Origin': 'example.com, *' } }
          : 200;
      silent.answer = 200;
      await hub.registerAgent(agent.url, { id: 'worker' });
      for (const sink of [good, silent]) {
        await hub.submit('hi', {
          message: { metadata: { agentId: 'worker' } },
          configuration: { taskPushNotificationConfig: { url: sink.url() } },
        });
      }
      await eventually(() => {
        expect(good.received.map(({ method }) => method)).toEqual(
          expect.arrayContaining(['OPTIONS', 'POST']),
        );
        expect(silent.received.map(({ method }) => method)).toEqual(['OPTIONS']);
      }, 10_000);
      expect(good.received[0]!.method).toBe('OPTIONS');
      const { body } = await hub.admin('GET', '/api/v1/push/endpoints');
      const held = body.items.filter((each: { heldUntil: unknown }) => each.heldUntil !== null);
      expect(held).toMatchObject([
        {
          origin: `http://127.0.0.1:${silent.port}`,
          heldReason: expect.stringContaining('required'),
        },
      ]);
    } finally {
      await hub.close();
      await Promise.all([agent, good, silent].map((each) => each.close()));
    }
  });
});
