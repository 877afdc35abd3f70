import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { dialogOf, hubHas, rowOf, submit } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
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

/** The name of the receiver as a parameter of queries. */
const receiver = () => encodeURIComponent(`default ${new URL(sink.url()).origin}`);

/** Opens its dialog, and in it the way back. */
async function bringBack(filter = ''): Promise<Locator> {
  const { origin } = new URL(sink.url());
  await own.goTo(`webhooks?tab=receivers${filter}`, 'Webhooks');
  const receivers = page.getByRole('region', { name: 'Receivers', exact: true });
  await receivers.getByRole('button', { name: origin }).click();
  const dialog = dialogOf(page, origin);
  await dialog.getByRole('button', { name: 'Bring it back' }).click();
  return dialog;
}

const send = () => hub.send('hello', { tenant: 'worker' }, { key: ADMIN_KEY });

it('of webhooks that reject events are not well, and come back by one dialog', async () => {
  const name = receiver();
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
  await own.goTo('webhooks?tab=receivers&state=healthy', 'Webhooks');
  await page.getByText('No receiver fits these filters').waitFor();
  // As in the overview, those that reject events are counted apart from those that fail otherwise.
  const tile = (label: string) => page.getByRole('link', { name: new RegExp(`${label}$`) });
  await tile('receivers that reject events').getByText('1', { exact: true }).waitFor();
  await tile('failing receivers').getByText('0', { exact: true }).waitFor();
  const health = page.getByLabel('Health', { exact: true });
  await health.selectOption({ label: 'Failing' });
  await page.getByText('No receiver fits these filters').waitFor();
  await health.selectOption({ label: 'Rejects events or webhook gone' });
  const listed = rowOf(page, 'Receivers', new URL(sink.url()).origin);
  await listed.getByText('rejects events', { exact: true }).waitFor();
  await listed.getByText('HTTP 400').waitFor();
  expect(await listed.getByText('healthy', { exact: true }).count()).toBe(0);
  await listed.getByRole('button').click();
  const about = dialogOf(page, new URL(sink.url()).origin);
  await about.getByText(/tried a few times, then given up/).waitFor();
  await about.getByText('0: it answers, and rejections do not count').waitFor();
  await about.getByText('Last accepted').waitFor();
  await about
    .locator('dd')
    .getByRole('link', { name: /^[1-9]\d*$/ })
    .waitFor();
  expect(await own.axe()).toEqual([]);
  await submit(about, 'Close');
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
  const [subscriptions, dialog] = await Promise.all([
    page.waitForRequest(/push\/subscriptions\?/),
    // It leaves this list while it is brought back.
    bringBack('&state=failing'),
  ]);
  // Of its own, however many the organization has.
  expect(new URL(subscriptions.url()).searchParams.get('endpoint')).toBe(decodeURIComponent(name));
  await dialog.getByRole('button', { name: 'Test now' }).click();
  await dialog.getByText('delivered', { exact: true }).waitFor();
  await hubHas(hub, endpoint, {
    items: [expect.objectContaining({ breaker: 'closed', state: 'healthy', waiting: 0 })],
  });
  await page.getByText('No receiver fits these filters').waitFor({ state: 'attached' });
  await dialog.getByText('delivered', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: /^Send .* again$/ }).click();
  await dialogOf(page, 'Send dead letters again')
    .getByRole('button', { name: /^Send again/ })
    .click();
  await hubHas(hub, lost, { count: 0 });
}, 120_000);

it('show what they lost to whoever sees them, with what of it is of its own tasks', async () => {
  const [third, losing] = await Promise.all([ConsoleBrowser.open(hub.url), WebhookSink.start()]);
  try {
    losing.answer = 400;
    await hub.admin('POST', `${PUSH}/subscriptions`, { url: losing.url('/hook') });
    await send();
    const { origin } = new URL(losing.url());
    const lost = `${PUSH}/dead-letters:by-receiver?endpoint=${encodeURIComponent(`default ${origin}`)}`;
    await eventually(async () => {
      expect((await hub.admin('GET', lost)).body.total).toBeGreaterThan(0);
    }, 15_000);
    const key = await hub.createKey({ scopes: ['push'], organization: 'default' });
    const { page: shown } = third;
    await third.signIn('webhooks?tab=receivers', key);
    const card = shown.getByRole('region', { name: 'Lost events by receiver' });
    const listed = card.getByRole('listitem').filter({ hasText: origin });
    await listed.getByText(/[1-9]\d* lost events?, none of your own tasks/).waitFor();
    await rowOf(shown, 'Receivers', origin).getByRole('button').click();
    const dialog = dialogOf(shown, origin);
    await dialog.getByText(/^[1-9]\d*, none of your own tasks/).waitFor();
    await dialog.getByRole('button', { name: 'Bring it back' }).click();
    await dialog.getByText(/lost events? (is|are) of tasks of others/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Nothing to send again' }).isEnabled()).toBe(
      false,
    );
    await third.goTo('', 'Overview');
    await shown.getByText(/receivers? of webhooks answers?, but rejects? events/).waitFor();
    expect(await shown.getByText(/All is well/).count()).toBe(0);
    expect(await shown.getByRole('group', { name: 'Time that the charts show' }).count()).toBe(0);
    expect(third.faults).toEqual([]);
  } finally {
    await Promise.all([third.close(), losing.close()]);
  }
}, 60_000);

