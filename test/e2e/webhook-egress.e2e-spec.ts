import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { ADMIN_KEY, type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { WebhookSink } from '../support/webhook-sink.js';

const SECRET_ANSWER = 'what only the inside may read';

/** What operators opened for agents is not open to the webhooks of tenants. */
describe('what webhooks may reach', () => {
  let hub: Hub;
  let agent: RunningAgent;
  let sink: WebhookSink;
  let acme: string;
  let other: string;

  /** Agents are on the loopback; webhooks may go there for the organization acme only. */
  const config = {
    egress: { allow: ['127.0.0.0/8', 'localhost'] },
    push: { allow: ['acme=127.0.0.0/8'], showAllowedAnswers: false },
  };

  beforeAll(async () => {
    agent = await startSdkAgent({ name: 'worker', execute: (turn) => void turn.task().complete() });
    sink = await WebhookSink.start();
    sink.answer = { status: 200, body: SECRET_ANSWER, headers: { 'x-inside': SECRET_ANSWER } };
    hub = await startHub({ config });
    await hub.registerAgent(agent.url, { id: 'worker' });
    acme = await hub.createKey({ organization: 'acme' });
    other = await hub.createKey({ organization: 'other' });
  });
  afterAll(async () => {
    await hub?.close();
    await sink?.close();
    await agent?.close();
  });

  const task = async (key: string): Promise<string> =>
    String(
      (await hub.submit('hi', { message: { metadata: { agentId: 'worker' } } }, { key }))['id'],
    );

  const push = (method: string, path: string, body: unknown, key: string): Promise<HttpAnswer> =>
    hub.admin(method, `/api/v1/push${path}`, body, key);

  it('is not what agents may be at: refused at A2A, in the admin API and for subscriptions', async () => {
    const taskId = await task(other);
    const url = sink.url();
    const loopback = /127\.0\.0\.1:\d+ may not be called/;
    await expect(
      hub.rpc('CreateTaskPushNotificationConfig', { taskId, url }, { key: other }),
    ).rejects.toMatchObject({ message: expect.stringMatching(/url/) });
    const inline = hub.send(
      'hi',
      {
        message: { metadata: { agentId: 'worker' } },
        configuration: { taskPushNotificationConfig: { url } },
      },
      { key: other },
    );
    await expect(inline).rejects.toThrow();
    const answers = await Promise.all([
      push('POST', '/configs', { taskId, url }, other),
      push('POST', '/subscriptions', { name: 's', url }, other),
      // Not even an operator makes one for an organization that has not got the address.
      push('POST', '/configs', { taskId, url }, ADMIN_KEY),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(answer.text).toMatch(loopback);
      expect(answer.text).toContain('push.allow');
    }
    expect(sink.received).toEqual([]);
  });

  it('is told without the answer where only a list opens it: test, attempts and dead letters', async () => {
    const taskId = await task(acme);
    const made = await push('POST', '/configs', { taskId, url: sink.url('/a') }, acme);
    expect(made.status).toBe(201);
    const tested = await push('POST', `/configs/${made.body.id}:test`, undefined, acme);
    expect(tested.body).toMatchObject({
      delivered: true,
      attempt: { status: 200, response: null },
    });
    expect(tested.text).not.toContain(SECRET_ANSWER);
    sink.answer = { status: 422, body: SECRET_ANSWER };
    const failed = await push('POST', `/configs/${made.body.id}:test`, undefined, acme);
    expect(failed.body).toMatchObject({ delivered: false, reason: 'HTTP 422' });
    expect(failed.text).not.toContain(SECRET_ANSWER);
    await push('POST', `/configs/${made.body.id}:replay`, { sequence: 1 }, acme);
    const dead = await eventually(async () => {
      const { body } = await push('GET', `/dead-letters?taskId=${taskId}`, undefined, acme);
      expect(body.items.length).toBeGreaterThan(0);
      return body.items[0] as { id: string };
    }, 10_000);
    const attempts = await push('GET', `/deliveries/${dead.id}/attempts`, undefined, acme);
    expect(attempts.body.items[0]).toMatchObject({ status: 422, response: null });
    expect(attempts.text).not.toContain(SECRET_ANSWER);
    sink.answer = { status: 200, body: SECRET_ANSWER };
  });

  it('tells no more of a silent address than that: neither the code nor the time', async () => {
    const taskId = await task(acme);
    const { body } = await push('POST', '/configs', { taskId, url: 'http://127.0.0.1:81/' }, acme);
    const tested = await push('POST', `/configs/${body.id}:test`, undefined, acme);
    expect(tested.body).toMatchObject({
      delivered: false,
      reason: 'no answer',
      attempt: {
        status: null,
        error: 'network',
        response: null,
        durationMs: 1000,
        isRounded: true,
      },
    });
    await eventually(async () => {
      const { items } = (
        await push('GET', '/endpoints?endpoint=http://127.0.0.1:81', undefined, acme)
      ).body;
      expect(items).toMatchObject([
        { latency: { isRounded: true, measuredAt: expect.any(String) } },
      ]);
    }, 20_000);
  });

  it('counts at each attempt: what was registered when it was open is not sent any more', async () => {
    const taskId = await task(acme);
    const { body } = await push('POST', '/configs', { taskId, url: sink.url('/closed') }, acme);
    await sink.waitFor(({ path }) => path === '/closed');
    const { databaseUrl } = hub;
    const closed = await startHubAt(databaseUrl);
    try {
      const before = sink.at('/closed').length;
      const tested = await closed.admin('POST', `/api/v1/push/configs/${body.id}:test`);
      expect(tested.body).toMatchObject({ delivered: false, attempt: { error: 'egress' } });
      expect(sink.at('/closed')).toHaveLength(before);
    } finally {
      await closed.close();
    }
  });

  /** The same database under a hub that opens nothing to webhooks. */
  async function startHubAt(databaseUrl: string): Promise<Hub> {
    await hub.disconnect();
    await hub.app.close();
    return startHub({ databaseUrl, config: { ...config, push: { allow: [] } } });
  }
});
