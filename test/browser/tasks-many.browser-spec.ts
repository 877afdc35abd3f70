import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { dialogOf, fill, hubHas, press, rowOf } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let worker: ScriptedAgent;
let agent: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  [worker, agent] = await Promise.all([
    ScriptedAgent.start({ live: { manual: true } }),
    ScriptedAgent.start(),
  ]);
  hub = await startHub();
  await hub.registerAgent(worker.url, { id: 'worker' });
  await hub.registerAgent(agent.url, { id: 'agent' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('tasks');
});

afterAll(() => Promise.all([own, hub, worker, agent].map((each) => each?.close())));

/** Tasks that go on until they are canceled, the newest first. */
async function openTasks(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { id } = (await hub.submit('work', { tenant: 'worker' })) as { id: string };
    ids.unshift(id);
  }
  return ids;
}

const box = (id: string): Locator => page.getByRole('checkbox', { name: `Choose the task ${id}` });
const stateIs = (id: string, state: string) => hubHas(hub, `/api/v1/tasks/${id}`, { state });

describe('many tasks', () => {
  it('are chosen one by one or from one to another, and canceled', async () => {
    const [newest, third, second, oldest] = (await openTasks(4)) as [
      string,
      string,
      string,
      string,
    ];
    await own.goTo('tasks', 'Tasks');
    await box(newest).click();
    await box(second).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Cancel: 3 chosen' }).waitFor();
    await box(third).click();
    await box(third).click();
    expect(await own.axe()).toEqual([]);
    await press(page, 'Cancel: 3 chosen');
    const dialog = dialogOf(page, 'Cancel tasks');
    await dialog.getByText('3 tasks that you have chosen.').waitFor();
    await fill(dialog, { Reason: 'The agent is stuck.' });
    await press(dialog, 'Cancel 3 tasks');
    await dialog.waitFor({ state: 'hidden' });
    for (const id of [newest, third, second]) {
      await hubHas(hub, `/api/v1/tasks/${id}`, {
        state: 'canceled',
        canceledBy: { reason: 'The agent is stuck.' },
      });
    }
    await stateIs(oldest, 'submitted');
    await hub.admin('POST', `/api/v1/tasks/${oldest}:cancel`, {});
  });

  it('that match are canceled; what could not be done is listed and can be tried again', async () => {
    const ids = await openTasks(3);
    await own.goTo('tasks?agent=worker', 'Tasks');
    const lost = ids[1]!;
    await page.route(`**/tasks/${lost}:cancel`, (route) => route.abort(), { times: 1 });
    await press(page, 'Cancel: all that match');
    const dialog = dialogOf(page, 'Cancel tasks');
    await dialog.getByText('3 tasks that fit and have not ended.').waitFor();
    await press(dialog, 'Cancel 3 tasks');
    const failed = dialog.getByRole('alert');
    await failed.getByText('2 tasks canceled.').waitFor();
    await failed.locator(`a[href$="${lost}"]`).waitFor();
    await stateIs(lost, 'submitted');
    expect(await own.axe()).toEqual([]);
    await press(dialog, 'Try again: 1 task');
    await dialog.waitFor({ state: 'hidden' });
    for (const id of ids) await stateIs(id, 'canceled');
    // There is nothing open left to be chosen.
    await page.getByRole('button', { name: 'Cancel: all that match' }).waitFor({ state: 'hidden' });
  });
});

