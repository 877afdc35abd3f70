import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { dialogOf, hubHas } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const PUSH = '/api/v1/push';

let hub: Hub;
let agent: ScriptedAgent;
let sink: WebhookSink;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  [agent, sink] = await Promise.all([ScriptedAgent.start(), WebhookSink.start()]);
  const breaker = { failures: 1, pauseMs: 600_000, maxPauseMs: 600_000 };
  const push = { scheduleMs: [20, 20, 20, 20, 20, 20, 20, 20], jitter: 0, breaker };
  hub = await startHub({ config: { push } });
  await hub.registerAgent(agent.url, { id: 'worker' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('webhooks');
});

afterAll(() => Promise.all([own, hub, agent, sink].map((each) => each?.close())));

const send = () => hub.send('hello', { tenant: 'worker' }, { key: ADMIN_KEY });

it('of webhooks that reject events are not well, and come back by one dialog', async () => {
  const { origin } = new URL(sink.url());
  const name = encodeURIComponent(`default ${origin}`);
  await hub.admin('POST', `${PUSH}/subscriptions`, { url: sink.url('/hook') });
  sink.answer = 400;
  await send();
  const lost = `${PUSH}/dead-letters:count?endpoint=${name}`;
  await eventually(async () => {
    expect((await hub.admin('GET', lost)).body.count).toBeGreaterThan(0);
  }, 15_000);
  await own.goTo('', 'Overview');
  await page.getByText('rejects events', { exact: true }).waitFor();
  await page.getByText(/1 receiver of webhooks answers, but rejects events/).waitFor();
  sink.answer = 500;
  await send();
  const endpoint = `${PUSH}/endpoints?endpoint=${name}`;
  await hubHas(hub, endpoint, { items: [expect.objectContaining({ breaker: 'open' })] });
  // What waits for the breaker has sent nothing yet.
  const { task } = await send();
  await own.signIn(`tasks/${String((task as JsonObject)['id'])}`);
  const row = page.getByRole('listitem').filter({ hasText: sink.url('/hook') });
  await row.getByText('nothing sent', { exact: true }).first().waitFor();
  await row.getByText('No delivery on record').first().waitFor();
  sink.answer = 200;
  await own.goTo('webhooks?tab=receivers', 'Webhooks');
  const receivers = page.getByRole('region', { name: 'Receivers', exact: true });
  await receivers.getByRole('button', { name: origin }).click();
  const dialog = dialogOf(page, origin);
  await dialog.getByRole('button', { name: 'Bring it back' }).click();
  await dialog.getByRole('button', { name: 'Test now' }).click();
  await dialog.getByText('delivered', { exact: true }).waitFor();
  await hubHas(hub, endpoint, {
    items: [expect.objectContaining({ breaker: 'closed', state: 'healthy', waiting: 0 })],
  });
  await dialog.getByRole('button', { name: /^Send .* again$/ }).click();
  await dialogOf(page, 'Send dead letters again')
    .getByRole('button', { name: /^Send again/ })
    .click();
  await hubHas(hub, lost, { count: 0 });
}, 120_000);
