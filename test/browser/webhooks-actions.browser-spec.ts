import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import {
  choose,
  clipboard,
  confirm,
  dialogOf,
  fill,
  hubAnswers,
  hubHas,
  press,
  rowOf,
  submit,
} from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const WAIT_MS = 15_000;
const PUSH = '/api/v1/push';

let hub: Hub;
let agent: ScriptedAgent;
let asker: ScriptedAgent;
let sink: WebhookSink;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  [agent, asker, sink] = await Promise.all([
    ScriptedAgent.start(),
    ScriptedAgent.start({ live: { askAfter: 1 } }),
    WebhookSink.start(),
  ]);
  // A receiver that nobody has said is trusted: it is asked whether it agrees.
  hub = await startHub({ config: { push: { trustedHosts: [], breaker: { failures: 1 } } } });
  await hub.registerAgent(agent.url, { id: 'worker' });
  await hub.registerAgent(asker.url, { id: 'asker' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('webhooks');
});

afterAll(() => Promise.all([own, hub, agent, asker, sink].map((each) => each?.close())));

const tab = (name: string) => own.goTo(`webhooks?tab=${name}`, 'Webhooks');

async function done(method: string, path: string, body?: unknown): Promise<JsonObject> {
  const answer = await hub.admin(method, PUSH + path, body);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body as JsonObject;
}

async function send(to: string): Promise<string> {
  const { task } = await hub.send('hello', { tenant: to }, { key: ADMIN_KEY });
  return (task as JsonObject)['id'] as string;
}

/** A webhook on a new task that waits for an answer. */
async function webhookAt(path: string, id: string, fields: JsonObject = {}): Promise<JsonObject> {
  const taskId = await send('asker');
  return done('POST', '/configs', { taskId, id, url: sink.url(path), ...fields });
}

async function itemsOf(path: string): Promise<JsonObject[]> {
  return (await done('GET', path))['items'] as JsonObject[];
}

