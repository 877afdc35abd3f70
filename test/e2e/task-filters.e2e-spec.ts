import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

describe('filters of the list of tasks', () => {
  let hub: Hub;
  let agent: ScriptedAgent;
  let broken: ScriptedAgent;

  beforeAll(async () => {
    agent = await ScriptedAgent.start();
    broken = await ScriptedAgent.start({ handlers: { '*': (call) => call.error(-32603, 'no') } });
    hub = await startHub();
    await hub.registerAgent(agent.url, { id: 'fine' });
    await hub.registerAgent(broken.url, { id: 'broken' });
  });
  afterAll(async () => {
    await hub?.close();
    await Promise.all([agent, broken].map((each) => each?.close()));
  });

  const listed = async (query: string): Promise<Json[]> => {
    const { status, body } = await hub.admin('GET', `/api/v1/tasks?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body.items;
  };
  const idsOf = async (query: string): Promise<unknown[]> =>
    (await listed(query)).map(({ id }) => id);

  it('finds tasks by states, by why they ended, by rule and by any of their ids', async () => {
    const rule = await hub.admin('POST', '/api/v1/routes/rules', {
      name: 'Sums & more',
      conditions: { text: { pattern: '^sum' } },
      target: { agentId: 'fine' },
    });
    expect([rule.status, rule.text]).toEqual([201, rule.text]);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const to = (agentId: string) => ({ message: { metadata: { agentId } } });
    const fine = (await hub.send('hi', to('fine'), { headers }))['task'];
    const failed = (await hub.send('hi', to('broken')))['task'];
    const ruled = (await hub.send('sum 1 2'))['task'];
    const all = [ruled['id'], failed['id'], fine['id']];
    expect(await idsOf('state=completed,failed')).toEqual(all);
    expect(await idsOf('state=completed&state=failed')).toEqual(all);
    expect(await idsOf('state=failed')).toEqual([failed['id']]);
    expect(await listed('reason=AGENT_REFUSED')).toMatchObject([
      { id: failed['id'], reason: 'AGENT_REFUSED' },
    ]);
    expect(await idsOf('delegationReason=AGENT_REFUSED')).toEqual([failed['id']]);
    expect(await idsOf('delegationReason=AGENT_TIMEOUT')).toEqual([]);
    expect(await listed(`q=${String(fine['id'])}`)).toMatchObject([
      { id: fine['id'], reason: null },
    ]);
    expect(await idsOf(`q=${traceId}`)).toEqual([fine['id']]);
    expect(await idsOf(`q=${String(failed['contextId'])}`)).toEqual([failed['id']]);
    expect(await idsOf('rule=Sums+%26+more')).toEqual([ruled['id']]);
    expect(await idsOf(`rule=${rule.body.id}`)).toEqual([ruled['id']]);
    expect(await idsOf('rule=none')).toEqual([]);
    const [{ delegations, createdAt }] = (await listed('agentId=broken')) as [Json];
    expect(await idsOf(`createdAfter=${createdAt}`)).toContain(failed['id']);
    expect(await idsOf(`createdBefore=${createdAt}`)).not.toContain(failed['id']);
    const skill = delegations[0].skillId;
    if (skill !== null) expect(await idsOf(`skill=${skill}`)).toContain(failed['id']);
    expect(await idsOf('skill=none')).toEqual([]);
  });

  it('counts tasks by state, and refuses what there is not', async () => {
    const { body } = await hub.admin('GET', '/api/v1/tasks:count?agentId=broken');
    const states = (body.states as Json[]).filter(({ count }) => count > 0);
    expect(states).toEqual([{ state: 'failed', count: 1, isLeast: false }]);
    expect(await listed('agentId=broken')).toMatchObject([{ rule: null }]);
    expect(await listed('rule=Sums+%26+more')).toMatchObject([{ rule: { name: 'Sums & more' } }]);
    expect(await listed('agentId=fine&reason=AGENT_REFUSED')).toEqual([]);
    for (const query of ['state=failed', 'limit=1', 'reason=BAD', `q=${'x'.repeat(1001)}`]) {
      const refused = await hub.admin('GET', `/api/v1/tasks:count?${query}`);
      expect([query.slice(0, 20), refused.status]).toEqual([query.slice(0, 20), 400]);
    }
  });

  it('refuses what there is not, by name', async () => {
    for (const query of [
      'state=done',
      'state=',
      'reason=BAD',
      'delegationReason=BAD',
      'createdAfter=monday',
      'stuck=maybe',
      'stuck=true&stuck=true',
    ]) {
      const { status, body } = await hub.admin('GET', `/api/v1/tasks?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(JSON.stringify(body)).toContain(query.split('=')[0]);
    }
  });
});

describe('tasks that are stuck', () => {
  let hub: Hub;
  let agent: ScriptedAgent;

  beforeAll(async () => {
    agent = await ScriptedAgent.start();
    agent.handlers['SendStreamingMessage'] = (call) => {
      const task = agent.begin(call, { manual: true });
      task.setState('TASK_STATE_WORKING');
      call.event({ task: task.snapshot() });
    };
    hub = await startHub({ config: { tasks: { stuckQueuedMs: 1000, stuckSilentMs: 1000 } } });
    await hub.registerAgent(agent.url, { id: 'silent' });
  });
  afterAll(async () => {
    await hub?.close();
    await agent?.close();
  });

  it('are the same in the list, in the overview, in the checks and in the metrics', async () => {
    const started: unknown[] = [];
    for (let n = 0; n < 3; n++) started.push((await hub.submit('hi', { tenant: 'silent' }))['id']);
    const get = async (path: string, key?: string): Promise<Json> => {
      const { status, body } = await hub.admin('GET', path, undefined, key);
      expect([path, status]).toEqual([path, 200]);
      return body;
    };
    const stuck = '/api/v1/tasks?stuck=true';
    await eventually(async () => {
      const { items } = await get(stuck);
      expect(items.map(({ id }: Json) => id).sort()).toEqual([...started].sort());
    }, 20_000);
    // A page goes on with the same filter, though it is later by then.
    const first = await get(`${stuck}&limit=2`);
    const next = await get(`${stuck}&limit=2&cursor=${first.nextCursor}`);
    expect([first.items.length, next.items.length, next.nextCursor]).toEqual([2, 1, null]);
    await eventually(async () => {
      const { tasks } = await get('/api/v1/overview');
      expect(tasks.stuck).toEqual({ total: 3, submitted: 0, working: 3, isLeast: false });
    }, 20_000);
    const { checks } = await get('/health/details');
    const check = checks.find(({ name }: Json) => name === 'tasks');
    expect(check).toMatchObject({
      state: 'warning',
      summary: expect.stringMatching(/^3 tasks are stuck, 0 submitted and 3 working\. /),
      advice: expect.stringContaining('GET /api/v1/tasks?stuck=true'),
    });
    expect(check.troubles.map(({ id }: Json) => id).sort()).toEqual([...started].sort());
    expect(check.troubles[0].why).toMatch(/^Working: nothing was received of it for .+ s\.$/);
    const { text } = await hub.get('/metrics');
    expect(text).toContain('a2a_hub_tasks_stuck{state="working"} 3');
    const scopes = ['tasks:organization' as const];
    const stranger = await hub.createKey({ scopes, organization: 'elsewhere' });
    expect((await get(stuck, stranger)).items).toEqual([]);
    expect((await get('/api/v1/overview', stranger)).tasks.stuck.total).toBe(0);
  }, 60_000);
});
