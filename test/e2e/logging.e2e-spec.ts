import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Log } from '../../src/common/logger.js';
import { createLog } from '../../src/observability/logging.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { userMessage } from '../support/builders.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const lines: Record<string, unknown>[] = [];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    for (const line of chunk.toString().trim().split('\n')) {
      lines.push(JSON.parse(line) as Record<string, unknown>);
    }
    done();
  },
});
let hub: Hub;
let agent: ScriptedAgent;
beforeAll(async () => {
  agent = await ScriptedAgent.start({});
  hub = await startHub({
    config: { log: { level: 'info', levels: { observability: 'warn' } } },
    providers: [{ provide: Log, useValue: createLog('info', sink) }],
  });
  await hub.registerAgent(agent.url, { id: 'scripted' });
});
afterAll(async () => {
  await hub.close();
  await agent.close();
});

const requests = (): unknown[] => lines.filter(({ msg }) => msg === 'request');
const ends = (): Record<string, unknown>[] => lines.filter(({ msg }) => msg === 'task ended');
const patch = (body: object) => hub.admin('PATCH', '/api/v1/logging', body);
const levelOf = async (module: string): Promise<unknown> => {
  const { body } = await hub.admin('GET', '/api/v1/logging');
  return (body.modules as { module: string }[]).find((each) => each.module === module);
};

it('writes one line for a task that has ended, with ids, route and agents, and nothing of what was said', async () => {
  const message = userMessage('a secret question');
  const metadata = { 'urn:a2a-hub:routing:v1': { agentId: 'scripted' } };
  await hub.rpc(
    'SendMessage',
    { message, metadata },
    { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } },
  );
  const [line] = await eventually(() => {
    expect(ends()).toHaveLength(1);
    return ends();
  }, 10_000);
  expect(line).toMatchObject({
    ...{ level: 'info', module: 'tasks', state: 'TASK_STATE_COMPLETED', traceId: TRACE },
    ...{ taskId: expect.any(String), contextId: expect.any(String), ms: expect.any(Number) },
    ...{ queuedMs: expect.any(Number), calls: 1, organization: expect.any(String) },
    ...{ routedBy: expect.any(String), strategy: 'one', caller: expect.any(String) },
    agents: [{ agent: 'scripted', state: 'completed', calls: 1 }],
  });
  expect(JSON.stringify(lines)).not.toContain('secret question');
});

it('has a level for each module, which can be changed for a while and goes back', async () => {
  await hub.get('/a2a/tasks');
  expect(requests()).toEqual([]);
  expect(await levelOf('observability')).toMatchObject({ level: 'warn', endsAt: null });
  const before = Date.now();
  const { status, body } = await patch({ levels: { observability: 'info', push: 'debug' } });
  expect(status).toBe(200);
  expect(body.modules).toContainEqual({
    ...{ module: 'push', level: 'debug', configured: 'info' },
    endsAt: expect.any(String),
  });
  const shown = (await levelOf('push')) as { readonly endsAt: string };
  expect(Date.parse(shown.endsAt) - before).toBeGreaterThanOrEqual(3_600_000);
  await hub.get('/a2a/tasks');
  await eventually(() => expect(requests()).not.toEqual([]));
  await patch({ levels: { observability: null } });
  expect(await levelOf('observability')).toMatchObject({ level: 'warn', endsAt: null });
  // By itself.
  await patch({ levels: { push: 'trace' }, forSeconds: 1 });
  await eventually(
    async () => expect(await levelOf('push')).toMatchObject({ level: 'info', endsAt: null }),
    10_000,
  );
});

it('refuses modules and levels that there are not, and names those that there are', async () => {
  const unknown = await patch({ levels: { pushh: 'debug', push: 'loud' } });
  expect(unknown.status).toBe(400);
  expect(unknown.body.errors).toEqual([
    { field: 'levels.pushh', description: expect.stringContaining('policies, push, routing') },
    { field: 'levels.push', description: expect.stringContaining('debug, info, warn') },
  ]);
  expect((await patch({ levels: { push: 'debug' }, forSeconds: 0 })).status).toBe(400);
  expect((await patch({})).status).toBe(400);
  expect(await levelOf('push')).toMatchObject({ level: 'info' });
});

it('is for the scope admin, and audited', async () => {
  const key = await hub.createKey({ scopes: ['a2a', 'agents', 'access', 'audit'] });
  const body = JSON.stringify({ levels: { push: 'debug' } });
  const refused = await hub.admin('PATCH', '/api/v1/logging', JSON.parse(body), key);
  expect(refused.status).toBe(403);
  await patch({ levels: { push: null } });
  const { body: audit } = await hub.admin('GET', '/api/v1/audit?action=logging.update');
  expect(audit.items.length).toBeGreaterThan(0);
});
