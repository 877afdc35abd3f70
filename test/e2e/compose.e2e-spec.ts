import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { stateOf } from '../support/app.js';
import { ComposeProcess, type ComposeService, composeServices } from '../support/compose.js';
import { startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { HubClient } from '../support/hub-client.js';
import type { JsonObject } from '../support/json.js';
import { TEST_SECRET_KEY } from '../support/secret-box.js';

const ADMIN_KEY = 'admin-key-of-compose-0123456789';
const PASSWORD = 'password-of-the-database';

const services = composeServices({
  POSTGRES_PASSWORD: PASSWORD,
  A2A_HUB__SECRETS__KEYS: `${TEST_SECRET_KEY.id}:${TEST_SECRET_KEY.key}`,
  A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
});
const running: ComposeProcess[] = [];
let database: Awaited<ReturnType<typeof startPostgres>>;
let databaseUrl: string;
let agentPort: number;

beforeAll(async () => {
  database = await startPostgres();
  [databaseUrl, agentPort] = await Promise.all([database.freshUrl(), freePort()]);
});
afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await database?.stop();
});

/** What the network of the services makes of names and ports, made of this machine's. */
function replace(value: string): string {
  return value
    .replace(`postgres://hub:${PASSWORD}@postgres:5432/hub`, databaseUrl)
    .replace('agent:4103', `127.0.0.1:${agentPort}`)
    .replace(/^4103$/, String(agentPort))
    .replace(/^agent$/, '127.0.0.1')
    .replace(/^0\.0\.0\.0$/, '127.0.0.1');
}

function start(name: string): ComposeProcess {
  const started = ComposeProcess.start(serviceOf(name), replace);
  running.push(started);
  return started;
}

function serviceOf(name: string): ComposeService {
  const service = services[name];
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}`);
  return service;
}

it('is one process on SQLite without a profile', () => {
  const always = Object.entries(services).filter(([, { profiles }]) => profiles === undefined);
  expect(always.map(([name]) => name)).toEqual(['hub']);
  expect(serviceOf('hub').ports).toEqual(['127.0.0.1:4000:4000']);
});

it('starts what needs the schema after it is up to date', () => {
  expect(serviceOf('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  for (const name of ['api', 'worker']) {
    const after = { migrate: { condition: 'service_completed_successfully' } };
    expect(serviceOf(name)).toMatchObject({ profiles: ['postgres'], depends_on: after });
  }
});

it('takes messages in the api and works on them in the worker', async () => {
  expect(await start('migrate').ended()).toBe(0);
  const [agent, api] = [start('agent'), start('api')];
  await agent.listening();
  const hub = new HubClient(await api.listening(), ADMIN_KEY);
  try {
    await hub.registerAgent(replace('http://agent:4103'), { id: 'text-statistics' });
    const task = await hub.submit('Four words are here.', {
      message: { metadata: { skillTags: ['readability'] } },
    });
    expect(stateOf(task)).toBe('TASK_STATE_SUBMITTED');
    expect((await hub.get('/health/ready')).body).toEqual({ status: 'ok', workers: 'none' });

    const worker = start('worker');
    await worker.listening();
    const done = await eventually(async () => {
      const seen = (await hub.rpc('GetTask', { id: task['id'] })) as JsonObject;
      expect(stateOf(seen)).toBe('TASK_STATE_COMPLETED');
      return seen;
    }, 20_000);
    expect(JSON.stringify(done['artifacts'])).toContain('- 4 words');
    // The api looks every two seconds who works.
    await eventually(async () => {
      expect((await hub.get('/health/ready')).body).toEqual({ status: 'ok' });
    }, 20_000);
    expect(await Promise.all([worker.stop(), api.stop()])).toEqual([0, 0]);
  } finally {
    await hub.disconnect();
  }
}, 240_000);
