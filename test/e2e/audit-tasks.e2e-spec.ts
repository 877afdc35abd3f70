import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, type HubProcess, startHub, startHubProcess } from '../support/app.js';
import { startPostgres, startSqlite } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import type { HubClient } from '../support/hub-client.js';
import type { Json } from '../support/json.js';

let agent: RunningAgent;

beforeAll(async () => {
  agent = await startSdkAgent({
    execute: async (turn) => {
      if (turn.text === 'fail') return void turn.task().fail();
      turn.task().working();
      turn.artifact('r', 'the answer nobody may read').complete();
    },
  });
});
afterAll(() => agent?.close());

/** Tasks that are answered in each round before the hub is killed. */
const ANSWERED = 12;
const TO_WORKER = { message: { metadata: { agentId: 'worker' } } };

async function entries(hub: HubClient, query: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: string = `/api/v1/audit?limit=200&${query}${cursor && `&cursor=${cursor}`}`;
    const { body } = await hub.admin('GET', page);
    items.push(...body.items);
    cursor = body.nextCursor as string | null;
  }
  return items;
}

describe('a task', () => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await startHub();
    await hub.registerAgent(agent.url, { id: 'worker' });
  });
  afterAll(() => hub?.close());

  it('leaves an entry soon after it has ended, with its request and its agents', async () => {
    const key = await hub.createKey({ organization: 'acme', scopes: ['a2a'] });
    const { id: keyId, principalId } = (await hub.admin('GET', '/api/v1/keys?limit=1')).body
      .items[0];
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'the question' }] };
    const answer = await hub.rpcRaw(
      'SendMessage',
      { message: { ...message, metadata: { agentId: 'worker' } } },
      { key, headers: { 'x-request-id': 'my-request' } },
    );
    const { task } = answer.body.result;
    const entry = await eventually(async () => {
      const found = await entries(hub, `resourceId=${task.id}`);
      expect(found).toHaveLength(1);
      return found[0]!;
    });
    expect(entry).toMatchObject({
      ...{ action: 'tasks.end', outcome: 'succeeded', resourceType: 'tasks' },
      ...{ principal: principalId, organization: 'acme', credential: keyId },
      requestId: 'my-request',
      details: {
        state: 'TASK_STATE_COMPLETED',
        delegations: [{ agent: 'worker', state: 'completed', calls: 1 }],
      },
    });
    expect(JSON.stringify(entry)).not.toMatch(/the question|the answer/);
  });

  it('is deleted only when its entry is there', async () => {
    const { task } = (await hub.send('x', TO_WORKER)) as Json;
    const database = hub.app.get(Database);
    await database.write((tx) =>
      tx.run(
        `CREATE TRIGGER no_audit BEFORE INSERT ON audit_events WHEN NEW.action = 'tasks.end'
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
      ),
    );
    await database.write((tx) =>
      tx.run('INSERT INTO ended_tasks (task_id) VALUES (?) ON CONFLICT DO NOTHING', [task.id]),
    );
    const refused = await hub.admin('DELETE', `/api/v1/tasks/${task.id}`);
    expect([refused.status, refused.body.detail]).toEqual([
      503,
      expect.stringMatching(/^The audit log does not contain the end of the task yet/),
    ]);
    await database.write((tx) => tx.run('DROP TRIGGER no_audit'));
    expect((await hub.admin('DELETE', `/api/v1/tasks/${task.id}`)).status).toBe(204);
    const actions = (await entries(hub, `resourceId=${task.id}`)).map(({ action }) => action);
    expect(new Set(actions)).toEqual(new Set(['tasks.end', 'tasks.delete']));
  });
});

describe('tasks, where `audit.tasks` is false', () => {
  it('leave no entry', async () => {
    const hub = await startHub({ config: { audit: { tasks: false } } });
    await hub.registerAgent(agent.url, { id: 'worker' });
    const { task } = (await hub.send('x', TO_WORKER)) as Json;
    expect((await hub.admin('DELETE', `/api/v1/tasks/${task.id}`)).status).toBe(204);
    expect(await entries(hub, 'action=tasks.end')).toEqual([]);
    await hub.close();
  });
});

describe.each([
  ['SQLite', startSqlite],
  ['PostgreSQL', startPostgres],
] as const)('kill -9 on %s', (_name, startDatabase) => {
  let database: Awaited<ReturnType<typeof startDatabase>>;
  let hub: HubProcess;

  beforeAll(async () => {
    database = await startDatabase();
    hub = await startHubProcess({
      databaseUrl: await database.migratedUrl(),
      environment: {
        A2A_HUB__TASKS__LEASE: '2s',
        A2A_HUB__AUDIT__ANCHOR_EVERY: '1s',
        A2A_HUB__LOG__LEVEL: 'warn',
      },
    });
    await hub.registerAgent(agent.url, { id: 'worker' });
    await hub.key();
  }, 60_000);
  afterAll(async () => {
    await hub?.close();
    await database?.stop();
  });

  it('loses no entry of a task, doubles none, and the log stays valid', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      let isKilled = false;
      let enough = (): void => undefined;
      const isEnough = new Promise<void>((resolve) => (enough = resolve));
      const senders = Array.from({ length: 6 }, async () => {
        while (!isKilled) {
          const answer = await hub.send('x', TO_WORKER).catch(() => undefined);
          const task = answer?.['task'] as { readonly id: string } | undefined;
          if (task !== undefined) ids.push(task.id);
          if (ids.length > ANSWERED * (round + 1)) enough();
        }
      });
      // Each process writes a chain of its own: this one has begun its own before it is killed.
      await Promise.all([
        isEnough,
        eventually(async () => {
          const chains = (await entries(hub, 'action=tasks.end')).map(({ chain }) => chain);
          expect(new Set(chains).size).toBeGreaterThan(round);
        }, 30_000),
      ]);
      await hub.kill();
      isKilled = true;
      await Promise.all(senders);
      await hub.restart();
    }
    const tasks = await eventually(async () => {
      const found = (await entries(hub, 'action=tasks.end')).map(({ resourceId }) => resourceId);
      expect(ids.filter((id) => !found.includes(id))).toEqual([]);
      return found;
    }, 30_000);
    expect(new Set(tasks).size).toBe(tasks.length);
    const { body } = await hub.admin('POST', '/api/v1/audit:verify', {});
    expect(body).toMatchObject({ valid: true, broken: [] });
    expect(body.chains).toBeGreaterThanOrEqual(4);
  }, 120_000);
});
