import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { startPostgres } from '../support/databases.js';
import type { JsonObject } from '../support/json.js';

let database: Awaited<ReturnType<typeof startPostgres>>;
let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  database = await startPostgres();
  const databaseUrl = await database.migratedUrl();
  [hub, agent] = await Promise.all([
    startHub({ databaseUrl, config: { role: 'api' } }),
    startSdkAgent(),
  ]);
  await hub.registerAgent(agent.url, { id: 'agent' });
});
afterAll(async () => {
  await Promise.all([hub?.close(), agent?.close()]);
  await database?.stop();
});

const WORDS = 'No process of the hub works on tasks at the moment: this one waits until one does.';

it('says that nobody works where an operator looks', async () => {
  const ready = await hub.get('/health/ready', { key: null });
  expect(ready).toMatchObject({ status: 200, body: { status: 'ok', workers: 'none' } });
  const { text } = await hub.get('/metrics', { key: null });
  expect(text).toMatch(/^a2a_hub_workers 0$/m);
});

it('says so in a task that waits, to its client and to operators', async () => {
  const task = await hub.submit('work', { message: { metadata: { agentId: 'agent' } } });
  expect(stateOf(task)).toBe('TASK_STATE_SUBMITTED');
  expect((task['status'] as JsonObject).message.parts).toMatchObject([{ text: WORDS }]);
  const { body } = await hub.admin('GET', `/api/v1/tasks/${String(task['id'])}`);
  expect(body).toMatchObject({ delegations: [{ state: 'queued', reason: WORDS }] });
  const { body: page } = await hub.admin('GET', '/api/v1/tasks');
  expect(page.items).toMatchObject([{ delegations: [{ reason: WORDS }] }]);
  const canceled = (await hub.rpc('CancelTask', { id: task['id'] })) as JsonObject;
  expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
});

it('says nothing of the kind where somebody works', async () => {
  const other = await startHub();
  const ready = await other.get('/health/ready', { key: null });
  const { text } = await other.get('/metrics', { key: null });
  await other.close();
  expect(ready.body).toEqual({ status: 'ok' });
  expect(text).toMatch(/^a2a_hub_workers 1$/m);
});