it('that are being retried say when next, and draw how long each attempt took', async () => {
  const third = await ConsoleBrowser.open(hub.url);
  try {
    const { page: shown } = third;
    const { origin } = new URL(sink.url());
    const inAnHour = new Date(Date.now() + 3_600_000 + 30_000).toISOString();
    await shown.route('**/push/endpoints?*', async (route) => {
      const response = await route.fetch();
      const { items, nextCursor } = (await response.json()) as Json;
      const state = { state: 'failing', rejects: false, breaker: 'closed', waiting: 3 };
      const unknown = { nextProbeAt: null, verifiedBy: null };
      const changed = items.map((each: JsonObject) => ({ ...each, ...state, ...unknown }));
      await route.fulfill({ json: { items: changed, nextCursor } });
    });
    await shown.route('**/push/deliveries?*', (route) =>
      route.fulfill({
        json: { items: [{ id: 'one', attempts: 4, nextAttemptAt: inAnHour }], nextCursor: null },
      }),
    );
    await shown.route('**/push/deliveries/one/attempts*', (route) =>
      route.fulfill({
        json: {
          items: [0, 4, 8, 12].map((seconds) => ({
            ...{ number: seconds, durationMs: 200, isRounded: false, error: null, status: 200 },
            at: new Date(Date.parse('2026-01-01T10:20:31Z') + seconds * 1000).toISOString(),
          })),
          nextCursor: null,
        },
      }),
    );
    await third.signIn('webhooks?tab=receivers');
    await shown.evaluate(`{
      window.drawn = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...others) {
        window.drawn.push(text);
        return fillText.call(this, text, ...others);
      };
    }`);
    await rowOf(shown, 'Receivers', origin).getByText('by its schedule').waitFor();
    const linesOfWord = `{
      const [text] = document.querySelector('.webhooks-words').childNodes;
      const word = document.createRange();
      word.setStart(text, text.data.indexOf('schedule'));
      word.setEnd(text, text.data.length);
      word.getClientRects().length
    }`;
    expect(await shown.evaluate(linesOfWord)).toBe(1);
    await rowOf(shown, 'Receivers', origin).getByRole('button').click();
    const dialog = dialogOf(shown, origin);
    await dialog.locator('dd').getByText('in 1 hr.', { exact: true }).waitFor();
    await dialog.getByText(/^not yet: .* answers the challenge/).waitFor();
    await eventually(async () => {
      const drawn = await shown.evaluate<string[]>('window.drawn');
      const times = [...new Set(drawn.filter((text) => /:/.test(text)))];
      expect(times.length).toBeGreaterThan(1);
      expect(times.filter((text) => !/^\d\d:\d\d:\d\d$/.test(text))).toEqual([]);
      expect(drawn).toContain('100 ms');
    });
    expect(third.faults).toEqual([]);
  } finally {
    await third.close();
  }
}, 60_000);

