import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActivityRecorder } from '../../src/observability/activity/activity-recorder.js';
import { SCOPES } from '../../src/common/scope.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const FAILED = 'TASK_STATE_FAILED';

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

describe('the overview', () => {
  let hub: Hub;
  let agent: ScriptedAgent;
  let broken: ScriptedAgent;
  let sink: WebhookSink;

  beforeAll(async () => {
    [agent, broken, sink] = await Promise.all([
      ScriptedAgent.start(),
      ScriptedAgent.start({ handlers: { '*': (call) => call.error(-32603, 'broken') } }),
      WebhookSink.start(),
    ]);
    hub = await startHub({
      config: { quotas: { principal: { openTasks: 2 } } },
    });
    await hub.registerAgent(agent.url, { id: 'fine' });
    await hub.registerAgent(broken.url, { id: 'broken' });
    await hub.registerAgent(agent.url, { id: 'off', enabled: false });
  });
  afterAll(async () => {
    await hub?.close();
    await Promise.all([agent, broken, sink].map((each) => each?.close()));
  });

  const read = async (key?: string): Promise<Json> => {
    await hub.app.get(ActivityRecorder).flush();
    const { status, body } = await hub.admin('GET', '/api/v1/overview', undefined, key);
    expect(status).toBe(200);
    return body;
  };

  it('counts tasks, calls, errors and deliveries of all processes, by the minute', async () => {
    const configuration = { taskPushNotificationConfig: { url: sink.url('/hook') } };
    await hub.send('hi', { message: { metadata: { agentId: 'fine' } }, configuration });
    await hub.send('hi', { message: { metadata: { agentId: 'broken' } } });
    await eventually(async () => {
      const { tasks, calls, deliveries, minutes, agents, workers } = await read();
      expect(minutes).toHaveLength(60);
      expect(tasks.started).toHaveLength(60);
      expect([sum(tasks.started), sum(tasks.completed), sum(tasks.failed)]).toEqual([2, 1, 1]);
      expect(sum(tasks.started.slice(0, 50))).toBe(0);
      expect(tasks.errors).toEqual([{ name: 'AGENT_REFUSED', count: 1 }]);
      expect(tasks.open).toMatchObject({ total: 0, working: 0, isLeast: false });
      expect(sum(calls.answered)).toBeGreaterThan(0);
      expect(sum(calls.failed)).toBeGreaterThan(0);
      expect(calls.outcomes).toContainEqual({ name: 'rejected', count: sum(calls.failed) });
      expect(calls.p95Ms).toBeGreaterThan(0);
      expect(sum(deliveries.delivered)).toBeGreaterThan(0);
      expect(deliveries).toMatchObject({ pending: 0, deadLetters: 0, oldestAt: null });
      expect(agents).toMatchObject({ enabled: 2, disabled: 1, healthy: 1, inTrouble: 1 });
      expect(agents.troubled).toMatchObject([
        { agentId: 'broken', why: expect.stringMatching(/^It is degraded: .*broken/) },
      ]);
      expect(workers).toBe(1);
    }, 20_000);
  });

  it.each([
    ['1h', 60, 1],
    ['6h', 24, 15],
    ['24h', 96, 15],
  ])('counts over %s', async (range, count, span) => {
    await hub.app.get(ActivityRecorder).flush();
    const { status, body } = await hub.admin('GET', `/api/v1/overview?range=${range}`);
    expect([status, body.minutes.length, body.spanMinutes]).toEqual([200, count, span]);
    const times = (body.minutes as string[]).map((each) => Date.parse(each));
    expect(times.map((at, i) => at - times[0]! - i * span * 60_000)).toEqual(times.map(() => 0));
    const sinceNewest = Date.now() - times.at(-1)!;
    expect(sinceNewest).toBeGreaterThanOrEqual(0);
    expect(sinceNewest).toBeLessThan(span * 60_000 + 10_000);
    const { tasks, calls, deliveries } = body;
    for (const series of [tasks.started, tasks.failed, calls.answered, deliveries.delivered]) {
      expect(series).toHaveLength(count);
    }
    expect([sum(tasks.started), sum(tasks.completed), sum(tasks.failed)]).toEqual([2, 1, 1]);
    expect(sum(calls.answered)).toBeGreaterThan(0);
    expect(sum(deliveries.delivered)).toBeGreaterThan(0);
  });

  it.each(['7d', '', '1h&range=6h', '1h%00', '-1h'])('refuses the range %j', async (range) => {
    const { status } = await hub.admin('GET', `/api/v1/overview?range=${range}`);
    expect(status).toBe(400);
  });

  it('shows open tasks, receivers in trouble and limits near their end', async () => {
    agent.handlers['SendStreamingMessage'] = (call) => {
      const task = agent.begin(call, { everyMs: 600_000 });
      call.event({ task: task.snapshot() });
    };
    sink.answer = 500;
    const configuration = {
      returnImmediately: true,
      taskPushNotificationConfig: { url: sink.url('/hook') },
    };
    const message = { metadata: { agentId: 'fine' } };
    const ids = [];
    for (let n = 0; n < 2; n++) {
      ids.push((await hub.submit('hi', { message, configuration }))['id']);
    }
    await eventually(async () => {
      const { tasks, receivers, limits, deliveries } = await read();
      expect(tasks.open.total).toBe(2);
      expect(receivers).toEqual([
        expect.objectContaining({
          origin: new URL(sink.url('/')).origin,
          organization: 'tests',
          state: 'failing',
          lastError: 'HTTP 500',
        }),
      ]);
      expect(deliveries.waitingForRetry + deliveries.pending).toBeGreaterThan(0);
      expect(Date.parse(deliveries.oldestAt)).not.toBeNaN();
      expect(limits).toContainEqual(
        expect.objectContaining({ kind: 'openTasks', used: 2, limit: 2, state: 'exceeded' }),
      );
    }, 30_000);
    for (const id of ids) await hub.admin('POST', `/api/v1/tasks/${id}:cancel`);
  }, 60_000);

  it('shows each caller what it may see, and nothing of others', async () => {
    const seen: Record<string, string[]> = {
      'tasks:organization': ['tasks'],
      'tasks:all': ['tasks'],
      push: ['receivers'],
      'push:all': ['deliveries', 'receivers'],
      'agents:organization': ['agents', 'calls'],
      agents: ['agents', 'calls'],
      access: ['limits'],
      admin: ['agents', 'calls', 'deliveries', 'limits', 'receivers', 'tasks'],
    };
    for (const scope of SCOPES.filter((each) => each !== 'a2a')) {
      const body = await read(await hub.createKey({ scopes: [scope] }));
      const parts = ['agents', 'calls', 'deliveries', 'limits', 'receivers', 'tasks'];
      expect([scope, parts.filter((part) => body[part] !== null)]).toEqual([
        scope,
        seen[scope] ?? [],
      ]);
    }
    const client = await hub.createKey({ scopes: ['a2a'] });
    expect((await hub.get('/api/v1/overview', { key: client })).status).toBe(403);
    const scopes = ['tasks:organization', 'push', 'agents:organization'];
    const other = await read(await hub.createKey({ scopes, organization: 'elsewhere' }));
    expect(sum(other.tasks.started)).toBe(0);
    expect(other.tasks).toMatchObject({ errors: [], waiting: 0, open: { total: 0 } });
    expect(other.agents).toMatchObject({ enabled: 0, disabled: 0 });
    expect(other.calls.outcomes).toEqual([]);
    expect(other.receivers).toEqual([]);
    expect([sum(other.deliveries.delivered), other.deliveries.pending]).toEqual([0, 0]);
    const team = await read(await hub.createKey({ scopes: ['tasks:organization'] }));
    expect(sum(team.tasks.started)).toBe(4);
  }, 60_000);

  it('tells in the list of agents how often each was called in the last hour', async () => {
    await hub.app.get(ActivityRecorder).flush();
    const { body } = await hub.admin('GET', '/api/v1/agents');
    const hours = Object.fromEntries(
      body.items.map((each: Json) => [each['id'], each['lastHour']]),
    );
    expect(hours).toMatchObject({ fine: { errors: 0 }, off: { calls: 0, errors: 0 } });
    expect(hours['fine'].calls).toBeGreaterThan(0);
    expect(hours['broken'].errors).toBeGreaterThan(0);
    expect(hours['broken'].calls).toBe(hours['broken'].errors);
    const { buckets } = (await hub.admin('GET', '/api/v1/agents/broken/activity')).body;
    expect(sum(buckets.map((each: Json) => each['calls']))).toBe(hours['broken'].calls);
    const scopes = ['agents:organization'] as const;
    const others = await hub.createKey({ organization: 'elsewhere', scopes: [...scopes] });
    expect((await hub.admin('GET', '/api/v1/agents', undefined, others)).body.items).toEqual([]);
  });

  it('tells the calls of an agent over time, and how it changed', async () => {
    await hub.app.get(ActivityRecorder).flush();
    const { body, status } = await hub.admin('GET', '/api/v1/agents/broken/activity');
    expect(status).toBe(200);
    expect(body).toMatchObject({ agentId: 'broken', bucketSeconds: 60 });
    const errors = body.buckets.flatMap((each: Json) => each['errors']);
    expect(errors).toContainEqual({ kind: 'rejected', count: expect.any(Number) });
    const conditions = body.buckets.flatMap((each: Json) => each['conditions']);
    expect(conditions).toContainEqual({ health: 'degraded', breaker: 'closed', count: 1 });
    // It was not there before; from then on it is known how it was before a time.
    expect(body.before).toEqual([]);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const until = new Date(Date.now() + 7_200_000).toISOString();
    const next = await hub.admin('GET', `/api/v1/agents/broken/activity?from=${later}&to=${until}`);
    expect(next.body).toMatchObject({ buckets: [], before: [{ breaker: 'closed' }] });
    const day = new Date(Date.now() - 86_400_000).toISOString();
    const old = await hub.admin('GET', `/api/v1/agents/broken/activity?from=${day}`);
    expect(old.body).toMatchObject({ bucketSeconds: 900 });
    expect(old.body.buckets.length).toBeGreaterThan(0);
    const wrong = await hub.admin(
      'GET',
      '/api/v1/agents/broken/activity?from=2100-01-01T00:00:00Z',
    );
    expect(wrong.status).toBe(400);
    const stranger = await hub.createKey({
      scopes: ['agents:organization'],
      organization: 'elsewhere',
    });
    const hidden = await hub.get('/api/v1/agents/broken/activity', { key: stranger });
    expect(hidden.status).toBe(404);
  });
});

