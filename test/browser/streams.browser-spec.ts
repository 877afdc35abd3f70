import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { hubHas, rowOf } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { LiveTask } from '../support/live-task.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const WAIT_MS = 30_000;
const AGENT_EVENTS = '**/api/v1/agents/events';
const TASK_EVENTS = '**/api/v1/tasks/*/events?after=*';
/** More than the newest events of a task that its page reads at once. */
const MANY = 130;

let hub: Hub;
let worker: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  worker = await ScriptedAgent.start({ live: { manual: true } });
  hub = await startHub();
  await hub.registerAgent(worker.url, { id: 'worker' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('tasks');
});

afterAll(() => Promise.all([own, hub, worker].map((each) => each?.close())));

describe('without its stream', () => {
  it('the list of agents shows what it reads, not what the stream said last', async () => {
    const change = { agentId: 'worker', health: 'down', breaker: 'open' };
    const snapshot = `id: 1\nevent: snapshot\ndata: ${JSON.stringify({ agents: [change] })}\n\n`;
    let streams = 0;
    await page.route(AGENT_EVENTS, async (route) => {
      streams += 1;
      await (streams === 1
        ? route.fulfill({ contentType: 'text/event-stream', body: snapshot })
        : route.fulfill({ status: 503, json: {} }));
    });
    try {
      await own.goTo('agents', 'Agents');
      const row = rowOf(page, 'Agents', 'worker');
      await row.waitFor();
      await page.getByText('The connection to the hub was lost. Trying again …').waitFor();
      await eventually(async () => {
        expect(streams).toBeGreaterThan(1);
        expect(await row.getByText('down', { exact: true }).count()).toBe(0);
        expect(await row.getByText('breaker open', { exact: false }).count()).toBe(0);
      }, WAIT_MS);
    } finally {
      await page.unroute(AGENT_EVENTS);
    }
  }, 60_000);

  it('a task has all its events once it has ended, however many came meanwhile', async () => {
    const { id } = await hub.submit('hello', { tenant: 'worker' }, { key: ADMIN_KEY });
    const path = `/api/v1/tasks/${String(id)}`;
    await eventually(() => expect(worker.tasks.size).toBe(1));
    const [live] = worker.tasks.values();
    live!.setState('TASK_STATE_WORKING');
    await hubHas(hub, path, { state: 'working' });
    const step = async (count: number): Promise<void> => {
      live!.setState('TASK_STATE_WORKING', `step ${count}`);
      await eventually(async () => {
        const { body } = await hub.admin('GET', path);
        const { statusUpdate } = body.events.at(-1).body;
        expect(statusUpdate?.status.message?.parts[0].text).toBe(`step ${count}`);
      });
    };
    // The stream brings one event, and is cut for good.
    let streams = 0;
    await page.route(TASK_EVENTS, async (route) => {
      const request = route.request();
      if (request.headers()['accept'] !== 'text/event-stream') return await route.continue();
      streams += 1;
      if (streams > 1) return await route.fulfill({ status: 503, json: {} });
      await step(0);
      const { body } = await hub.admin('GET', `${path}/events${new URL(request.url()).search}`);
      const event = body.items.at(-1);
      await route.fulfill({
        contentType: 'text/event-stream',
        body: `id: ${event.seq}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`,
      });
    });
    try {
      const text = String(id);
      await own.goTo(`tasks/${text}?tab=events`, `Task ${text.slice(0, 8)}…${text.slice(-6)}`);
      const numbers = page
        .getByRole('list', { name: 'Events, newest first' })
        .locator('.tasks-event-seq');
      await page.getByRole('list', { name: 'Events, newest first' }).getByText('step 0').waitFor();
      for (let count = 1; count <= MANY; count += 1) await step(count);
      live!.end();
      await hubHas(hub, path, { state: 'completed' });
      const { body } = await hub.admin('GET', path);
      expect(body.seq).toBeGreaterThan(MANY);
      expect(body.events[0].seq).toBeGreaterThan(10);
      await page
        .getByRole('main')
        .getByText('completed', { exact: true })
        .first()
        // Without a stream a page is read every ten seconds, of a busy hub every twenty.
        .waitFor({ timeout: 45_000 });
      const wanted = Array.from({ length: body.seq }, (_, index) => String(body.seq - index));
      const more = page.getByRole('button', { name: 'Earlier events' });
      await eventually(async () => {
        // It may go between the two.
        if ((await more.count()) > 0) await more.click({ timeout: 1000 });
        expect(await numbers.allTextContents()).toEqual(wanted);
      }, WAIT_MS);
    } finally {
      await page.unroute(TASK_EVENTS);
    }
  }, 120_000);
});

