/**
 * With modules of its own: the hubs are processes that are killed.
 *
 * @jest-environment node
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { type HubProcess, startHubProcess } from '../support/app.js';
import { ConsentBrowser } from '../support/consent-browser.js';
import { CONSENT_CLIENT, ConsentServer } from '../support/consent-server.js';
import { startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let database: Awaited<ReturnType<typeof startPostgres>>;
let databaseUrl: string;
let sql: pg.Client;
let one: HubProcess;
let other: HubProcess;
let provider: ConsentServer;
let agent: ScriptedAgent;
let key: string;
let principal: string;
let round = 0;

beforeAll(async () => {
  database = await startPostgres();
  databaseUrl = await database.migratedUrl();
  sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  // Both are one hub at one address, as behind a load balancer.
  const port = await freePort();
  const environment = { A2A_HUB__PUBLIC_URL: `http://127.0.0.1:${port}` };
  one = await startHubProcess({ databaseUrl, environment, port });
  [other, agent, provider] = await Promise.all([
    startHubProcess({ databaseUrl, environment }),
    ScriptedAgent.start(),
    ConsentServer.start(one.url),
  ]);
  await one.registerAgent(agent.url, {
    id: 'z',
    authentication: {
      ...{ type: 'oauth2-authorization-code', issuer: provider.url, ...CONSENT_CLIENT },
      scopes: ['openid', 'offline_access', 'payroll.read'],
    },
  });
}, 120_000);

afterAll(async () => {
  await Promise.all([one, other, agent, provider].map((each) => each?.close()));
  await sql?.end();
  await database?.stop();
});

beforeEach(async () => {
  agent.calls.splice(0);
  provider.grants.splice(0);
  provider.hold = undefined;
  principal = `user-${(round += 1)}`;
  await one.admin('POST', '/api/v1/principals', { id: principal });
  const scopes = ['a2a'];
  const made = await one.admin('POST', '/api/v1/keys', { name: 'own', principal, scopes });
  key = made.body.key as string;
});

/** Why consents of the principal have ended by themselves. */
async function ends(): Promise<unknown[]> {
  const query = `action=consents.end&onBehalfOf=${principal}`;
  const { body } = await other.admin('GET', `/api/v1/audit?${query}`);
  return (body.items as { details: JsonObject }[]).map(({ details }) => details['cause']);
}

const stateOf = (task: JsonObject): string => (task['status'] as { state: string }).state;
function textOf(task: JsonObject): string {
  const { message } = task['status'] as { message?: { parts: { text: string }[] } };
  return message?.parts.map(({ text }) => text).join('') ?? '';
}
const send = async (hub: HubProcess): Promise<JsonObject> =>
  (await hub.send('hi', { tenant: 'z' }, { key }))['task'] as JsonObject;
const completed = (hub: HubProcess, { id }: JsonObject): Promise<JsonObject> =>
  hub.waitForTask(id as string, 'TASK_STATE_COMPLETED', 20_000, { key });

/** The link of a task that waits; as it is at this process. */
function linkOf(task: JsonObject, hub: HubProcess): string {
  expect(stateOf(task)).toBe('TASK_STATE_AUTH_REQUIRED');
  const { message } = task['status'] as { message: { metadata: JsonObject } };
  const { awaits } = message.metadata[ROUTING_EXTENSION_URI] as { awaits: { url: string } };
  return at(awaits.url, hub);
}
const at = (url: string, hub: HubProcess): string => url.replace(one.url, hub.url);

/** Where the provider sends the browser back to. */
async function callback(browser: ConsentBrowser, link: string): Promise<string> {
  return (await browser.consent(link, 'alice', false, `${one.url}/oauth/callback`)).url;
}

/** A consent whose access token has expired. */
async function expired(): Promise<void> {
  const task = await send(one);
  await new ConsentBrowser().consent(linkOf(task, one), 'alice');
  await completed(one, task);
  await sql.query('UPDATE consents SET usable_until = 0 WHERE principal_id = $1', [principal]);
}

it('is asked for at one process, begun at another, and its task goes on at the one that holds it', async () => {
  for (const back of [one, other]) {
    await sql.query('DELETE FROM consents');
    const task = await send(one);
    const browser = new ConsentBrowser();
    const link = linkOf(task, other);
    // This process may not have heard of the agent yet.
    await eventually(async () => expect((await browser.open(link)).status).toBe(200));
    const url = at(await callback(browser, link), back);
    // One host for the browser, whichever process answers: its cookie counts for both.
    browser.share(other.url, back.url);
    expect((await browser.open(url)).status).toBe(200);
    await completed(other, task);
  }
  expect(agent.calls).toHaveLength(2);
});