it('that answer 410 are said to be gone, and come back step by step with all their webhooks', async () => {
  const [third, gone] = await Promise.all([ConsoleBrowser.open(hub.url), WebhookSink.start()]);
  try {
    gone.answer = 410;
    await hub.admin('POST', `${PUSH}/subscriptions`, { url: gone.url('/gone') });
    const configuration = { taskPushNotificationConfig: { url: gone.url('/own') } };
    const sent = await hub.send('hello', { tenant: 'worker', configuration }, { key: ADMIN_KEY });
    const taskId = String((sent['task'] as JsonObject)['id']);
    const { origin } = new URL(gone.url());
    const of = `endpoint=${encodeURIComponent(`default ${origin}`)}`;
    const isDisabled = { items: [expect.objectContaining({ state: 'disabled' })] };
    await hubHas(hub, `${PUSH}/subscriptions?${of}`, isDisabled);
    await hubHas(hub, `${PUSH}/configs?${of}&taskId=${taskId}&state=disabled`, {
      items: expect.arrayContaining([expect.objectContaining({ subscriptionId: null })]),
    });
    const { page: shown } = third;
    await shown.setViewportSize({ width: 1280, height: 720 });
    await third.signIn('webhooks?tab=receivers');
    await shown.getByRole('link', { name: /^1\s*receivers with a webhook gone$/ }).waitFor();
    const row = rowOf(shown, 'Receivers', origin);
    await row.getByText('webhook gone').waitFor();
    const card = shown.getByRole('region', { name: 'Lost events by receiver' });
    const listed = card.getByRole('listitem').filter({ hasText: origin });
    await listed.getByText('HTTP 410').waitFor();
    expect(await listed.getByText(/other reason/).count()).toBe(0);
    await row.getByRole('button').click();
    const dialog = dialogOf(shown, origin);
    await dialog.getByText(/The webhook that it answered so is disabled/).waitFor();
    const back = dialog.getByRole('button', { name: 'Bring it back' });
    const { y, height } = (await back.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(720);
    // What is sent again before its webhook is resumed is passed over: it is said why, and what leads on.
    await third.goTo(`webhooks?tab=dead-letters&${of}`, 'Webhooks');
    await shown.getByRole('button', { name: 'Send again: all that match' }).click();
    const bulk = dialogOf(shown, 'Send dead letters again');
    await bulk.getByRole('button', { name: /^Send again [1-9]/ }).click();
    await bulk
      .getByText(/^0 dead letters sent again\. \d+ passed over: the webhook was deleted or is/)
      .waitFor();
    await bulk.getByRole('link', { name: `Bring it back: ${origin}` }).click();
    const resume = dialog.getByRole('button', { name: 'Resume its 2 webhooks' });
    const again = dialog.getByRole('button', { name: /^Send .* again$/ });
    await resume.waitFor();
    await again.waitFor();
    expect([await resume.isEnabled(), await again.isEnabled()]).toEqual([false, false]);
    const webhooks = dialog.getByLabel('With the webhook').locator('option');
    expect(await webhooks.allInnerTexts()).toContain(`task ${taskId} ${gone.url('/own')}`);
    gone.answer = 200;
    await dialog.getByRole('button', { name: 'Test now' }).click();
    await dialog.getByText('delivered', { exact: true }).waitFor();
    await dialog.getByText('healthy', { exact: true }).waitFor();
    await eventually(async () => expect(await resume.isEnabled()).toBe(true));
    expect(await again.isEnabled()).toBe(false);
    await resume.click();
    await dialog.getByText('2 webhooks resumed.').waitFor();
    const active = { items: [expect.objectContaining({ state: 'active' })] };
    await hubHas(hub, `${PUSH}/subscriptions?${of}`, active);
    await hubHas(hub, `${PUSH}/configs?${of}&state=disabled`, { items: [] });
    await dialog.getByRole('button', { name: 'No webhook is disabled' }).waitFor();
    await again.click();
    await bulk.getByRole('button', { name: /^Send again [1-9]/ }).click();
    await dialog.getByRole('button', { name: 'Nothing to send again' }).waitFor();
    // At once, as what there is to send: not only when it is counted again by itself.
    await dialog.locator('dd').getByText('none (last 24 hours)').waitFor({ timeout: 4_000 });
    expect(third.faults).toEqual([]);
  } finally {
    await Promise.all([third.close(), gone.close()]);
  }
}, 60_000);

describe('where a receiver is given up soon', () => {
  let other: Hub;
  let first: ConsoleBrowser;

  beforeAll(async () => {
    sink.answer = 500;
    const breaker = { failures: 1, pauseMs: 50, maxPauseMs: 50 };
    const push = { scheduleMs: [20], jitter: 0, breaker, disableAfterMs: 3000 };
    other = await startHub({ config: { push } });
    await other.registerAgent(agent.url, { id: 'worker' });
    [first, own] = [own, await ConsoleBrowser.open(other.url)];
    page = await own.signIn('webhooks');
    await other.admin('POST', `${PUSH}/subscriptions`, { url: sink.url('/hook') });
  });
  afterAll(() => Promise.all([first, other].map((each) => each?.close())));

  const tell = () => other.send('hello', { tenant: 'worker' }, { key: ADMIN_KEY });
  const endpoint = async (): Promise<Json> =>
    (await other.admin('GET', `${PUSH}/endpoints?endpoint=${receiver()}`)).body.items[0];

  it('one that lost events while it was away does not count as one that rejects them', async () => {
    await tell();
    const lost = `${PUSH}/dead-letters:count?endpoint=${receiver()}`;
    await eventually(async () => {
      expect((await other.admin('GET', lost)).body.count).toBeGreaterThan(0);
    });
    sink.answer = 200;
    // What a deleted webhook still had to get is a dead letter of the receiver, but lost to no one.
    const { total } = (await other.admin('GET', lost.replace(':count', ':by-receiver'))).body;
    await page.route('**/dead-letters:count*', (route) =>
      route.fulfill({ json: { count: 77, isLeast: false } }),
    );
    const dialog = await bringBack();
    await dialog.getByRole('button', { name: 'Test now' }).click();
    await dialog.getByText('delivered', { exact: true }).waitFor();
    const again = `lost event${total === 1 ? '' : 's'} again`;
    await dialog.getByRole('button', { name: `Send ${total} ${again}` }).click();
    const sure = dialogOf(page, 'Send dead letters again');
    await sure.getByText(new RegExp(`^${total} dead letters?`)).waitFor();
    await sure.getByRole('button', { name: 'Keep as it is' }).click();
    await eventually(async () => expect(await endpoint()).toMatchObject({ state: 'healthy' }));
    await own.goTo('webhooks?tab=receivers', 'Webhooks');
    const losing = page.getByRole('link', { name: /^1\s*receivers that lost events, but/ });
    // What is lost is counted again every 30 seconds, and read half as often from a hub that is busy.
    await losing.waitFor({ timeout: 75_000 });
    await page.getByRole('link', { name: /^0\s*healthy receivers$/ }).waitFor();
    await own.goTo('', 'Overview');
    await page.getByText('lost events', { exact: true }).waitFor();
    await page.getByText(/1 receiver of webhooks lost events in the last 24 hours/).waitFor();
    expect(await page.getByText(/rejects? events/).count()).toBe(0);
    const tile = page.getByRole('link', { name: /^Receivers in trouble/ });
    expect(await tile.innerText()).toMatch(/\s1\s+1 that lost events$/);
  }, 120_000);

  it('lost events are counted again by themselves only while they are few', async () => {
    const third = await ConsoleBrowser.open(other.url);
    try {
      const { page: shown } = third;
      let counts = 0;
      let total = 1_000;
      await shown.route('**/dead-letters:by-receiver*', (route) => {
        counts += 1;
        const reasons = [{ reason: 'HTTP 500', count: total }];
        const times = { firstAt: new Date().toISOString(), lastAt: new Date().toISOString() };
        const lost = {
          endpoint: `default ${sink.url('')}`,
          count: total,
          own: total,
          reasons,
          ...times,
        };
        return route.fulfill({
          json: { receivers: total === 0 ? [] : [lost], total, isLeast: false },
        });
      });
      await shown.clock.install();
      await third.signIn('webhooks?tab=receivers');
      await shown.getByText('1,000 lost events').waitFor();
      const again = shown.getByRole('button', { name: 'Count again', exact: true });
      expect(await again.count()).toBe(0);
      total = 1_001;
      await shown.clock.runFor(31_000);
      await shown.getByText('1,001 lost events').waitFor();
      await again.waitFor();
      const before = counts;
      await shown.clock.runFor(180_000);
      expect(counts).toBe(before);
      total = 1_002;
      await again.click();
      await shown.getByText('1,002 lost events').waitFor();
      expect(counts).toBe(before + 1);
      await shown.route('**/api/v1/overview*', async (route) => {
        const response = await route.fetch();
        const overview = (await response.json()) as JsonObject;
        const deliveries = { ...(overview['deliveries'] as JsonObject), deadLetters: 10_000 };
        await route.fulfill({ json: { ...overview, deliveries, receiversIsLeast: true } });
      });
      await third.goTo('', 'Overview');
      await shown.getByText('10,000+', { exact: true }).waitFor();
      await shown.getByText(/^10000 or more webhooks were given up/).waitFor();
      await shown.getByText(/1 or more receivers? of webhooks lost events/).waitFor();
      expect(third.faults).toEqual([]);
    } finally {
      await third.close();
    }
  }, 60_000);

  it('one that is disabled stays so after a test, and the dialog leads to what has to be resumed', async () => {
    sink.answer = 500;
    await eventually(async () => {
      await tell();
      expect(await endpoint()).toMatchObject({ state: 'disabled' });
    }, 30_000);
    await hubHas(other, `${PUSH}/subscriptions`, {
      items: [expect.objectContaining({ state: 'disabled' })],
    });
    sink.answer = 200;
    const dialog = await bringBack();
    await dialog.getByRole('button', { name: 'Test now' }).click();
    await dialog.getByText('delivered', { exact: true }).waitFor();
    await dialog.getByRole('heading', { name: '2. Resume its webhooks' }).waitFor();
    expect(await dialog.getByText(/its breaker closes/).count()).toBe(0);
    expect(await endpoint()).toMatchObject({ state: 'disabled' });
    await dialog.getByRole('link', { name: 'disabled subscriptions' }).click();
    const row = rowOf(page, 'Subscriptions', sink.url('/hook'));
    await row.getByText('disabled', { exact: true }).waitFor();
  }, 60_000);
});
