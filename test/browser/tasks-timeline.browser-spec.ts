import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { hubHas } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { LiveTask } from '../support/live-task.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const HOUR_MS = 3_600_000;
const STREAM = '**/api/v1/tasks/*/events?after=*';
const DETAIL = /\/api\/v1\/tasks\/[\w-]+$/;

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
  hub = await startHub();
  await hub.registerAgent(worker.url, { id: 'worker' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('tasks');
});

afterAll(() => Promise.all([own, hub, worker, sink].map((each) => each?.close())));

async function begin(configuration = {}): Promise<{ readonly id: string; live: LiveTask }> {
  const before = new Set(worker.tasks.keys());
  const params = { tenant: 'worker', configuration };
  const { id } = await hub.submit('hello', params, { key: ADMIN_KEY });
  const begun = () => [...worker.tasks].find(([key]) => !before.has(key))?.[1];
  await eventually(() => expect(begun()).toBeDefined());
  return { id: String(id), live: begun()! };
}

const open = (id: string): Promise<void> =>
  own.goTo(`tasks/${id}`, `Task ${id.slice(0, 8)}…${id.slice(-6)}`);

const rows = (text: string): Locator =>
  page
    .getByRole('list', { name: 'Timeline' })
    .locator('.timeline-row')
    .filter({ has: page.locator('.timeline-title').getByText(text, { exact: true }) });

/** Answers of the hub, changed. */
const changed =
  (change: (body: Json) => void) =>
  async (route: Route): Promise<void> => {
    const answer = await route.fetch();
    const body = (await answer.json()) as Json;
    change(body);
    await route.fulfill({ response: answer, json: body });
  };

describe('the timeline', () => {
  it('says that what was before the events that are loaded is not, rather than working', async () => {
    const { id, live } = await begin();
    live.setState('TASK_STATE_WORKING');
    live.chunk('1');
    live.chunk('2');
    await hubHas(hub, `/api/v1/tasks/${id}`, { state: 'working' });
    // Hours ago, and only what came since the last change of state is among the newest events.
    const earlier = (time: unknown) =>
      new Date(Date.parse(String(time)) - 5 * HOUR_MS).toISOString();
    await page.route(STREAM, (route) => route.fulfill({ status: 503, json: {} }));
    await page.route(
      DETAIL,
      changed((task) => {
        task.createdAt = earlier(task.createdAt);
        task.events = task.events.filter((each: Json) => each.kind === 'artifact');
        for (const each of task.delegations) {
          for (const name of ['createdAt', 'queuedAt', 'sentAt', 'answeredAt']) {
            each[name] &&= earlier(each[name]);
          }
        }
      }),
    );
    try {
      await open(id);
      for (const name of ['Task', 'Scripted agent']) {
        const words = rows(name).locator('.timeline-words');
        await words.getByText(/not loaded (5 h|4 h 59)/).waitFor();
        expect(await words.textContent()).not.toMatch(/working \d+ h/);
      }
      await rows('Task')
        .getByText(/ · working \d/)
        .waitFor();
      const legend = page.getByRole('list', { name: 'Legend' });
      await legend.getByText('not loaded').waitFor();
      expect(await own.axe()).toEqual([]);
    } finally {
      await page.unroute(STREAM);
      await page.unroute(DETAIL);
    }
  }, 60_000);

  it('says of which deliveries it tells, webhook by webhook, also at one address', async () => {
    const url = sink.url('/same');
    const taskPushNotificationConfig = { id: 'one', url };
    const { id, live } = await begin({ taskPushNotificationConfig });
    const other = { taskId: id, id: 'other', url };
    await hub.rpc('CreateTaskPushNotificationConfig', other, { key: ADMIN_KEY });
    live.end();
    for (const configId of ['one', 'other']) {
      await hubHas(hub, `/api/v1/push/deliveries?taskId=${id}&configId=${configId}`, {
        items: expect.arrayContaining([expect.objectContaining({ state: 'delivered' })]),
      });
    }
    await open(id);
    await eventually(async () => expect(await rows(url).count()).toBe(2));
    await rows(url)
      .first()
      .getByText(/^\d of \d delivered$/)
      .waitFor();
    const newest = (address: URL) =>
      address.pathname === '/api/v1/push/deliveries' && !address.searchParams.has('configId');
    await page.route(
      newest,
      changed((list) => {
        list.items = list.items.filter((each: Json) => each.configId === 'one').slice(0, 1);
        list.nextCursor = 'more';
      }),
    );
    try {
      await own.goTo('tasks', 'Tasks');
      await page.waitForTimeout(2_100);
      await open(id);
      await rows(url).getByText('1 of the newest 1 delivered', { exact: true }).waitFor();
      await rows(url).getByText('None of the newest 1 deliveries of the task').waitFor();
      expect(await rows(url).count()).toBe(2);
    } finally {
      await page.unroute(newest);
    }
  }, 60_000);
});
