import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
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
    for (const query of ['state=done', 'state=', 'reason=BAD', 'createdAfter=monday']) {
      const { status, body } = await hub.admin('GET', `/api/v1/tasks?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(JSON.stringify(body)).toContain(query.split('=')[0]);
    }
  });
});