describe('failed tasks', () => {
  it('are retried by operators: those that are chosen, and all that match', async () => {
    const broken = await ScriptedAgent.start();
    broken.handlers['*'] = (call) => call.send(400, 'no', 'text/plain');
    await hub.registerAgent(broken.url, { id: 'broken' });
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      const { task } = (await hub.send(text, { tenant: 'broken' })) as { task: { id: string } };
      ids.unshift(task.id);
    }
    for (const id of ids) await stateIs(id, 'failed');
    delete broken.handlers['*'];
    const retries = async (): Promise<string[]> => {
      const { body } = await hub.admin('GET', '/api/v1/tasks?agentId=broken');
      const items = body.items as { state: string; retryOf: { taskId: string } | null }[];
      const again = items.filter(({ retryOf }) => retryOf !== null);
      expect(again.map(({ state }) => state)).toEqual(again.map(() => 'completed'));
      return again.map(({ retryOf }) => retryOf!.taskId).sort();
    };
    try {
      await own.goTo('tasks?agent=broken', 'Tasks');
      await press(page, 'Choose all failed rows');
      await page.getByRole('button', { name: 'Retry: 3 chosen' }).waitFor();
      await box(ids[1]!).click();
      expect(await own.axe()).toEqual([]);
      // What has failed is not there to be canceled.
      expect(await page.getByRole('button', { name: /^Cancel:/ }).count()).toBe(0);
      await press(page, 'Retry: 2 chosen');
      const dialog = dialogOf(page, 'Retry tasks');
      await dialog.getByText('2 tasks that you have chosen.').waitFor();
      expect(await dialog.getByLabel('Reason').count()).toBe(0);
      await page.route(`**/tasks/${ids[2]!}:retry`, (route) => route.abort(), { times: 1 });
      await press(dialog, 'Retry 2 tasks');
      const failed = dialog.getByRole('alert');
      await failed.getByText('1 task sent again.').waitFor();
      await failed.locator(`a[href$="${ids[2]!}"]`).waitFor();
      await press(dialog, 'Try again: 1 task');
      await dialog.waitFor({ state: 'hidden' });
      await eventually(async () => expect(await retries()).toEqual([ids[0], ids[2]].sort()));
      await own.goTo('tasks?agent=broken&state=failed', 'Tasks');
      // Those that were retried already are marked, and left out unless they are wanted.
      const marked = rowOf(page, 'Tasks', ids[0]!.slice(-8));
      await marked.getByText('retried', { exact: true }).waitFor();
      await press(page, 'Retry: all that match');
      await dialog.getByText('1 task that fit and failed or were rejected.').waitFor();
      await dialog.getByLabel('Also 2 tasks that were retried already').check();
      await dialog.getByText('3 tasks that fit and failed or were rejected.').waitFor();
      await press(dialog, 'Retry 3 tasks');
      await dialog.waitFor({ state: 'hidden' });
      await eventually(async () =>
        expect(await retries()).toEqual([...ids, ids[0], ids[2]].sort()),
      );
      // Of one that was retried there is none to retry, unless that is wanted.
      await box(ids[0]!).click();
      await press(page, 'Retry: 1 chosen');
      await dialog.getByText('It was retried already.').waitFor();
      await dialog.locator('button:focus').and(dialog.getByText('Keep as it is')).waitFor();
      const retry = dialog.getByRole('button', { name: 'Retry', exact: true });
      expect(await retry.isDisabled()).toBe(true);
      await dialog.getByLabel('Also 1 task that was retried already').check();
      await dialog.getByRole('button', { name: 'Retry 1 task', exact: true }).waitFor();
      await press(dialog, 'Keep as it is');
      // What is chosen is not done with what other filters find.
      await page.getByLabel('Skill', { exact: true }).fill('none-of-these');
      await page.getByText('No task is like that').waitFor();
      expect(await page.getByRole('button', { name: /chosen$|^Choose none/ }).count()).toBe(0);
      await page.getByLabel('Skill', { exact: true }).fill('');
      await box(ids[0]!).waitFor();
      expect(await box(ids[0]!).isChecked()).toBe(false);
      await own.goTo(`tasks/${ids[1]!}`, `Task ${ids[1]!.slice(0, 8)}…${ids[1]!.slice(-6)}`);
      const { retriedAs } = (await hub.admin('GET', `/api/v1/tasks/${ids[1]!}`)).body;
      await page.getByText('Retried as', { exact: true }).waitFor();
      await page
        .getByRole('main')
        .locator(`a[href$="/tasks/${String(retriedAs)}"]`)
        .click();
      await page.getByText('Retry of', { exact: true }).waitFor();
    } finally {
      await broken.close();
    }
  });

  it('are not retried without tasks:all', async () => {
    const key = await hub.createKey({
      organization: 'tests',
      scopes: ['a2a', 'tasks:organization'],
    });
    const other = await ConsoleBrowser.open(hub.url);
    try {
      const seen = await other.signIn('tasks?agent=broken&state=failed', key);
      await rowOf(seen, 'Tasks', 'failed').first().waitFor();
      expect(await seen.getByRole('button', { name: /^Retry|^Choose all failed/ }).count()).toBe(0);
      expect(await seen.getByRole('checkbox').count()).toBe(0);
    } finally {
      await other.close();
    }
  });
});

