/**
 * With modules of its own: the hub is a process that is killed.
 *
 * @jest-environment node
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import pg from 'pg';
import { type HubProcess, startHubProcess } from '../support/app.js';
import { startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { isEnd, notifiedTask } from '../support/notified-tasks.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const TASKS = 32;
/** What a deletion comes to last, as tasks go: until then it has deleted others. */
const LAST = TASKS - 1;

describe('a deletion whose process is killed', () => {
  let database: Awaited<ReturnType<typeof startPostgres>>;
  let url: string;
  let hub: HubProcess;
  let agent: ScriptedAgent;
  let sink: WebhookSink;
  let key: string;
  let neighbour: string;

  beforeAll(async () => {
    database = await startPostgres();
    url = await database.migratedUrl();
    agent = await ScriptedAgent.start({ live: { chunks: 1 } });
    sink = await WebhookSink.start();
    hub = await startHubProcess({
      databaseUrl: url,
      environment: { A2A_HUB__LOG__LEVEL: 'warn' },
    });
    await hub.registerAgent(agent.url, { id: 'worker' });
    key = await hub.createKey({ organization: 'acme' });
    neighbour = await hub.createKey({ organization: 'neighbour' });
  }, 120_000);

  afterAll(async () => {
    await hub?.close();
    await agent?.close();
    await sink?.close();
    await database?.stop();
  });

  const job = async (id: string): Promise<Json> =>
    (await hub.admin('GET', `/api/v1/data/deletions/${id}`)).body;
  const send = (text: string, by: string, webhook?: string) => {
    const configuration = { taskPushNotificationConfig: { url: webhook } };
    const params = { tenant: 'worker', ...(webhook !== undefined && { configuration }) };
    return hub.send(text, params, { key: by });
  };

  /** How many deliveries there are, once each has been made. */
  async function delivered(taskIds: readonly string[]): Promise<number> {
    const counts = taskIds.map((id) =>
      eventually(async () => {
        const { body } = await hub.admin('GET', `/api/v1/push/deliveries?taskId=${id}`);
        const items = body.items as JsonObject[];
        expect(items.some(({ state }) => state !== 'delivered')).toBe(false);
        expect(sink.received.some(isEnd(id))).toBe(true);
        // The last one is noted after it was received.
        expect(items).toHaveLength(
          sink.received.filter((each) => notifiedTask(each) === id).length,
        );
        return items.length;
      }, 20_000),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** It is held at one task, with others deleted. */
  async function killHalfWay(last: string): Promise<JsonObject> {
    const asked = { organization: 'acme', confirm: 'acme' };
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM tasks WHERE id = $1 FOR UPDATE', [last]);
      const { body } = await hub.admin('POST', '/api/v1/data/deletions', asked);
      await eventually(async () => {
        const waits = await other.query(
          'SELECT 1 FROM pg_locks JOIN pg_stat_activity a USING (pid) WHERE NOT granted AND a.datname = current_database()',
        );
        const left = await other.query(`SELECT 1 FROM tasks WHERE organization = 'acme'`);
        expect(waits.rowCount).toBeGreaterThan(0);
        expect(left.rowCount).toBeLessThan(TASKS);
        expect(left.rowCount).toBeGreaterThan(0);
      }, 20_000);
      await hub.kill();
      await other.query('ROLLBACK');
      // Its lease would run out in a minute.
      await other.query('UPDATE data_jobs SET lease_until = 0 WHERE id = $1', [body.id]);
      // An export that was being read when it was killed.
      await other.query(`INSERT INTO data_jobs (id, kind, owner, mapping_only, blocks, state,
          requested_by, progress, lease_until, created_at, started_at)
        VALUES ('export-1', 'export', 'organization acme', 0, 0, 'running', 'admin', '{}', 5, 1, 2)`);
      return body;
    } finally {
      await other.end();
    }
  }

  it('goes on after the restart, and its receipt counts all that is gone', async () => {
    const ids: string[] = [];
    for (let index = 0; index < TASKS; index += 16) {
      const some = Array.from({ length: 16 }, (_, at) =>
        send(`task ${index + at}`, key, sink.url()),
      );
      for (const { task } of await Promise.all(some))
        ids.push((task as JsonObject)['id'] as string);
    }
    const { task } = await send('stays', neighbour);
    const deliveries = await delivered(ids);
    expect(deliveries).toBeGreaterThan(TASKS);
    const { id } = await killHalfWay(ids[LAST]!);
    await hub.restart();
    const done = await eventually(async () => {
      const shown = await job(id as string);
      expect(shown.state).toBe('done');
      return shown;
    }, 60_000);
    expect(done.progress.tasks).toEqual({ counted: TASKS, done: TASKS });
    expect(decodeJwt(done.receipt as string)).toMatchObject({
      ...{ job: id, organization: 'acme', left: 0 },
      counts: {
        ...{ tasks: TASKS, keys: 1, principals: 1, webhooks: TASKS, deliveryStreams: TASKS },
        ...{ deliveries, deliveryAttempts: deliveries },
      },
    });
    expect((await hub.rpcRaw('ListTasks', {}, { key })).status).toBe(401);
    const stays = (task as JsonObject)['id'] as string;
    expect(await hub.getTask(stays, { key: neighbour })).toMatchObject({ id: stays });
    await eventually(async () => {
      const { body } = await hub.admin('GET', '/api/v1/data/exports/export-1');
      expect(body).toMatchObject({ state: 'failed', error: expect.stringContaining('again') });
    });
    for (const each of ids.slice(0, 3)) {
      expect((await hub.admin('GET', `/api/v1/tasks/${each}`)).status).toBe(404);
    }
  }, 180_000);
});
