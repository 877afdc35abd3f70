import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { hubHas } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { LiveTask } from '../support/live-task.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

/** Longer than the page takes to read what is new. */
const RETRY_MS = 7_000;
const WAIT_MS = 15_000;
const ATTEMPTS = '**/api/v1/push/deliveries/*/attempts?*';
const EXPLAIN = '**/api/v1/tasks/*/explain';

let hub: Hub;
let worker: ScriptedAgent;
let sink: WebhookSink;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  [worker, sink] = await Promise.all([
    ScriptedAgent.start({ live: { manual: true } }),
    WebhookSink.start(),
  ]);
  hub = await startHub({ config: { push: { scheduleMs: [RETRY_MS, RETRY_MS], jitter: 0 } } });
  await hub.registerAgent(worker.url, { id: 'worker' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('tasks');
});

afterAll(() => Promise.all([own, hub, worker, sink].map((each) => each?.close())));

/** A task that its agent works on; `path` is that of its webhook. */
async function begin(path: string): Promise<{ readonly id: string; readonly live: LiveTask }> {
  const before = new Set(worker.tasks.keys());
  const configuration = { taskPushNotificationConfig: { id: 'mine', url: sink.url(path) } };
  const { id } = await hub.submit('hello', { tenant: 'worker', configuration });
  const begun = () => [...worker.tasks].find(([key]) => !before.has(key))?.[1];
  await eventually(() => expect(begun()).toBeDefined());
  return { id: String(id), live: begun()! };
}

async function open(id: string): Promise<void> {
  await own.goTo(`tasks/${id}?tab=webhooks`, `Task ${id.slice(0, 8)}…${id.slice(-6)}`);
}

const part = (path: string): Locator =>
  page.getByRole('region', { name: `Webhook ${sink.url(path)}` });

const updates = (path: string): Locator => part(path).locator('.tasks-deliveries > li');

const row = (path: string): Locator =>
  page
    .getByRole('list', { name: 'Timeline' })
    .getByRole('listitem')
    .filter({
      hasText: sink.url(path),
    });

describe('the webhooks of a task', () => {
  it('show each update as it comes, also those that are tried again after the end', async () => {
    const path = '/follows';
    const { id, live } = await begin(path);
    const delivered = async (count: number): Promise<void> =>
      await eventually(async () => {
        expect(await updates(path).getByText('delivered', { exact: true }).count()).toBe(count);
      }, WAIT_MS);
    await open(id);
    await delivered(1);
    // All that there were are delivered: the next one appears nevertheless.
    live.setState('TASK_STATE_WORKING');
    await delivered(2);
    sink.answer = 503;
    live.end();
    const toCome = page.getByText(/may still be to come/);
    await updates(path).getByText('retrying', { exact: true }).waitFor();
    await toCome.waitFor();
    sink.answer = 200;
    await delivered(3);
    await row(path).getByText('3 of 3 delivered').waitFor();
    await toCome.waitFor({ state: 'detached' });
    expect(own.faults).toEqual([]);
  }, 90_000);

  it('are read soon after an event that changes nothing else of the task', async () => {
    const { id, live } = await begin('/artifact');
    live.setState('TASK_STATE_WORKING');
    await open(id);
    await updates('/artifact').getByText('delivered', { exact: true }).first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    // Behind what is read because the page was just opened.
    await page.waitForTimeout(6_000);
    let readAt = Infinity;
    page.once('request', function noted(request) {
      if (request.url().includes(`${id}/explain`)) readAt = performance.now();
      else page.once('request', noted);
    });
    const at = performance.now();
    live.chunk('more');
    await eventually(() => expect(readAt).toBeLessThan(Infinity), WAIT_MS);
    expect(readAt - at).toBeLessThan(3_500);
    live.end();
  }, 60_000);

  it('are read no more once the task has ended and nothing is to come', async () => {
    const path = '/settles';
    const { id, live } = await begin(path);
    live.end();
    await hubHas(hub, `/api/v1/tasks/${id}/explain`, { hasPendingUpdates: false });
    const read: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/\/(explain|configs|deliveries)$/.test(pathname)) read.push(pathname);
    });
    await open(id);
    await updates(path).first().waitFor();
    await page.waitForTimeout(1_000);
    read.length = 0;
    await page.waitForTimeout(6_000);
    expect(read).toEqual([]);
  }, 60_000);

  it('say of an attempt that is kept no more that it is, and do not look for it again', async () => {
    const path = '/pruned';
    sink.answer = 410;
    const { id, live } = await begin(path);
    live.end();
    await hubHas(hub, `/api/v1/push/deliveries?taskId=${id}`, {
      items: expect.arrayContaining([expect.objectContaining({ state: 'dead', attempts: 1 })]),
    });
    sink.answer = 200;
    let count = 0;
    await page.route(ATTEMPTS, async (route) => {
      count += 1;
      await route.fulfill({ json: { items: [], nextCursor: null } });
    });
    try {
      await open(id);
      await updates(path).filter({ hasText: 'dead' }).first().locator('summary').click();
      await part(path)
        .getByText('None was made, or they are older than attempts are kept.')
        .waitFor();
      await page.waitForTimeout(2_500);
      expect(count).toBe(1);
    } finally {
      await page.unroute(ATTEMPTS);
    }
    await own.goTo('tasks', 'Tasks');
    await open(id);
    await updates(path).filter({ hasText: 'dead' }).first().locator('summary').click();
    const attempt = part(path).locator('.attempt');
    await attempt.locator('.badge-bad', { hasText: 'HTTP 410' }).waitFor();
    // One set of colours for the state of a webhook.
    await part(path).locator('header .badge-bad', { hasText: 'disabled' }).waitFor();
    expect(await own.axe()).toEqual([]);
    expect(own.faults).toEqual([]);
  }, 60_000);

  it('that its story does not tell of are said to be there', async () => {
    const { id, live } = await begin('/many');
    live.end();
    await hubHas(hub, `/api/v1/tasks/${id}`, { state: 'completed' });
    await open(id);
    await page.getByRole('heading', { name: 'Why', exact: true }).waitFor();
    const more = page.getByText(/^More webhooks than these get its updates/);
    expect(await more.count()).toBe(0);
    await page.route(EXPLAIN, async (route) => {
      const answer = await route.fetch();
      const story = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...story, hasMoreWebhooks: true } });
    });
    try {
      await own.goTo('tasks', 'Tasks');
      await page.waitForTimeout(2_100);
      await open(id);
      await more.getByRole('link', { name: 'all webhooks of this task' }).click();
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('tab'), searchParams.get('task')]).toEqual(['webhooks', id]);
    } finally {
      await page.unroute(EXPLAIN);
    }
  }, 60_000);
});