describe('the list of tasks', () => {
  it('counts by state, and filters by what a cell says', async () => {
    const rule = await hub.admin('POST', '/api/v1/routes/rules', {
      name: 'Sums',
      conditions: { text: { pattern: '^sum' } },
      target: { agentId: 'agent' },
    });
    const { id } = (await hub.send('sum 1 2'))['task'] as { id: string };
    await own.goTo('tasks', 'Tasks');
    const chip = page.getByRole('group', { name: 'State', exact: true });
    await chip.getByRole('button', { name: 'canceled 7' }).waitFor();
    // Those that were retried before may have been completed by now, too.
    await chip.getByRole('button', { name: /^completed [1-9]/ }).waitFor();
    const row = rowOf(page, 'Tasks', id.slice(-8));
    const canceled = rowOf(page, 'Tasks', 'canceled').first();
    await row.getByRole('button', { name: 'Only rule Sums' }).click();
    await canceled.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('rule')).toBe(rule.body['id']);
    await press(page, 'Clear filters');
    await canceled.getByRole('button', { name: 'Only state canceled' }).click();
    await row.waitFor({ state: 'detached' });
    // What the other states have is still there to be seen.
    // Those that were retried before may have been completed by now, too.
    await chip.getByRole('button', { name: /^completed [1-9]/ }).waitFor();
    await canceled.getByRole('button', { name: /^Only end reason/ }).click();
    await canceled.getByRole('button', { name: /^Only agent/ }).click();
    await canceled.getByRole('button', { name: /^Only organization/ }).click();
    const search = new URL(page.url()).searchParams;
    expect(['state', 'reason', 'agent', 'organization'].map((name) => search.get(name))).toEqual([
      'canceled',
      'CANCELED_BY_OPERATOR',
      'worker',
      'tests',
    ]);
  });
});

describe('a conversation', () => {
  it('has the messages of all tasks of a context, in their order', async () => {
    const first = (await hub.send('Where is my parcel?', { tenant: 'agent' }))['task'] as {
      id: string;
      contextId: string;
    };
    await hub.send('And my invoice?', {
      tenant: 'agent',
      message: { contextId: first.contextId },
    });
    await own.goTo(`tasks/${first.id}`, `Task ${first.id.slice(0, 8)}…${first.id.slice(-6)}`);
    await page.getByRole('link', { name: 'All messages of its context' }).click();
    const turns = page.getByRole('list', { name: 'Conversation', exact: true });
    await turns.getByText('And my invoice?').first().waitFor();
    const text = (await turns.textContent())!;
    expect(text.indexOf('Where is my parcel?')).toBeLessThan(text.indexOf('And my invoice?'));
    expect(text.indexOf('Where is my parcel?')).toBeGreaterThanOrEqual(0);
    expect(await own.axe()).toEqual([]);
    await page.getByRole('link', { name: 'its tasks as a list' }).click();
    await page.getByRole('link', { name: 'Read it as a conversation' }).click();
    await turns.getByText('And my invoice?').first().waitFor();
  });

  it('says that there is nothing in a context that is none', async () => {
    await own.goTo('tasks/contexts/none', 'Conversation');
    await page.getByText('No task is in this context').waitFor();
  });
});
