import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Draining } from '../../src/common/draining.js';
import { ADMIN_KEY, type Hub, type HubOptions, startHub, stateOf } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { EventFeedReader } from '../support/event-feed.js';
import type { Json, JsonObject } from '../support/json.js';
import {
  ScriptedAgent,
  type ScriptedAgentOptions,
  type ScriptedCall,
} from '../support/scripted-agent.js';

type Health = NonNullable<NonNullable<NonNullable<HubOptions['config']>['agents']>['health']>;

/** Nothing but calls tells of the agents. */
const PASSIVE: Health = { probeIntervalMs: 0, openMinMs: 300, openMaxMs: 1200, failureRate: 1 };
/** The same, and whoever is down stays so. */
const LASTING: Health = { ...PASSIVE, openMinMs: 60_000, openMaxMs: 60_000 };
const PROBING: Health = { ...LASTING, probeIntervalMs: 20, openMinMs: 40, openMaxMs: 80 };

/** Half of its tasks failed is enough. */
const HALF: Health = { ...PASSIVE, failureRate: 0.5 };

/** One for each of the settings above, for all tests that need it. */
const hubs = new Map<Health, Hub>();
let hub: Hub;
const agents: ScriptedAgent[] = [];

beforeEach(() => use(PASSIVE));

/** No test leaves an agent, or an open task of one, to the next. */
afterEach(async () => {
  const { items } = (await hub.admin('GET', '/api/v1/agents')).body;
  for (const { id } of items) {
    await hub.admin('POST', `/api/v1/agents/${id}:kill`);
    await hub.admin('DELETE', `/api/v1/agents/${id}`);
  }
  for (const agent of agents.splice(0)) await agent.close();
});

afterAll(() => Promise.all([...hubs.values()].map((each) => each.close())));

async function use(health: Health): Promise<void> {
  hub = hubs.get(health) ?? (await startHub({ config: { agents: { health } } }));
  hubs.set(health, hub);
  await hub.key();
}

const feeds: EventFeedReader[] = [];
afterEach(() => Promise.all(feeds.splice(0).map((feed) => feed.close())));

