import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Database } from '../../src/database/database.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const ROWS = 10_000;
/** Rows of a screen, those ahead and behind it, and the two that stand for what is not there. */
const MOST_IN_PAGE = 60;
const LOADED_MS = 90_000;

const TABLE = "document.querySelector('.table-scroll')";
/** Scrolls to the end and resolves when the page has been drawn; how many rows it holds then. */
const SCROLL_TO_END = `new Promise((done) => {
  const table = ${TABLE};
  table.scrollTop = table.scrollHeight;
  requestAnimationFrame(() => requestAnimationFrame(() => done(table.querySelectorAll('tbody tr').length)));
})`;
/** Goes through the whole list in steps of a screen; the most rows that were in the page, and the longest tasks. */
const SCROLL_BACK = `new Promise((done) => {
  const table = ${TABLE};
  const long = [];
  const watch = new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)));
  watch.observe({ type: 'longtask' });
  let most = 0;
  let steps = 0;
  const step = () => {
    most = Math.max(most, table.querySelectorAll('tbody tr').length);
    steps += 1;
    if (table.scrollTop <= 0) {
      watch.disconnect();
      return done({ most, steps, long: long.length, longest: Math.max(0, ...long) });
    }
    table.scrollTop -= 4000;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

let hub: Hub;
let agent: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  agent = await ScriptedAgent.start();
  hub = await startHub();
  await hub.registerAgent(agent.url, { id: 'agent' });
  const { task } = await hub.send('the newest', { tenant: 'agent' }, { key: ADMIN_KEY });
  await copyTask((task as JsonObject)['id'] as string, ROWS - 1);
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('playground');
});

afterAll(() => Promise.all([own, hub, agent].map((each) => each?.close())));

/** Makes older tasks like this one: each has an id and a time of its own. */
async function copyTask(id: string, count: number): Promise<void> {
  const database = hub.app.get(Database);
  const copied = async (table: string, own: Readonly<Record<string, string>>, of: string) => {
    const columns = await database.read<{ name: string }>(
      `SELECT name FROM pragma_table_info('${table}')`,
    );
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => own[name] ?? `copied."${name}"`);
    const list = names.map((name) => `"${name}"`).join(', ');
    await database.write((tx) =>
      tx.run(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
         INSERT INTO ${table} (${list}) SELECT ${values.join(', ')} FROM ${table} copied, numbers
         WHERE copied.${of} = '${id}'`,
      ),
    );
  };
  const ofTask = `'00000000-0000-7000-8000-' || printf('%012d', numbers.n)`;
  const before = (column: string): string => `copied.${column} - numbers.n * 1000`;
  await copied(
    'tasks',
    {
      id: ofTask,
      created_at: before('created_at'),
      updated_at: before('updated_at'),
      status_at: before('status_at'),
    },
    'id',
  );
}

/** The ids of all tasks, as the hub lists them. */
async function idsOfHub(): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await hub.admin('GET', `/api/v1/tasks?limit=200${cursor}`);
    ids.push(...(body.items as JsonObject[]).map(({ id }) => id as string));
    cursor = body.nextCursor === null ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`;
  } while (cursor !== '');
  return ids;
}

describe('a list of 10,000 tasks', () => {
  it(
    'is loaded as one scrolls, and only what is in view is in the page',
    async () => {
      const ids = await idsOfHub();
      expect(ids).toHaveLength(ROWS);
      await own.goTo('tasks', 'Tasks');
      const table = page.getByRole('region', { name: 'Tasks', exact: true });
      await table.getByRole('link').first().waitFor();
      let most = 0;
      await eventually(async () => {
        most = Math.max(most, await page.evaluate<number>(SCROLL_TO_END));
        expect(await table.getByRole('table').getAttribute('aria-rowcount')).toBe(`${ROWS + 1}`);
      }, LOADED_MS);
      expect(most).toBeLessThanOrEqual(MOST_IN_PAGE);
      // The last row is that of the hub.
      await eventually(async () => {
        await page.evaluate(SCROLL_TO_END);
        expect(await table.getByRole('link').last().getAttribute('title')).toBe(ids.at(-1));
      });
      expect(await table.getByRole('row').last().getAttribute('aria-rowindex')).toBe(`${ROWS + 1}`);
      const back = await page.evaluate<ScrolledBack>(SCROLL_BACK);
      expect(back.most).toBeLessThanOrEqual(MOST_IN_PAGE);
      expect(back.steps).toBeGreaterThan(50);
      await eventually(async () => {
        expect(await table.getByRole('link').first().getAttribute('title')).toBe(ids[0]);
      });
      if (process.env['TEST_TIMES']) process.stderr.write(`${JSON.stringify(back)}\n`);
      expect(own.faults).toEqual([]);
    },
    LOADED_MS + 60_000,
  );

  it('asks for none of it again when the window gets the focus, and begins anew for who comes back', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/api/v1/tasks') asked.push(request.url());
    });
    await page.evaluate(
      "dispatchEvent(new Event('visibilitychange')); dispatchEvent(new Event('focus'))",
    );
    await own.goTo('agents', 'Agents');
    expect(asked).toEqual([]);
    await own.goTo('tasks', 'Tasks');
    const table = page.getByRole('region', { name: 'Tasks', exact: true });
    await table.getByRole('link').first().waitFor();
    await eventually(() => expect(asked.length).toBeGreaterThan(0));
    expect(await table.getByRole('table').getAttribute('aria-rowcount')).toBe('-1');
    expect(asked.length).toBeLessThan(10);
  });
});

interface ScrolledBack {
  readonly most: number;
  readonly steps: number;
  readonly long: number;
  readonly longest: number;
}