it('outlasts a restart between the link and the answer of the provider', async () => {
  const task = await send(one);
  const link = linkOf(task, one);
  const browser = new ConsentBrowser();
  await one.kill();
  await one.restart();
  const back = await callback(browser, link);
  await one.kill();
  await one.restart();
  expect((await browser.open(back)).status).toBe(200);
  await completed(one, task);
  expect(agent.calls).toHaveLength(1);
});

it('is renewed once when both processes need it', async () => {
  await expired();
  const tasks = await Promise.all([one, other, one, other].map((hub) => send(hub)));
  await Promise.all(tasks.map((task) => completed(one, task)));
  expect(provider.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
  expect(agent.calls).toHaveLength(5);
});

it('is renewed by another process when the one that had begun is killed', async () => {
  await expired();
  let arrived = 0;
  const held = new Promise<void>((resolve) => {
    provider.hold = () => {
      arrived += 1;
      resolve();
      return new Promise(() => undefined);
    };
  });
  const lost = one.submit('hi', { tenant: 'z' }, { key }).catch(() => undefined);
  await held;
  const { rows } = await sql.query<{ renewing_until: string | null }>(
    'SELECT renewing_until FROM consents WHERE principal_id = $1',
    [principal],
  );
  expect(rows[0]!.renewing_until).not.toBeNull();
  await one.kill();
  await lost;
  provider.hold = undefined;
  const task = other.submit('hi', { tenant: 'z' }, { key });
  // Its reservation would run out in a minute.
  await sql.query('UPDATE consents SET renewing_until = 1 WHERE principal_id = $1', [principal]);
  await completed(other, await task);
  await one.restart();
  expect(arrived).toBe(1);
  expect(provider.grants).toEqual(['authorization_code', 'refresh_token']);
});

it('is asked for again when the process that has got its new tokens is killed before it has stored them', async () => {
  await expired();
  let arrived = (): void => {};
  const isHeld = new Promise<void>((resolve) => (arrived = resolve));
  let goOn = (): void => {};
  provider.hold = () => {
    arrived();
    return new Promise((resolve) => (goOn = resolve));
  };
  const lost = one.submit('hi', { tenant: 'z' }, { key }).catch(() => undefined);
  await isHeld;
  // The provider answers, and the hub waits for the row.
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT id FROM consents WHERE principal_id = $1 FOR UPDATE', [principal]);
  provider.hold = undefined;
  goOn();
  await eventually(async () => {
    const { rows } = await sql.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
       AND wait_event_type = 'Lock' AND query LIKE 'UPDATE consents SET sealed_access_token%'`,
    );
    expect(rows).toHaveLength(1);
  });
  await one.kill();
  await lost;
  await holder.query('UPDATE consents SET renewing_until = 1 WHERE principal_id = $1', [principal]);
  await holder.query('COMMIT');
  await holder.end();
  expect(provider.grants).toEqual(['authorization_code', 'refresh_token']);
  // The provider takes a refresh token once: the one that is stored is used up.
  const task = await send(other);
  const link = linkOf(task, other);
  expect(textOf(task)).toContain('does not take the consent that you have given any more');
  const browser = new ConsentBrowser();
  expect(await ends()).toEqual(['refused-token']);
  await one.restart();
  browser.share(one.url, other.url);
  const back = at(await callback(browser, link), other);
  expect((await browser.open(back)).status).toBe(200);
  await completed(other, task);
  // What the killed process was at ends as well: it cannot know that nothing was sent.
  await eventually(async () => {
    const { tasks } = (await other.rpc('ListTasks', {}, { key })) as { tasks: JsonObject[] };
    const open = tasks.filter((each) => stateOf(each) !== 'TASK_STATE_COMPLETED');
    expect(open.map(stateOf)).toEqual(['TASK_STATE_FAILED']);
    expect(textOf(open[0]!)).toContain('The hub stopped while sending');
  }, 60_000);
  expect(agent.calls.filter(({ method }) => method !== 'ListTasks')).toHaveLength(2);
  expect(provider.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
  expect(await ends()).toEqual(['refused-token']);
}, 120_000);