async function follow(lastId?: string, key = ADMIN_KEY): Promise<EventFeedReader> {
  const feed = await EventFeedReader.open(`${hub.url}/api/v1/agents/events`, {
    authorization: `Bearer ${key}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  });
  feeds.push(feed);
  return feed;
}

async function register(
  id: string,
  options: ScriptedAgentOptions = {},
  fields: JsonObject = {},
): Promise<ScriptedAgent> {
  const agent = await ScriptedAgent.start({ name: id, ...options });
  agents.push(agent);
  await hub.registerAgent(agent.url, { id, ...fields });
  return agent;
}

/** What a task says whose agent is not asked for now. */
const WAITING = 'Waiting for frail, which is out of service after failed calls.';
const failing = (call: ScriptedCall): void => {
  const ids = { taskId: 't', contextId: 'c' };
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'no model' }], ...ids };
  call.event({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_FAILED', message } } }).end();
};
const broken = (call: ScriptedCall): void => call.send(500, 'broken');
/** Works until the test ends its task. */
const working = (call: ScriptedCall): void => {
  agents[0]!.begin(call, { manual: true }).follow(call);
};
/** An agent that works until the test ends its tasks. */
const busy = (id: string, fields: JsonObject, options: ScriptedAgentOptions = {}) =>
  register(id, { handlers: { SendStreamingMessage: working }, ...options }, fields);
/** An agent that fails every call. */
const frail = (id = 'frail', fields: JsonObject = {}) =>
  register(id, { handlers: { '*': broken } }, fields);
const skills = [{ id: 'work', tags: ['shared'] }];
const shared = { metadata: { skillTags: ['shared'] } };
const to = (agentId: string): JsonObject => ({ metadata: { agentId } });
const healthOf = async (id: string): Promise<Json> =>
  (await hub.admin('GET', `/api/v1/agents/${id}`)).body.health;
const messagesTo = (agent: ScriptedAgent): number => agent.callsOf('SendStreamingMessage').length;

async function send(id: string, text = 'hello'): Promise<JsonObject> {
  return (await hub.send(text, to(id)))['task'] as JsonObject;
}

/** What the task's status says. */
function said(task: JsonObject): string {
  return JSON.stringify((task['status'] as JsonObject)['message'] ?? '');
}

async function shows(id: string, wanted: JsonObject): Promise<void> {
  await eventually(async () => expect(await healthOf(id)).toMatchObject(wanted), 10_000);
}

describe('an agent that nobody calls', () => {
  it('is looked at: it is healthy, down when it is gone, and healthy when it is back', async () => {
    await use(PROBING);
    const agent = await register('idle');
    await shows('idle', { state: 'healthy', breaker: 'closed', lastError: null });
    const { port } = agent;
    await agent.close();
    await shows('idle', { state: 'down' });
    expect((await healthOf('idle')).lastError).toContain('Nothing answers at');
    agents.push(await ScriptedAgent.start({ name: 'idle', port }));
    await shows('idle', { state: 'healthy', breaker: 'closed' });
    expect(agent.calls).toEqual([]);
  });

  it('is not looked at when it was given with its card, nor when that is switched off', async () => {
    await use(PROBING);
    const agent = await ScriptedAgent.start();
    agents.push(agent);
    const added = await hub.admin('POST', '/api/v1/agents', { id: 'given', card: agent.card() });
    expect(added.status).toBe(201);
    await register('looked-at');
    await shows('looked-at', { state: 'healthy' });
    expect(await healthOf('given')).toMatchObject({ state: 'unknown', since: null });
  });

  it('keeps its health when there is another document in the place of its card', async () => {
    await use(PROBING);
    const moved = await register('moved');
    await shows('moved', { state: 'healthy' });
    moved.card = () => ({});
    await register('other');
    await shows('other', { state: 'healthy' });
    expect(await healthOf('moved')).toMatchObject({ state: 'healthy', lastError: null });
  });
});

describe('what is said of an agent', () => {
  it('is that its calls fail while its card is served, until one succeeds', async () => {
    await use(PROBING);
    const agent = await frail();
    await send('frail');
    await shows('frail', { state: 'healthy', verdict: 'failing' });
    const { checks } = (await hub.admin('GET', '/health/details')).body;
    expect(checks.find(({ name }: Json) => name === 'agents')).toMatchObject({
      state: 'warning',
      troubles: [
        { id: 'frail', why: expect.stringMatching(/^Its health checks pass, but .*HTTP 500/) },
      ],
    });
    await eventually(async () => {
      const { agents: counts } = (await hub.admin('GET', '/api/v1/overview')).body;
      expect(counts).toMatchObject({
        ...{ enabled: 1, healthy: 0, failingCalls: 1, inTrouble: 1 },
        troubled: [
          {
            ...{ agentId: 'frail', name: expect.any(String), verdict: 'failing', since: null },
            why: expect.stringMatching(/^Its health checks pass, but .*HTTP 500/),
          },
        ],
      });
    }, 10_000);
    await register('sound');
    await shows('sound', { state: 'healthy' });
    const idsOf = async (health: string): Promise<string[]> =>
      (await hub.admin('GET', `/api/v1/agents?limit=1&health=${health}`)).body.items.map(
        ({ id }: Json) => id,
      );
    expect(await Promise.all(['failing', 'troubled', 'healthy', 'down'].map(idsOf))).toEqual([
      ['frail'],
      ['frail'],
      ['sound'],
      [],
    ]);
    delete agent.handlers['*'];
    expect(stateOf(await send('frail'))).toBe('TASK_STATE_COMPLETED');
    await shows('frail', { state: 'healthy', verdict: 'healthy' });
    expect(await idsOf('troubled')).toEqual([]);
  }, 40_000);

  it('stays that its calls fail when its card is read again after they took it down', async () => {
    await use(PROBING);
    await frail();
    for (let n = 0; n < 3; n++) await send('frail');
    await eventually(async () => {
      const { agents } = (await hub.admin('GET', '/api/v1/overview')).body;
      expect(agents).toMatchObject({ healthy: 0, degraded: 0, failingCalls: 1, down: 0 });
    }, 10_000);
    await shows('frail', { state: 'healthy', verdict: 'failing' });
  }, 40_000);

  it('is still that its calls fail when the hub has started anew', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-'));
    const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
    const start = (): Promise<Hub> =>
      startHub({ databaseUrl, config: { agents: { health: PROBING } } });
    try {
      hub = await start();
      await frail();
      await register('sound');
      for (const id of ['frail', 'sound']) await send(id);
      await hub.close();
      hub = await start();
      await shows('sound', { state: 'healthy', verdict: 'healthy' });
      await shows('frail', { state: 'healthy', verdict: 'failing' });
    } finally {
      await hub.close();
      await rm(directory, { recursive: true });
      await use(PASSIVE);
    }
  }, 40_000);

  it('is that it recovers when it completes tasks again, before its rank is as it was', async () => {
    await use(HALF);
    const agent = await register('mended', { handlers: { SendStreamingMessage: failing } });
    await send('mended');
    const began = Date.parse((await healthOf('mended')).since);
    await setTimeout(2);
    for (let n = 0; n < 4; n++) await send('mended');
    expect(await healthOf('mended')).toMatchObject({ state: 'degraded', verdict: 'degraded' });
    // It is healthy by its calls since the first one.
    const { since } = await healthOf('mended');
    expect(Date.parse(since)).toBeGreaterThan(began);
    agent.handlers['SendStreamingMessage'] = (call) => agent.serve(call);
    for (let n = 0; n < 2; n++) await send('mended');
    expect(await healthOf('mended')).toMatchObject({ state: 'degraded', verdict: 'degraded' });
    await send('mended');
    expect(await healthOf('mended')).toMatchObject({ state: 'degraded', verdict: 'recovering' });
    agent.handlers['SendStreamingMessage'] = failing;
    await send('mended');
    expect(await healthOf('mended')).toMatchObject({ state: 'degraded', verdict: 'degraded' });
  });
});

describe('an agent that fails its calls', () => {
  it('is degraded, then down and left alone, and comes back by one message that succeeds', async () => {
    const agent = await frail();
    await send('frail');
    expect(await healthOf('frail')).toMatchObject({ state: 'degraded', breaker: 'closed' });
    await send('frail');
    await send('frail');
    expect(await healthOf('frail')).toMatchObject({ state: 'down', breaker: 'open' });
    expect((await healthOf('frail')).lastError).toContain('HTTP 500');
    delete agent.handlers['*'];
    // It waits until the breaker lets it try.
    expect(stateOf(await send('frail'))).toBe('TASK_STATE_COMPLETED');
    expect(stateOf(await send('frail'))).toBe('TASK_STATE_COMPLETED');
    expect(await healthOf('frail')).toMatchObject({ state: 'healthy', breaker: 'closed' });
    expect((await healthOf('frail')).latencyMs).toEqual(expect.any(Number));
  });

  it('gets exactly one message as a trial, and the others when that has succeeded', async () => {
    const agent = await frail();
    for (let n = 0; n < 3; n++) await send('frail');
    const feed = await follow();
    let answer: (() => void) | undefined;
    agent.handlers['*'] = (call) => {
      answer = () => {
        delete agent.handlers['*'];
        agent.serve(call);
      };
    };
    const tasks = await Promise.all([1, 2, 3, 4, 5].map((n) => hub.submit(`${n}`, to('frail'))));
    await eventually(() => expect(answer).toBeDefined());
    // Those that wait say so after a second; one of the five is the trial and says nothing.
    const waiting = async (): Promise<string[]> => {
      const shown = await Promise.all(tasks.map((task) => hub.getTask(String(task['id']))));
      return shown.map((task) => JSON.stringify(task)).filter((text) => text.includes(WAITING));
    };
    await eventually(async () => expect(await waiting()).toHaveLength(4));
    expect(messagesTo(agent)).toBe(3 + 1);
    expect((await healthOf('frail')).breaker).toBe('half-open');
    answer!();
    for (const task of tasks) {
      expect(stateOf(await hub.waitForTask(String(task['id'])))).toBe('TASK_STATE_COMPLETED');
    }
    expect(messagesTo(agent)).toBe(3 + 5);
    const breakers = (): unknown[] => feed.events.slice(1).map(({ data }) => data.breaker);
    await eventually(() => expect(breakers().slice(0, 2)).toEqual(['half-open', 'closed']));
  });

  it('fails a message clearly that it could not get in time, and is not called for it', async () => {
    await use(LASTING);
    const agent = await frail('frail', { budgets: { firstEventMs: 300 } });
    for (let n = 0; n < 3; n++) await send('frail');
    const task = await send('frail');
    expect(stateOf(task)).toBe('TASK_STATE_FAILED');
    const why = /frail is out of service after failed calls and is not asked for another \d+ s/;
    expect(said(task)).toMatch(why);
    expect(messagesTo(agent)).toBe(3);
  });

  it('has its messages taken over by the next agent at once, before and after it is down', async () => {
    await use(LASTING);
    const dead = await register('dead', { skills, handlers: { '*': broken } }, { priority: 9 });
    const good = await register('good', { skills });
    for (let n = 0; n < 6; n++) {
      const { task } = await hub.send('hello', shared);
      expect(stateOf(task as JsonObject)).toBe('TASK_STATE_COMPLETED');
    }
    expect(messagesTo(good)).toBe(6);
    expect(messagesTo(dead)).toBeLessThanOrEqual(3);
    expect(messagesTo(dead)).toBeGreaterThan(0);
  });

  it('is down when it does not answer in time', async () => {
    await use(LASTING);
    const budgets = { firstEventMs: 60 };
    await register('slow', { handlers: { '*': () => undefined } }, { budgets });
    for (let n = 0; n < 3; n++) expect(said(await send('slow'))).toContain('gave no answer');
    expect(await healthOf('slow')).toMatchObject({ state: 'down', lastError: 'no answer in time' });
  });

  it('is not down while it refuses single requests as A2A has it, or its client cancels', async () => {
    const refuse = (call: ScriptedCall): void => call.error(-32602, 'not like this');
    const handlers = { SendStreamingMessage: refuse };
    const agent = await register('strict', { handlers }, { budgets: { cancelWaitMs: 20 } });
    for (let n = 0; n < 4; n++) expect(stateOf(await send('strict'))).toBe('TASK_STATE_FAILED');
    expect(await healthOf('strict')).toMatchObject({ state: 'healthy', lastError: null });
    agent.handlers['SendStreamingMessage'] = () => undefined;
    for (let n = 0; n < 3; n++) {
      const { id } = await hub.submit('never', { ...to('strict') });
      await eventually(() => expect(messagesTo(agent)).toBe(4 + n + 1));
      await hub.rpc('CancelTask', { id });
    }
    expect((await healthOf('strict')).state).toBe('healthy');
  });

  it('that flaps is degraded, never down', async () => {
    let count = 0;
    const flap = (call: ScriptedCall) => (count++ % 3 === 2 ? agent.serve(call) : broken(call));
    const agent: ScriptedAgent = await register('flapping', { handlers: { '*': flap } });
    for (let n = 0; n < 12; n++) {
      await send('flapping');
      expect((await healthOf('flapping')).state).toBe('degraded');
    }
    expect(messagesTo(agent)).toBe(12);
  });

  it('begins anew when the operator changes it', async () => {
    await use(LASTING);
    const agent = await frail('mended');
    for (let n = 0; n < 3; n++) await send('mended');
    delete agent.handlers['*'];
    await hub.admin('POST', '/api/v1/agents/mended:refresh');
    expect(await healthOf('mended')).toMatchObject({ state: 'unknown', breaker: 'closed' });
    expect(stateOf(await send('mended'))).toBe('TASK_STATE_COMPLETED');
  });
});

describe('an agent that answers and fails its tasks', () => {
  it('is degraded by it, gets work after its equals, and its breaker stays closed', async () => {
    await use(LASTING);
    await register('bad', { skills, handlers: { SendStreamingMessage: failing } });
    const good = await register('good', { skills });
    for (let n = 0; n < 6; n++) await send('bad');
    expect(await healthOf('bad')).toMatchObject({
      state: 'degraded',
      breaker: 'closed',
      lastError: null,
      taskFailureRate: 1,
      lastTaskError: 'no model',
    });
    for (let n = 0; n < 4; n++) await hub.send('go', shared);
    expect(messagesTo(good)).toBe(4);
    const metrics = (await hub.get('/metrics')).text;
    expect(metrics).toContain('a2a_hub_agent_tasks_ended{agent="bad",result="failed"} 6');
    expect(metrics).toContain('a2a_hub_agent_tasks_ended{agent="good",result="completed"} 4');
    expect(metrics).toContain('a2a_hub_agent_task_failure_rate{agent="bad"} 1');
  });

  it('counts neither what it refuses nor what its client cancels', async () => {
    const refusing = (call: ScriptedCall): void => {
      const status = { state: 'TASK_STATE_REJECTED' };
      call.event({ statusUpdate: { taskId: 't', contextId: 'c', status } }).end();
    };
    const agent = await busy('picky', {});
    const { id } = await hub.submit('go', to('picky'));
    await eventually(() => expect(agent.tasks.size).toBe(1));
    await hub.rpc('CancelTask', { id });
    agent.handlers['SendStreamingMessage'] = refusing;
    for (let n = 0; n < 4; n++) await send('picky');
    expect(await healthOf('picky')).toMatchObject({ state: 'healthy', taskFailureRate: null });
  });

  it('fails them for one organization only: it is not degraded for the others', async () => {
    // A second organization changes what the first may have: a hub of its own.
    await use({ ...PASSIVE });
    const agent = await register('mixed', { handlers: { SendStreamingMessage: failing } });
    for (let n = 0; n < 5; n++) await send('mixed');
    expect(await healthOf('mixed')).toMatchObject({ state: 'degraded' });
    agent.handlers['SendStreamingMessage'] = (call) => agent.serve(call);
    const key = await hub.createKey({ name: 'other', organization: 'others' });
    await hub.send('go', to('mixed'), { key });
    expect(await healthOf('mixed')).toMatchObject({ state: 'healthy', taskFailureRate: 0.5 });
  });
});

describe('how much an agent gets', () => {
  it('is at most its own number at once; the others wait and are shown', async () => {
    const agent = await busy('small', { maxConcurrent: 2 });
    const sent = await Promise.all([1, 2, 3, 4, 5].map((n) => hub.submit(`${n}`, to('small'))));
    await shows('small', { outstanding: 2, queued: 3 });
    for (let done = 0; done < 5; done++) {
      await eventually(() => expect(agent.tasks.size).toBeGreaterThan(done));
      expect(agent.tasks.size).toBeLessThanOrEqual(done + 2);
      [...agent.tasks.values()][done]!.end();
    }
    for (const { id } of sent) await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED');
    await shows('small', { outstanding: 0, queued: 0 });
  });

  it('is full when as many wait as may, until one is taken', async () => {
    await busy('small', { maxConcurrent: 1, maxQueue: 2 });
    for (let n = 0; n < 3; n++) await hub.submit(`${n}`, to('small'));
    await shows('small', { outstanding: 1, queued: 2, isFull: true });
    await eventually(() => expect(agents[0]!.tasks.size).toBe(1));
    [...agents[0]!.tasks.values()][0]!.end();
    await shows('small', { outstanding: 1, queued: 1, isFull: false });
  });

  it('is changed by PATCH, goes back to its default by null, and is refused where it makes no sense', async () => {
    await register('small', {}, { weight: 7, maxConcurrent: 3, maxQueue: 9 });
    const patch = (body: JsonObject) => hub.admin('PATCH', '/api/v1/agents/small', body);
    const patched = { weight: 8, maxConcurrent: 3, maxQueue: null };
    expect((await patch({ maxQueue: null, weight: 8 })).body).toMatchObject(patched);
    for (const [field, value] of [
      ['weight', 0],
      ['weight', 1001],
      ['weight', null],
      ['maxConcurrent', 0],
      ['maxConcurrent', 1.5],
      ['maxQueue', '5'],
      ['maxQueue', -1],
    ] as const) {
      const answer = await patch({ [field]: value });
      expect([field, value, answer.status]).toEqual([field, value, 400]);
      expect(answer.body.errors[0].field).toBe(field);
    }
  });
});

describe('an agent that is taken out of service', () => {
  it('goes on with what it has when it is disabled; what waits fails at once with the reason', async () => {
    const agent = await busy('one', { maxConcurrent: 1 });
    const [first, second] = [await hub.submit('1', to('one')), await hub.submit('2', to('one'))];
    await eventually(() => expect(agent.tasks.size).toBe(1));
    await hub.admin('PATCH', '/api/v1/agents/one', { enabled: false });
    const failed = await hub.waitForTask(String(second['id']), 'TASK_STATE_FAILED');
    expect(said(failed)).toContain('is disabled');
    [...agent.tasks.values()][0]!.end();
    await hub.waitForTask(String(first['id']), 'TASK_STATE_COMPLETED');
    await expect(hub.send('3', to('one'))).rejects.toThrow('registered and enabled');
  });

  it('ends all it works on when it is killed, says so, and tells the agent', async () => {
    const agent = await busy('one', { maxConcurrent: 2, priority: 5 }, { skills });
    await register('two', { skills });
    const direct = await hub.submit('1', to('one'));
    const requested = await hub.submit('2', shared);
    await eventually(() => expect(agent.tasks.size).toBe(2));
    [...agent.tasks.values()][1]!.setState('TASK_STATE_INPUT_REQUIRED', 'Which?');
    await hub.waitForTask(String(requested['id']), 'TASK_STATE_INPUT_REQUIRED');
    const more = await hub.submit('3', to('one'));
    await eventually(() => expect(agent.tasks.size).toBe(3));
    const waiting = await hub.submit('4', shared);
    await shows('one', { outstanding: 2, queued: 1 });

    const killed = await hub.admin('POST', '/api/v1/agents/one:kill');
    const stopped = { id: 'one', enabled: false, canceled: 3, movedOn: 1 };
    expect([killed.status, killed.body]).toEqual([200, stopped]);
    for (const { id } of [direct, requested, more]) {
      const task = await hub.getTask(String(id));
      expect(stateOf(task)).toBe('TASK_STATE_CANCELED');
      expect(said(task)).toContain('The operator has stopped one.');
    }
    await hub.waitForTask(String(waiting['id']), 'TASK_STATE_COMPLETED');
    await eventually(() => expect(agent.callsOf('CancelTask')).toHaveLength(3));
    const states = [...agent.tasks.values()].map((task) => task.state);
    expect(states).toEqual(Array(3).fill('TASK_STATE_CANCELED'));
    await shows('one', { outstanding: 0, queued: 0 });
    const again = await hub.admin('POST', '/api/v1/agents/one:kill');
    expect(again.body).toMatchObject({ canceled: 0, movedOn: 0 });
  });

  it('cannot be killed by strangers, under other names, or when there is none', async () => {
    await register('one');
    const kill = (path: string, key?: string) =>
      hub.admin('POST', `/api/v1/agents/${path}`, undefined, key);
    expect((await kill('one:kill', await hub.key())).status).toBe(403);
    expect((await kill('none:kill')).status).toBe(404);
    for (const path of ['one:killed', 'one:kill:kill', 'one:stop']) {
      expect([path, (await kill(path)).status]).toEqual([path, 405]);
    }
    expect((await hub.admin('GET', '/api/v1/agents/one')).body.enabled).toBe(true);
  });
});

describe('the events of agents', () => {
  it('tell how all stand, then every change, and go on where a reader was cut', async () => {
    await use(LASTING);
    await frail();
    const feed = await follow();
    await eventually(() => expect(feed.events).toHaveLength(1));
    const unknown = { agentId: 'frail', health: 'unknown', breaker: 'closed' };
    expect(feed.events[0]).toMatchObject({ event: 'snapshot', data: { agents: [unknown] } });
    await send('frail');
    await eventually(() => expect(feed.events).toHaveLength(2));
    await feed.close();
    for (let n = 0; n < 2; n++) await send('frail');
    const last = feed.events.at(-1)!;
    const resumed = await follow(last.id);
    await eventually(() => expect(resumed.events).toHaveLength(1));
    expect([last, ...resumed.events].map(({ event, data }) => [event, data])).toMatchObject([
      ['agent', { agentId: 'frail', health: 'degraded', before: { health: 'unknown' } }],
      ['agent', { health: 'down', breaker: 'open', before: { health: 'degraded' } }],
    ]);
    expect(resumed.events[0]!.data.lastError).toContain('HTTP 500');
    await hub.admin('POST', '/api/v1/agents/frail:refresh');
    const renewed = await follow();
    await send('frail');
    await eventually(() => expect(renewed.events).toHaveLength(2));
    expect(renewed.events).toMatchObject([
      { event: 'snapshot', data: { agents: [unknown] } },
      { event: 'agent', data: { health: 'degraded', before: { health: 'unknown' } } },
    ]);
    const lost = await follow('of-another-process-7');
    await eventually(() => expect(lost.events[0]?.event).toBe('snapshot'));
  });

  it('of an agent that is gone are not for the next owner of its id', async () => {
    await use(LASTING);
    const agent = await frail('handed');
    await send('handed');
    const log = async (key?: string): Promise<Json[]> =>
      (await hub.admin('GET', '/api/v1/agents/events/log?agentId=handed', undefined, key)).body
        .items;
    expect(await log()).toMatchObject([{ agentId: 'handed', health: 'degraded' }]);
    await hub.admin('DELETE', '/api/v1/agents/handed');
    const key = await hub.createKey({ scopes: ['agents:organization'], organization: 'globex' });
    const fields = { id: 'handed', cardUrl: agent.url, organizations: ['globex'] };
    expect((await hub.admin('POST', '/api/v1/agents', fields, key)).status).toBe(201);
    expect(await log(key)).toEqual([]);
    expect(await log()).toHaveLength(1);
    const own = await hub.createKey({ organization: 'globex' });
    await hub.send('hello', to('handed'), { key: own });
    expect(await log(key)).toMatchObject([{ health: 'degraded', before: { health: 'unknown' } }]);
  });

  it('begin with one that is down also while a message may decide', async () => {
    await frail();
    for (let n = 0; n < 3; n++) await send('frail');
    await shows('frail', { state: 'down', breaker: 'half-open' });
    const feed = await follow();
    await eventually(() => expect(feed.events).toHaveLength(1));
    const down = { agentId: 'frail', health: 'down', breaker: 'half-open' };
    expect(feed.events[0]!.data).toEqual({ agents: [down] });
  });

  it('are for the scope agents, and end with the key and with the process', async () => {
    // Of its own: it drains.
    await use({ ...PASSIVE });
    expect((await follow(undefined, await hub.key())).status).toBe(403);
    expect((await follow(undefined, 'nonsense')).status).toBe(401);
    const key = await hub.createKey({ scopes: ['agents'] });
    const [theirs, ours] = [await follow(undefined, key), await follow()];
    await eventually(() => expect([theirs.events, ours.events]).toMatchObject([[{}], [{}]]));
    await hub.admin('DELETE', `/api/v1/keys/${key.split('_')[1]}`);
    await eventually(() => expect([theirs.ended, ours.ended]).toEqual([true, false]));
    hub.app.get(Draining).begin();
    await eventually(() => expect(ours.ended).toBe(true));
    await use(PASSIVE);
  });

  it('have a name that no agent can have', async () => {
    const agent = await ScriptedAgent.start();
    agents.push(agent);
    const answer = await hub.admin('POST', '/api/v1/agents', { id: 'events', cardUrl: agent.url });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'id']);
  });

  it('stand beside metrics, whose series end with the agent', async () => {
    await register('seen');
    await send('seen');
    const metrics = async (): Promise<string> => (await hub.get('/metrics')).text;
    expect(await metrics()).toContain('a2a_hub_agent_health{agent="seen",state="healthy"} 1');
    expect(await metrics()).toContain('a2a_hub_agent_breaker{agent="seen",state="open"} 0');
    await hub.admin('DELETE', '/api/v1/agents/seen');
    expect(await metrics()).not.toContain('seen');
  });
});