function newKey(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Whether the key signed what was received (Standard Webhooks). */
function isSigned({ headers, raw }: ReceivedWebhook, key: string): boolean {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const hmac = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'));
  const signature = `v1,${hmac.update(text).update(raw).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(signature);
}

const typed = (where: Locator, field: string, mode: string) =>
  where.getByLabel(field, { exact: true }).selectOption(mode);

describe('webhooks of tasks', () => {
  it('are set, and tell the present state of the task', async () => {
    const taskId = await send('asker');
    await tab('webhooks');
    await press(page, 'Set a webhook');
    const dialog = dialogOf(page, 'Set a webhook on a task');
    await fill(dialog, { Task: taskId, Id: 'mine', Address: sink.url('/set') });
    await typed(dialog, 'Notification token', 'set');
    await fill(dialog, { Token: 'token-of-mine' });
    await submit(dialog, 'Set the webhook');
    const [received] = await sink.waitForCount(1, WAIT_MS, '/set');
    expect(received!.headers['a2a-notification-token']).toBe('token-of-mine');
    expect(JSON.stringify(received!.json)).toContain(taskId);
    const [webhook] = await itemsOf(`/configs?taskId=${taskId}`);
    expect(webhook).toMatchObject({ configId: 'mine', url: sink.url('/set'), state: 'active' });
    await rowOf(page, 'Webhooks of tasks', sink.url('/set')).waitFor();
  });

  it('say which address the hub does not call', async () => {
    const taskId = await send('asker');
    await tab('webhooks');
    await press(page, 'Set a webhook');
    const dialog = dialogOf(page, 'Set a webhook on a task');
    await fill(dialog, { Task: taskId, Address: 'http://10.0.0.1/hook' });
    await press(dialog, 'Set the webhook');
    await dialog.getByRole('alert').waitFor();
    expect(await itemsOf(`/configs?taskId=${taskId}`)).toEqual([]);
    await submit(dialog, 'Cancel');
  });

  it('are changed, paused, resumed and deleted', async () => {
    const { id, taskId } = await webhookAt('/changed', 'changing');
    await sink.waitForCount(1, WAIT_MS, '/changed');
    await tab(`webhooks&task=${String(taskId)}`);
    await choose(page, 'Actions of changing', 'Change …');
    const dialog = dialogOf(page, 'Change the webhook changing');
    await fill(dialog, { Address: sink.url('/changed-to') });
    await typed(dialog, 'Events', 'all');
    await submit(dialog, 'Save');
    const path = `${PUSH}/configs/${String(id)}`;
    await hubHas(hub, path, { url: sink.url('/changed-to'), events: 'all' });
    await choose(page, 'Actions of changing', 'Pause');
    await hubHas(hub, path, { state: 'paused' });
    await rowOf(page, 'Webhooks of tasks', '/changed-to').getByText('paused').waitFor();
    const answer = { message: { taskId: String(taskId) } };
    await hub.send('an answer', { ...answer, tenant: 'asker' }, { key: ADMIN_KEY });
    // What comes after it is delivered: it would be, too.
    await webhookAt('/after', 'after');
    await sink.waitForCount(1, WAIT_MS, '/after');
    expect(sink.at('/changed-to')).toEqual([]);
    await choose(page, 'Actions of changing', 'Resume');
    await sink.waitForCount(1, WAIT_MS, '/changed-to');
    await hubHas(hub, path, { state: 'active' });
    await choose(page, 'Actions of changing', 'Delete …');
    await confirm(page, 'Delete the webhook changing', 'Delete');
    await hubAnswers(hub, path, 404);
  });

  it('are tested: the request is shown as it was sent and signed', async () => {
    const key = newKey();
    const { taskId } = await webhookAt('/tested', 'tested', { signingKeys: [key] });
    await sink.waitForCount(1, WAIT_MS, '/tested');
    sink.answer = { status: 200, body: 'thank you' };
    await tab(`webhooks&task=${String(taskId)}`);
    await choose(page, 'Actions of tested', 'Send a test');
    const dialog = dialogOf(page, 'Test of the webhook tested');
    await dialog.getByText('delivered', { exact: true }).waitFor();
    const received = sink.at('/tested').at(-1)!;
    sink.answer = 200;
    expect(isSigned(received, key)).toBe(true);
    const shown = dialog.getByRole('region', { name: 'The request that was sent' });
    await shown.getByText(String(received.headers['webhook-signature'])).waitFor();
    await shown.getByText(String(received.headers['webhook-id']), { exact: true }).waitFor();
    await press(shown, 'Copy the request');
    expect(await clipboard(page)).toContain(received.raw.toString('utf8'));
    expect(await dialog.getByLabel('What came back').textContent()).toBe('thank you');
    const before = sink.at('/tested').length;
    await press(dialog, 'Test again');
    await sink.waitForCount(before + 1, WAIT_MS, '/tested');
    await submit(dialog, 'Done');
  });

  it('get new secrets', async () => {
    const [old, next] = [newKey(), newKey()];
    const made = await webhookAt('/rotated', 'rotated', { signingKeys: [old] });
    await tab(`webhooks&task=${String(made['taskId'])}`);
    await choose(page, 'Actions of rotated', 'Rotate secrets …');
    const dialog = dialogOf(page, 'Rotate the secrets of the webhook rotated');
    await typed(dialog, 'Signing keys', 'set');
    await fill(dialog, { Keys: next });
    await dialog.getByRole('checkbox', { name: /^Sign with the old keys as well/ }).check();
    await submit(dialog, 'Rotate');
    const test = async (): Promise<ReceivedWebhook> => {
      await done('POST', `/configs/${String(made['id'])}:test`);
      return sink.at('/rotated').at(-1)!;
    };
    const both = await test();
    expect([isSigned(both, old), isSigned(both, next)]).toEqual([true, true]);
    await choose(page, 'Actions of rotated', 'Rotate secrets …');
    await typed(dialog, 'Signing keys', 'set');
    await fill(dialog, { Keys: next });
    await submit(dialog, 'Rotate');
    const one = await test();
    expect([isSigned(one, old), isSigned(one, next)]).toEqual([false, true]);
  });

  it('are told again what happened', async () => {
    const { taskId } = await webhookAt('/replayed', 'replayed');
    const [first] = await sink.waitForCount(1, WAIT_MS, '/replayed');
    await hub.send('an answer', { message: { taskId }, tenant: 'asker' }, { key: ADMIN_KEY });
    await sink.until(
      (all) => all.some(({ path, raw }) => path === '/replayed' && raw.includes('COMPLETED')),
      WAIT_MS,
    );
    const last = sink.at('/replayed').at(-1)!;
    const before = sink.at('/replayed').length;
    await tab(`webhooks&task=${String(taskId)}`);
    await choose(page, 'Actions of replayed', 'Replay since …');
    const dialog = dialogOf(page, 'Replay to replayed');
    await fill(dialog, { Entry: String(last.headers['a2a-hub-sequence']) });
    await submit(dialog, 'Replay');
    await sink.waitForCount(before + 1, WAIT_MS, '/replayed');
    const again = sink.at('/replayed').at(-1)!;
    expect(again.headers['webhook-id']).toBe(last.headers['webhook-id']);
    expect(again.headers['webhook-id']).not.toBe(first!.headers['webhook-id']);
  });

  it('ask their receiver whether it agrees to be called', async () => {
    const { taskId } = await webhookAt('/agreeing', 'agreeing');
    await sink.waitForCount(1, WAIT_MS, '/agreeing');
    sink.answer = ({ method, headers }) =>
      method === 'OPTIONS'
        ? {
            status: 200,
            headers: { 'WebHook-Allowed-Origin': String(headers['webhook-request-origin']) },
          }
        : 200;
    const origin = new URL(sink.url()).origin;
    await hubHas(hub, `${PUSH}/endpoints`, {
      items: [expect.objectContaining({ origin, verifiedBy: null })],
    });
    await tab(`webhooks&task=${String(taskId)}`);
    await choose(page, 'Actions of agreeing', 'Verify the receiver');
    await hubHas(hub, `${PUSH}/endpoints`, {
      items: [expect.objectContaining({ origin, verifiedBy: 'challenge' })],
    });
    sink.answer = 200;
    await tab('receivers');
    await page
      .getByRole('region', { name: 'Receivers' })
      .getByRole('button', { name: origin })
      .click();
    const dialog = dialogOf(page, origin);
    await dialog.getByText('by the challenge').waitFor();
    await submit(dialog, 'Close');
  });
});

describe('subscriptions', () => {
  let id: string;

  it('are created with a filter, and told of the tasks that fit', async () => {
    await tab('subscriptions');
    await press(page, 'New subscription');
    const dialog = dialogOf(page, 'New subscription');
    await fill(dialog, { Name: 'ends', Address: sink.url('/ends'), Agents: 'worker, wroker' });
    await dialog.getByText('No agent has the id “wroker”.').waitFor();
    await fill(dialog, { Agents: 'worker', Organization: 'nowhere' });
    await dialog.getByText('There is no organization “nowhere”.').waitFor();
    await fill(dialog, { Organization: '' });
    await dialog.getByText('No agent has the id').waitFor({ state: 'detached' });
    await dialog.getByRole('checkbox', { name: 'completed' }).check();
    await submit(dialog, 'Create');
    const [made] = await itemsOf('/subscriptions');
    expect(made).toMatchObject({
      name: 'ends',
      filter: { agents: ['worker'], states: ['completed'], tags: null },
    });
    id = made!['id'] as string;
    await send('asker');
    const taskId = await send('worker');
    const [received] = await sink.waitForCount(1, WAIT_MS, '/ends');
    expect(JSON.stringify(received!.json)).toContain(taskId);
    expect(JSON.stringify(received!.json)).toContain('TASK_STATE_COMPLETED');
  });

  it('are changed', async () => {
    await tab('subscriptions');
    await choose(page, 'Actions of ends', 'Change …');
    const dialog = dialogOf(page, 'Change ends');
    await fill(dialog, { Name: 'all ends', Agents: '' });
    await dialog.getByRole('checkbox', { name: 'failed' }).check();
    await submit(dialog, 'Save');
    await hubHas(hub, `${PUSH}/subscriptions/${id}`, {
      name: 'all ends',
      filter: { agents: null, states: ['completed', 'failed'] },
    });
  });

  it('are paused and resumed: what gathers is sent then', async () => {
    const path = `${PUSH}/subscriptions/${id}`;
    await tab('subscriptions');
    await choose(page, 'Actions of all ends', 'Pause');
    await hubHas(hub, path, { state: 'paused' });
    await rowOf(page, 'Subscriptions', 'all ends').getByText('paused').waitFor();
    const before = sink.at('/ends').length;
    const taskId = await send('worker');
    await choose(page, 'Actions of all ends', 'Resume');
    await hubHas(hub, path, { state: 'active' });
    await sink.waitForCount(before + 1, WAIT_MS, '/ends');
    expect(JSON.stringify(sink.at('/ends').at(-1)!.json)).toContain(taskId);
  });

  it('are tested and get new secrets', async () => {
    await tab('subscriptions');
    await choose(page, 'Actions of all ends', 'Rotate secrets …');
    const rotation = dialogOf(page, 'Rotate the secrets of all ends');
    await typed(rotation, 'Authentication', 'Bearer');
    await fill(rotation, { Credentials: 'a-bearer-token-0123456789' });
    await submit(rotation, 'Rotate');
    await choose(page, 'Actions of all ends', 'Send a test');
    const dialog = dialogOf(page, 'Test of all ends');
    await dialog.getByText('delivered', { exact: true }).waitFor();
    const received = sink.at('/ends').at(-1)!;
    expect(received.headers.authorization).toBe('Bearer a-bearer-token-0123456789');
    // The secret is masked.
    expect(await dialog.textContent()).not.toContain('a-bearer-token');
    await submit(dialog, 'Done');
  });

  it('are shown, and deleted', async () => {
    await tab('subscriptions');
    await page.getByRole('button', { name: 'all ends', exact: true }).click();
    const shown = dialogOf(page, 'Subscription');
    await shown.getByText(sink.url('/ends'), { exact: true }).first().waitFor();
    await choose(page, 'Actions of all ends', 'Delete …');
    await confirm(page, 'Delete all ends', 'Delete');
    await hubAnswers(hub, `${PUSH}/subscriptions/${id}`, 404);
  });
});

describe('deliveries', () => {
  it('are filtered, and shown with each attempt', async () => {
    sink.script.push({ status: 503, headers: { 'retry-after': '0' }, body: 'not now' });
    const { taskId } = await webhookAt('/retried', 'retried');
    await sink.waitForCount(2, WAIT_MS, '/retried');
    await hubHas(hub, `${PUSH}/deliveries?taskId=${String(taskId)}`, {
      items: [{ state: 'delivered', attempts: 2 }],
    });
    await tab('deliveries');
    await page.getByLabel('Task', { exact: true }).fill(String(taskId));
    const rows = page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr');
    await eventually(async () => expect(await rows.count()).toBe(1), WAIT_MS);
    await rows.getByRole('button').first().click();
    const dialog = dialogOf(page, 'Delivery');
    await dialog.getByText('HTTP 503').waitFor();
    await dialog.getByText('HTTP 200').waitFor();
    await dialog.getByText('not now').waitFor();
    await press(dialog, 'Send again');
    await sink.waitForCount(3, WAIT_MS, '/retried');
    const ids = sink.at('/retried').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    await submit(dialog, 'Close');
  });
});

describe('dead letters', () => {
  /** Tasks of which an event was given up. */
  async function lose(path: string, count: number): Promise<string> {
    sink.answer = (received) => (received.path === path ? 400 : 200);
    const { id } = await done('POST', '/subscriptions', {
      url: sink.url(path),
      filter: { states: ['completed'], agents: ['worker'] },
    });
    await Promise.all(Array.from({ length: count }, () => send('worker')));
    const config = `subscription:${String(id)}`;
    await eventually(async () => {
      expect(await itemsOf(`/dead-letters?configId=${config}`)).toHaveLength(count);
    }, WAIT_MS);
    sink.answer = 200;
    sink.received.length = 0;
    return config;
  }

  it('are sent again: one, those that are chosen, and all that match', async () => {
    const config = await lose('/lost', 4);
    const left = async (count: number) =>
      eventually(async () => {
        expect(await itemsOf(`/dead-letters?configId=${config}`)).toHaveLength(count);
      }, WAIT_MS);
    await tab(`dead-letters&config=${config}`);
    const table = page.getByRole('region', { name: 'Dead letters', exact: true });
    await table.locator('tbody tr').first().getByRole('button').click();
    const one = dialogOf(page, 'Delivery');
    await one.getByText('HTTP 400').first().waitFor();
    await press(one, 'Send again');
    await sink.waitForCount(1, WAIT_MS, '/lost');
    await left(3);
    await submit(one, 'Close');
    await page.getByRole('heading', { name: 'Dead letters: 3 rows' }).waitFor();
    await table.getByRole('checkbox').first().check();
    await press(page, 'Send again: 1 chosen');
    const bulk = dialogOf(page, 'Send dead letters again');
    await submit(bulk, 'Send again 1 dead letter');
    await sink.waitForCount(2, WAIT_MS, '/lost');
    await left(2);
    await page.getByRole('heading', { name: 'Dead letters: 2 rows' }).waitFor();
    await press(page, 'Send again: all that match');
    await submit(bulk, 'Send again 2 dead letters');
    await sink.waitForCount(4, WAIT_MS, '/lost');
    await left(0);
    await page.getByText('No dead letter fits these filters').waitFor();
  });

  it('say how many were passed over, and why', async () => {
    const config = await lose('/passed', 3);
    const letters = await itemsOf(`/dead-letters?configId=${config}`);
    await tab(`dead-letters&config=${config}`);
    await press(page, 'Send again: all that match');
    const bulk = dialogOf(page, 'Send dead letters again');
    await bulk.getByText('3 dead letters', { exact: true }).waitFor();
    await done('POST', '/dead-letters:purge', { ids: [letters[1]!['id']] });
    await press(bulk, 'Send again 3 dead letters');
    await bulk
      .getByText('2 dead letters sent again. 1 passed over: the webhook was')
      .first()
      .waitFor();
    await submit(bulk, 'Done');
    await sink.waitForCount(2, WAIT_MS, '/passed');
  });

  it('that are refused again are sent once by one job', async () => {
    const config = await lose('/refusing', 3);
    sink.answer = ({ path }) => (path === '/refusing' ? 400 : 200);
    const attempts = async () =>
      (await itemsOf(`/dead-letters?configId=${config}`)).map((each) => Number(each['attempts']));
    const all = async () =>
      eventually(async () => expect(await attempts()).toHaveLength(3), WAIT_MS);
    const before = await attempts();
    await page.route('**/dead-letters:count?*', (route) =>
      route.fulfill({ json: { count: 3, isLeast: true } }),
    );
    let steps = 0;
    // One letter a step, and the next one when that is a dead letter again.
    await page.route('**/dead-letters:redeliver', async (route) => {
      await all();
      steps += 1;
      const body = route.request().postDataJSON() as JsonObject;
      await route.continue({ postData: JSON.stringify({ ...body, limit: 1 }) });
    });
    try {
      await tab(`dead-letters&config=${config}`);
      await press(page, 'Send again: all that match');
      const bulk = dialogOf(page, 'Send dead letters again');
      await submit(bulk, 'Send again 3 dead letters or more');
      await all();
      // The last step finds none behind the third.
      expect(steps).toBe(4);
      expect(await attempts()).toEqual(before.map((count) => 2 * count));
    } finally {
      await page.unrouteAll();
      sink.answer = 200;
    }
  });

  it('are deleted', async () => {
    const config = await lose('/purged', 2);
    await tab(`dead-letters&config=${config}`);
    await press(page, 'Delete: all that match');
    const bulk = dialogOf(page, 'Delete dead letters');
    await submit(bulk, 'Delete 2 dead letters');
    expect(await itemsOf(`/dead-letters?configId=${config}`)).toEqual([]);
    expect(sink.at('/purged')).toEqual([]);
  });
});

describe('auth profiles', () => {
  it('are created with a secret that the hub makes, rotated, and deleted', async () => {
    await tab('auth-profiles');
    await press(page, 'New auth profile');
    const dialog = dialogOf(page, 'New auth profile');
    const { origin } = new URL(sink.url());
    await fill(dialog, { Organization: 'nowhere' });
    await dialog.getByText('There is no organization “nowhere”.').waitFor();
    await fill(dialog, { Organization: '' });
    await fill(dialog, { Name: 'signer', Addresses: `${origin}/profiled` });
    await submit(dialog, 'Create');
    const once = dialogOf(page, 'The secret that the hub made');
    const secret = (await once.getByLabel('secret', { exact: true }).textContent())!;
    await submit(once, 'I have stored it');
    expect(await page.content()).not.toContain(secret);
    const made = await webhookAt('/profiled', 'profiled', {
      authentication: { scheme: 'Profile', credentials: 'signer' },
    });
    const [first] = await sink.waitForCount(1, WAIT_MS, '/profiled');
    expect(isSigned(first!, secret)).toBe(true);
    await choose(page, 'Actions of signer', 'Rotate secret …');
    const next = newKey();
    await fill(dialogOf(page, 'Rotate the secret of signer'), { 'New secret': next });
    await submit(dialogOf(page, 'Rotate the secret of signer'), 'Rotate');
    await done('POST', `/configs/${String(made['id'])}:test`);
    expect(isSigned(sink.at('/profiled').at(-1)!, next)).toBe(true);
    await choose(page, 'Actions of signer', 'Delete …');
    const deletion = dialogOf(page, 'Delete the profile signer');
    await press(deletion, 'Delete');
    // A webhook names it.
    await deletion.getByRole('alert').waitFor();
    await done('DELETE', `/configs/${String(made['id'])}`);
    await submit(deletion, 'Delete');
    expect(await itemsOf('/auth-profiles')).toEqual([]);
  });
});

describe('receivers', () => {
  it('that say good-bye disable their webhook until it is resumed', async () => {
    sink.script.push(410);
    const { id, taskId } = await webhookAt('/gone', 'gone');
    const path = `${PUSH}/configs/${String(id)}`;
    await hubHas(hub, path, { state: 'disabled' });
    await tab(`webhooks&task=${String(taskId)}`);
    await rowOf(page, 'Webhooks of tasks', '/gone').getByText('disabled').waitFor();
    // Nothing can be sent again meanwhile; where it is resumed is said.
    await tab(`dead-letters&task=${String(taskId)}`);
    const dead = page.getByRole('region', { name: 'Dead letters' }).locator('tbody tr');
    await dead.getByRole('button').first().click();
    const dialog = dialogOf(page, 'Delivery');
    await dialog.getByText('it can be sent again once').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await submit(dialog, 'Close');
    await own.goTo(`tasks/${String(taskId)}?tab=webhooks`, 'Task');
    await page.getByText('It gets nothing any more').waitFor();
    await tab(`webhooks&task=${String(taskId)}`);
    await choose(page, 'Actions of gone', 'Resume');
    await hubHas(hub, path, { state: 'active' });
    await tab(`deliveries&task=${String(taskId)}`);
    await page
      .getByRole('region', { name: 'Deliveries' })
      .locator('tbody tr')
      .filter({ hasText: 'dead' })
      .getByRole('button')
      .first()
      .click();
    await dialog.getByRole('button', { name: 'Send again' }).waitFor();
    await submit(dialog, 'Close');
    await hub.send('an answer', { message: { taskId }, tenant: 'asker' }, { key: ADMIN_KEY });
    await sink.waitForCount(2, WAIT_MS, '/gone');
  });

  it('that fail are in the event log', async () => {
    const failing = await WebhookSink.start();
    try {
      failing.answer = 500;
      const { origin } = new URL(failing.url());
      const taskId = await send('asker');
      await done('POST', '/configs', { taskId, url: failing.url() });
      await tab('events&type=endpoint.failing');
      const row = rowOf(page, 'Event log', origin);
      await row.getByText('receiver failing').waitFor();
      await hubHas(hub, `${PUSH}/event-log`, {
        items: expect.arrayContaining([
          expect.objectContaining({ type: 'endpoint.failing', origin }),
        ]),
      });
      await page.getByLabel('What', { exact: true }).selectOption('receiver recovered');
      await row.waitFor({ state: 'detached' });
    } finally {
      await failing.close();
    }
  });

  it('open by a link also where the list does not show them', async () => {
    const { origin } = new URL(sink.url());
    const id = encodeURIComponent(`default ${origin}`);
    await tab(`receivers&state=disabled&id=${id}`);
    const dialog = dialogOf(page, origin);
    await dialog.getByText('Last accepted').waitFor();
    await submit(dialog, 'Close');
  });

  it('are shown with their health, and lead to what they got', async () => {
    const { origin } = new URL(sink.url());
    await tab('receivers');
    await page.getByLabel('Health', { exact: true }).selectOption('healthy');
    await page
      .getByRole('region', { name: 'Receivers' })
      .getByRole('button', { name: origin })
      .click();
    const dialog = dialogOf(page, origin);
    await dialog.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('region', { name: 'Deliveries' }).getByText(origin).first().waitFor();
    expect(new URL(page.url()).searchParams.get('endpoint')).toContain(origin);
  });
});