describe('an open task', () => {
  interface OpenTask {
    readonly path: string;
    readonly live: LiveTask;
  }

  /** A new task at work, on its page. */
  async function opened(tab: string): Promise<OpenTask> {
    const before = new Set(worker.tasks.keys());
    const { id } = await hub.submit('hello', { tenant: 'worker' }, { key: ADMIN_KEY });
    const path = `/api/v1/tasks/${String(id)}`;
    await eventually(() => expect(worker.tasks.size).toBe(before.size + 1));
    const live = [...worker.tasks].find(([theirs]) => !before.has(theirs))![1];
    live.setState('TASK_STATE_WORKING');
    await hubHas(hub, path, { state: 'working' });
    const text = String(id);
    await own.goTo(`tasks/${text}?tab=${tab}`, `Task ${text.slice(0, 8)}…${text.slice(-6)}`);
    await page.getByText('live', { exact: true }).waitFor();
    return { path, live };
  }

  /** The tab is in view, or another one is. */
  const show = (state: 'visible' | 'hidden'): Promise<unknown> =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
       document.dispatchEvent(new Event('visibilitychange'))`,
    );

  it('is followed while its tab is in view, and not in a hidden one', async () => {
    const { live } = await opened('events');
    const isStream = (request: Request): boolean =>
      request.headers()['accept'] === 'text/event-stream';
    const cut = page.waitForEvent('requestfailed', isStream);
    await show('hidden');
    await cut;
    live.setState('TASK_STATE_WORKING', 'while it was hidden');
    const again = page.waitForEvent('request', isStream);
    await show('visible');
    expect((await again).headers()['last-event-id']).toMatch(/^\d+$/);
    await page.getByText('while it was hidden').first().waitFor();
    live.end();
  }, 60_000);

  it('has its contents read when something has happened', async () => {
    let reads = 0;
    const count = (request: Request): void => {
      if (request.postData()?.includes('"GetTask"') === true) reads += 1;
    };
    page.on('request', count);
    try {
      const { live } = await opened('content');
      await page.getByRole('region', { name: 'Messages' }).getByText('hello').waitFor();
      // What has come since it was read first is read too.
      await page.waitForTimeout(4_000);
      const before = reads;
      await page.waitForTimeout(7_000);
      expect(reads).toBe(before);
      live.setState('TASK_STATE_WORKING', 'a step of the work');
      await page
        .getByRole('region', { name: 'Messages' })
        .getByText('a step of the work')
        .waitFor();
      expect(reads).toBe(before + 1);
      live.end();
    } finally {
      page.off('request', count);
    }
  }, 60_000);
});

/** The first stream of agents of a page: alive, and then silent for good. */
const SILENT = `(() => {
  const real = globalThis.fetch;
  globalThis.streams = 0;
  globalThis.fetch = (input, init) => {
    const url = String(input?.url ?? input);
    if (!url.endsWith('/api/v1/agents/events')) return real(input, init);
    globalThis.streams += 1;
    if (globalThis.streams > 1) return real(input, init);
    const body = new ReadableStream({
      start(to) {
        to.enqueue(new TextEncoder().encode(': heartbeat every HEARTBEAT ms\\n\\n'));
      },
    });
    return Promise.resolve(new Response(body));
  };
})()`;

describe('a stream that has died silently', () => {
  const streamsOf = async (heartbeatMs: number, waitMs: number): Promise<number> => {
    const other = await ConsoleBrowser.open(hub.url);
    try {
      await other.page.addInitScript(SILENT.replace('HEARTBEAT', String(heartbeatMs)));
      await other.signIn('agents');
      await eventually(async () =>
        expect(await other.page.evaluate('globalThis.streams')).toBeGreaterThan(0),
      );
      await other.page.waitForTimeout(waitMs);
      expect(other.faults).toEqual([]);
      return await other.page.evaluate<number>('globalThis.streams');
    } finally {
      await other.close();
    }
  };

  it('is begun anew after three heartbeats', async () => {
    expect(await streamsOf(100, 7_000)).toBe(2);
  }, 60_000);

  it.each([0, 60_000])(
    'is not taken for that with a heartbeat of %i ms',
    async (heartbeatMs) => {
      expect(await streamsOf(heartbeatMs, 7_000)).toBe(1);
    },
    60_000,
  );
});
