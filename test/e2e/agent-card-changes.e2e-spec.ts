import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { createApp } from '../../src/bootstrap.js';
import { ProcessConfigSource } from '../../src/config/index.js';
import { Database } from '../../src/database/database.js';
import { ADMIN_KEY, Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;
/** What the card of the agent says at the moment. */
const served: JsonObject = { name: 'First' };

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start({ card: served })]);
  await hub.registerAgent(agent.url, { id: 'one', organizations: ['acme'] });
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

const cardOf = (id: string, key?: string, from = hub) =>
  from.admin('GET', `/api/v1/agents/${id}/card`, undefined, key);

async function renamed(name: string): Promise<JsonObject> {
  served['name'] = name;
  const { status, body } = await hub.admin('POST', '/api/v1/agents/one:refresh');
  expect(status).toBe(200);
  return body;
}

async function rowsOf(id: string): Promise<number> {
  const sql = 'SELECT agent_id FROM previous_cards WHERE agent_id = ?';
  return (await hub.app.get(Database).read(sql, [id])).length;
}

describe('the card of an agent', () => {
  it('has no differences while it is the first one', async () => {
    const registered = (await hub.admin('GET', '/api/v1/agents/one')).body;
    const { status, body } = await cardOf('one');
    expect([status, body]).toEqual([
      200,
      {
        agentId: 'one',
        current: registered.card,
        changedAt: registered.createdAt,
        ...{ previous: null, previousReplacedAt: null, changes: [] },
      },
    ]);
  });

  it('shows what the last refresh that changed it has changed, however often it is read again', async () => {
    const changes = [{ field: 'name', change: 'changed', before: 'First', after: 'Second' }];
    const refreshed = await renamed('Second');
    expect(refreshed['changes']).toEqual(changes);
    const { body } = await cardOf('one');
    expect(body).toMatchObject({
      current: { name: 'Second' },
      previous: { name: 'First' },
      changedAt: refreshed['updatedAt'],
      previousReplacedAt: refreshed['updatedAt'],
      changes,
    });
    expect((await renamed('Second'))['changes']).toEqual([]);
    await hub.admin('PATCH', '/api/v1/agents/one', { priority: 3 });
    expect((await cardOf('one')).body).toEqual(body);
    await renamed('Third');
    expect((await cardOf('one')).body).toMatchObject({
      previous: { name: 'Second' },
      changes: [{ field: 'name', before: 'Second', after: 'Third' }],
    });
    expect(await rowsOf('one')).toBe(1);
  });

  it('is shown to whoever may see the agent, and to nobody else', async () => {
    const team = await hub.createKey({ organization: 'acme', scopes: ['agents:organization'] });
    const others = await hub.createKey({ organization: 'zeta', scopes: ['agents:organization'] });
    const client = await hub.createKey({ organization: 'acme', scopes: ['a2a'] });
    expect((await cardOf('one', team)).status).toBe(200);
    expect((await cardOf('one', others)).status).toBe(404);
    expect((await cardOf('one', client)).status).toBe(403);
    expect((await cardOf('one', 'a2ah_none')).status).toBe(401);
    expect((await cardOf('none')).status).toBe(404);
    expect((await cardOf('not an id')).status).toBe(404);
  });

  it('leaves nothing of itself when the agent is deleted, and its id has no past', async () => {
    expect((await hub.admin('DELETE', '/api/v1/agents/one')).status).toBe(204);
    expect((await cardOf('one')).status).toBe(404);
    expect(await rowsOf('one')).toBe(0);
    await hub.registerAgent(agent.url, { id: 'one' });
    expect((await cardOf('one')).body).toMatchObject({ previous: null, changes: [] });
  });
});

it('that the hub reads again by itself, as of a declared agent, is shown with its differences', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-card-'));
  const file = join(folder, 'hub.yaml');
  const declare = (priority: number): void =>
    writeFileSync(
      file,
      stringify({ agents: { declared: [{ id: 'own', cardUrl: agent.url, priority }] } }),
    );
  declare(1);
  const config = new ProcessConfigSource({
    A2A_HUB_CONFIG: file,
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(folder, 'hub.db')}`,
    A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
    A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
    A2A_HUB__LOG__LEVEL: 'silent',
  });
  served['name'] = 'Before';
  const app = await createApp({ config });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const own = new Hub(`http://127.0.0.1:${port}`, app, '', folder);
  try {
    const shown = async (body: object): Promise<void> =>
      expect((await cardOf('own', undefined, own)).body).toMatchObject(body);
    await eventually(() => shown({ current: { name: 'Before' }, previous: null }), 10_000);
    served['name'] = 'After';
    declare(2);
    const changes = [{ field: 'name', change: 'changed', before: 'Before', after: 'After' }];
    await eventually(() => shown({ current: { name: 'After' }, changes }), 10_000);
  } finally {
    await own.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
