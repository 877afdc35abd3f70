import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ConfigOverrides } from '../../src/config/index.js';
import { type Hub, startHub } from '../support/app.js';
import { type DatabaseSource, startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent, type ScriptedAgentOptions } from '../support/scripted-agent.js';

const START_TIMEOUT_MS = 120_000;
const PATIENCE_MS = 30_000;

let database: DatabaseSource;
let api: Hub;
let worker: Hub;
const agents: ScriptedAgent[] = [];

beforeAll(async () => {
  database = await startPostgres();
  const databaseUrl = await database.migratedUrl();
  // No look at a card helps: what the api knows of agents it has from the worker.
  const agentSettings = { health: { probeIntervalMs: 0 } };
  const start = (role: 'api' | 'worker'): Promise<Hub> => {
    const config: ConfigOverrides = { role, agents: agentSettings };
    return startHub({ databaseUrl, config });
  };
  api = await start('api');
  worker = await start('worker');
}, START_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([api?.close(), worker?.close()]);
  await Promise.all(agents.map((agent) => agent.close()));
  await database?.stop();
}, START_TIMEOUT_MS);

async function register(
  id: string,
  fields: Json,
  options: ScriptedAgentOptions = {},
): Promise<ScriptedAgent> {
  const { tag, ...rest } = fields;
  const skills = [{ id: 'work', tags: [tag] }];
  const agent = await ScriptedAgent.start({ name: id, skills, ...options });
  agents.push(agent);
  await api.registerAgent(agent.url, { id, ...rest });
  return agent;
}

const tagged = (tag: string) => ({ metadata: { skillTags: [tag] } });
const healthOf = async (id: string): Promise<Json> =>
  (await api.admin('GET', `/api/v1/agents/${id}`)).body.health;

it('gives each agent what is left of its weight, by what works in other processes', async () => {
  const handlers: ScriptedAgentOptions['handlers'] = {
    SendStreamingMessage: (call) => agents[0]!.begin(call, { manual: true }).follow(call),
  };
  await register('one', { tag: 'weighed', weight: 1 }, { handlers });
  await register('three', { tag: 'weighed', weight: 3 }, { handlers });
  for (let sent = 1; sent <= 8; sent++) {
    await api.submit('work', tagged('weighed'));
    await eventually(async () => {
      const each = await Promise.all([healthOf('one'), healthOf('three')]);
      expect(each.map(({ queued }) => queued)).toEqual([0, 0]);
      expect(each[0]!.outstanding + each[1]!.outstanding).toBe(sent);
    }, PATIENCE_MS);
  }
  expect(await healthOf('one')).toMatchObject({ outstanding: 2 });
  expect(await healthOf('three')).toMatchObject({ outstanding: 6 });
}, 120_000);

it('leaves an agent that fails its calls in another process for one that does not', async () => {
  let isBroken = true;
  const broken = await register(
    'broken',
    { tag: 'frail', priority: 10 },
    {
      handlers: {
        SendStreamingMessage: (call) =>
          isBroken ? call.send(500, 'broken') : broken.begin(call).follow(call),
      },
    },
  );
  const well = await register('well', { tag: 'frail' });
  const messagesTo = (agent: ScriptedAgent) => agent.callsOf('SendStreamingMessage').length;
  expect(await healthOf('broken')).toMatchObject({ state: 'unknown', breaker: 'closed' });
  const { id } = await api.submit('first', tagged('frail'));
  await api.waitForTask(String(id), 'TASK_STATE_COMPLETED', PATIENCE_MS);
  await eventually(
    async () => expect(await healthOf('broken')).toMatchObject({ state: 'degraded' }),
    PATIENCE_MS,
  );
  const [triedBefore, servedBefore] = [messagesTo(broken), messagesTo(well)];
  await api.send('second', tagged('frail'));
  expect([messagesTo(broken), messagesTo(well)]).toEqual([triedBefore, servedBefore + 1]);

  for (let failed = 0; failed < 2; failed++) {
    await api.send('to it alone', { metadata: { agentId: 'broken' } });
  }
  await eventually(async () => {
    const health = await healthOf('broken');
    expect(health).toMatchObject({ state: 'down', verdict: 'down' });
    expect(health.lastError).toContain('HTTP 500');
    expect(await healthOf('well')).toMatchObject({ state: 'healthy' });
  }, PATIENCE_MS);
  const { body } = await api.admin('GET', '/api/v1/agents?health=down');
  expect(body.items.map(({ id: agentId }: Json) => agentId)).toEqual(['broken']);
  const dryRun = await api.submit('third', tagged('frail'));
  await api.waitForTask(String(dryRun['id']), 'TASK_STATE_COMPLETED', PATIENCE_MS);

  // What was seen of it before it was changed says nothing any more.
  isBroken = false;
  await api.admin('POST', '/api/v1/agents/broken:refresh');
  await eventually(
    async () => expect(await healthOf('broken')).toMatchObject({ state: 'unknown' }),
    PATIENCE_MS,
  );
  await api.send('mended', { metadata: { agentId: 'broken' } });
  await eventually(
    async () => expect(await healthOf('broken')).toMatchObject({ state: 'healthy' }),
    PATIENCE_MS,
  );
}, 120_000);

it('forgets what a process has seen that has stopped', async () => {
  expect(await healthOf('well')).toMatchObject({ state: 'healthy' });
  await worker.close();
  await eventually(
    async () => expect(await healthOf('well')).toMatchObject({ state: 'unknown' }),
    PATIENCE_MS,
  );
}, 60_000);