describe('agents that fail their tasks', () => {
  it('are named; those whose clients do not answer or send what they cannot use are not', async () => {
    let tasks = 0;
    const agent = await ScriptedAgent.start({
      streaming: false,
      handlers: {
        SendMessage: (call) => {
          if (call.text === 'strange') return call.error(-32602, 'not like this');
          if (call.text === 'break') return call.error(-32603, 'broken');
          const state = call.text === 'ask' ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_FAILED';
          call.result({ task: { id: `t-${++tasks}`, contextId: 'c', status: { state } } });
        },
      },
    });
    const hub = await startHub();
    try {
      await hub.registerAgent(agent.url, { id: 'fails' });
      await hub.registerAgent(agent.url, { id: 'asks', budgets: { totalMs: 1000 } });
      await hub.registerAgent(agent.url, { id: 'strict' });
      await hub.registerAgent(agent.url, { id: 'broken' });
      for (let n = 0; n < 3; n++) {
        const refused = await hub.submit('strange', {
          message: { metadata: { agentId: 'strict' } },
        });
        const failed = await hub.submit('fail', { message: { metadata: { agentId: 'fails' } } });
        const asked = await hub.submit('ask', { message: { metadata: { agentId: 'asks' } } });
        for (const { id } of [refused, failed, asked]) await hub.waitForTask(id as string, FAILED);
      }
      const { id } = await hub.submit('break', { message: { metadata: { agentId: 'broken' } } });
      await hub.waitForTask(id as string, FAILED);
      await hub.app.get(ActivityRecorder).flush();
      const { agents, tasks: counted } = (await hub.admin('GET', '/api/v1/overview')).body;
      expect(counted.errors).toEqual(
        expect.arrayContaining([
          { name: 'AGENT_FAILED', count: 3 },
          { name: 'CLIENT_TIMEOUT', count: 3 },
          { name: 'AGENT_REFUSED', count: 4 },
        ]),
      );
      const { name } = (await hub.admin('GET', '/api/v1/agents/fails')).body;
      expect(agents.failingTasks).toEqual([{ agentId: 'fails', name, completed: 0, failed: 3 }]);
      const { items } = (await hub.admin('GET', '/api/v1/agents')).body;
      const failedOf = items.map(({ id, lastHour }: Json) => [id, lastHour.failed]);
      expect(Object.fromEntries(failedOf)).toEqual({ fails: 3, asks: 0, strict: 0, broken: 1 });
    } finally {
      await Promise.all([hub.close(), agent.close()]);
    }
  }, 60_000);
});
