import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const PUSH = '/api/v1/push';

describe('a receiver in trouble', () => {
  let hub: Hub;
  let agent: ScriptedAgent;
  let sink: WebhookSink;

  beforeAll(async () => {
    [agent, sink] = await Promise.all([ScriptedAgent.start(), WebhookSink.start()]);
    const breaker = { failures: 1, pauseMs: 600_000, maxPauseMs: 600_000 };
    const push = { scheduleMs: [20, 20, 20, 20, 20, 20, 20, 20], jitter: 0, breaker };
    hub = await startHub({ config: { push } });
    await hub.registerAgent(agent.url, { id: 'a' });
  });
  afterAll(async () => {
    await hub?.close();
    await Promise.all([agent, sink].map((each) => each?.close()));
  });

  const get = async (path: string, key?: string): Promise<Json> => {
    const { status, body } = await hub.admin('GET', path, undefined, key);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };
  const endpoint = async (): Promise<Json> => (await get(`${PUSH}/endpoints`)).items[0];

  it('is tried at once when a test of it is delivered, though its breaker is open', async () => {
    sink.answer = 500;
    const { body } = await hub.admin('POST', `${PUSH}/subscriptions`, {
      url: sink.url('/hook'),
      scope: 'organization',
      organization: 'tests',
    });
    const test = async (): Promise<Json> =>
      (await hub.admin('POST', `${PUSH}/subscriptions/${body.id}:test`)).body;
    await hub.send('hi', { tenant: 'a' });
    await eventually(async () =>
      expect(await endpoint()).toMatchObject({ state: 'failing', breaker: 'open', waiting: 1 }),
    );
    expect(await test()).toMatchObject({ delivered: false });
    expect(await endpoint()).toMatchObject({ breaker: 'open' });
    sink.answer = 200;
    const before = sink.received.length;
    expect(await test()).toMatchObject({ delivered: true });
    await eventually(async () => {
      expect(await endpoint()).toMatchObject({ state: 'healthy', breaker: 'closed', waiting: 0 });
      expect(sink.received.length).toBeGreaterThan(before + 1);
    }, 10_000);
    const { items } = await get(`${PUSH}/event-log`);
    expect(items[0]).toMatchObject({ type: 'endpoint.recovered' });
  }, 60_000);

  it('is in the overview, in the checks and counted when it rejects every event', async () => {
    sink.answer = 400;
    await hub.send('hi', { tenant: 'a' });
    const lostNow = await eventually(async () => {
      const found = await get(`${PUSH}/dead-letters:by-receiver`);
      expect(found.total).toBeGreaterThan(0);
      expect(await endpoint()).toMatchObject({
        ...{ state: 'failing', rejects: true, failures: 0, breaker: 'closed', waiting: 0 },
        ...{ gone: false, lastError: 'HTTP 400' },
      });
      return found;
    }, 30_000);
    const { origin } = new URL(sink.url('/'));
    expect(lostNow.receivers).toEqual([
      expect.objectContaining({
        endpoint: `tests ${origin}`,
        count: lostNow.total,
        own: lostNow.total,
        rejected: lostNow.total,
        reasons: [{ reason: expect.stringContaining('400'), count: lostNow.total }],
      }),
    ]);
    await eventually(async () => {
      const { receivers } = await get('/api/v1/overview');
      expect(receivers).toEqual([
        expect.objectContaining({ origin, organization: 'tests', state: 'failing', rejects: true }),
      ]);
      const { total } = await get(`${PUSH}/dead-letters:by-receiver`);
      expect(receivers[0]).toMatchObject({
        lost: total,
        rejected: total,
        lastError: expect.stringContaining('400'),
      });
    }, 20_000);
    const { checks } = await get('/health/details');
    expect(checks.find(({ name }: Json) => name === 'receivers')).toMatchObject({
      state: 'warning',
      troubles: [
        { id: `tests ${origin}`, why: expect.stringMatching(/^It answers, but rejects events/) },
      ],
    });
    const named = async (state: string): Promise<number> =>
      (await get(`${PUSH}/endpoints?state=${state}`)).items.length;
    expect(await named('failing')).toBe(1);
    expect([await named('failing&rejects=true'), await named('failing&rejects=false')]).toEqual([
      1, 0,
    ]);
    expect((await hub.admin('GET', `${PUSH}/endpoints?rejects=1`)).status).toBe(400);
    for (const state of ['healthy', 'untried', 'disabled']) expect(await named(state)).toBe(0);
    expect((await hub.admin('GET', `${PUSH}/endpoints?state=rejecting`)).status).toBe(400);
    // A key that sees its own tasks alone sees the receiver, and how much it lost of others.
    const colleague = await hub.createKey({ scopes: ['push'], organization: 'tests' });
    const { receivers, total } = await get(`${PUSH}/dead-letters:by-receiver`, colleague);
    expect(receivers).toMatchObject([{ endpoint: `tests ${origin}`, count: total, own: 0 }]);
    expect(total).toBeGreaterThan(0);
    expect(await get(`${PUSH}/dead-letters`, colleague)).toMatchObject({ items: [] });
    expect((await get('/api/v1/overview', colleague)).receivers).toMatchObject([
      { origin, rejects: true, lost: total },
    ]);
    const stranger = await hub.createKey({
      scopes: ['push', 'tasks:organization'],
      organization: 'elsewhere',
    });
    const nothing = { receivers: [], total: 0, isLeast: false };
    expect(await get(`${PUSH}/dead-letters:by-receiver`, stranger)).toEqual(nothing);
    expect((await get('/api/v1/overview', stranger)).receivers).toEqual([]);
    for (const query of ['most=0', 'most=x', 'most=1000000', 'since=monday', 'endpoint=ftp://x']) {
      const { status } = await hub.admin('GET', `${PUSH}/dead-letters:by-receiver?${query}`);
      expect([query, status]).toEqual([query, 400]);
    }
  }, 60_000);

  it('is said to be gone when it answers 410', async () => {
    sink.answer = 410;
    await hub.send('hi', { tenant: 'a' });
    await eventually(async () => {
      expect(await endpoint()).toMatchObject({ state: 'failing', rejects: true, gone: true });
      const { checks } = await get('/health/details');
      const { troubles } = checks.find(({ name }: Json) => name === 'receivers');
      expect(troubles[0].why).toMatch(/^It answered 410: the webhook .* is disabled/);
      const { receivers } = await get('/api/v1/overview');
      expect(receivers).toMatchObject([{ rejects: true, gone: true }]);
    }, 20_000);
    const { items } = await get(`${PUSH}/subscriptions`);
    expect(items).toMatchObject([{ state: 'disabled' }]);
  }, 60_000);
});
