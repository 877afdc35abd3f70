import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page, Request } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const WAIT_MS = 15_000;

let hub: Hub;
let agent: ScriptedAgent;
let sink: WebhookSink;
let own: ConsoleBrowser;
let page: Page;
let task: { id: string; contextId: string };

beforeAll(async () => {
  agent = await ScriptedAgent.start({ name: 'Books' });
  hub = await startHub();
  await hub.registerAgent(agent.url, { id: 'bookkeeper' });
  await hub.admin('POST', '/api/v1/routes/rules', {
    id: 'invoices',
    name: 'All invoices',
    conditions: { text: { pattern: 'invoice' } },
    target: { agentId: 'bookkeeper' },
  });
  await hub.admin('POST', '/api/v1/organizations', { id: 'acme', displayName: 'Acme Ltd' });
  await hub.admin('POST', '/api/v1/principals', {
    ...{ id: 'rob', displayName: 'Robert', organization: 'acme' },
  });
  const made = await hub.admin('POST', '/api/v1/keys', {
    ...{ name: 'bookkeeping rob', principal: 'rob', scopes: ['a2a', 'push'] },
  });
  const key = made.body.key as string;
  await hub.admin('POST', '/api/v1/policies', {
    ...{ id: 'no-contractors', text: 'permit (principal, action, resource);' },
  });
  await hub.admin('POST', '/api/v1/composite-skills', {
    ...{ id: 'two-steps', name: 'Two steps', description: 'Two.', tags: ['both'] },
    steps: [{ name: 'begin', agentId: 'bookkeeper' }],
  });
  sink = await WebhookSink.start();
  await hub.admin('POST', '/api/v1/push/subscriptions', { url: sink.url('/all') }, key);
  await hub.send('hello', { tenant: 'bookkeeper' }, { key });
  task = (await hub.send('hello', { tenant: 'bookkeeper' }))['task'] as typeof task;
  await sink.waitForCount(1, WAIT_MS);
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('agents');
});

afterAll(() => Promise.all([own, hub, agent, sink].map((each) => each?.close())));

// One test that fails leaves it open for no other.
afterEach(async () => {
  if ((await dialog().count()) > 0) await page.keyboard.press('Escape');
});

const dialog = (): Locator => page.getByRole('dialog', { name: 'Go to', exact: true });
const options = (): Locator => dialog().getByRole('option');

/** Opens it by the keyboard and types; resolves when the first place is this. */
async function lookFor(text: string, first: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(text);
  await options().first().filter({ hasText: first }).waitFor();
}

describe('the search for pages and ids', () => {
  it('opens by Ctrl+K, is gone through by arrows, and leads to a part of a page', async () => {
    const chosen = () => dialog().getByRole('option', { selected: true });
    // What is found later comes first, and does not take the choice away.
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/v1/principals?*', (route) => answered.then(() => route.continue()));
    await lookFor('ro', 'Page Routing');
    await page.keyboard.press('ArrowDown');
    await chosen().filter({ hasNotText: 'Page Routing' }).waitFor();
    const second = await chosen().textContent();
    answer();
    await options().first().filter({ hasText: 'Principal Robert (rob), acme' }).waitFor();
    expect(await chosen().textContent()).toBe(second);
    await page.unroute('**/api/v1/principals?*');
    expect(await own.axe()).toEqual([]);
    const before = await chosen().textContent();
    await page.keyboard.press('ArrowDown');
    await chosen().filter({ hasNotText: before! }).waitFor();
    const active = await dialog().getByRole('combobox').getAttribute('aria-activedescendant');
    expect(await chosen().getAttribute('id')).toBe(active);
    await page.keyboard.press('ArrowUp');
    await chosen().filter({ hasText: before! }).waitFor();
    await dialog().getByRole('combobox').fill('dead l');
    await options().first().filter({ hasText: 'Dead letters' }).waitFor();
    await dialog().getByText('Looking …').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('dead-letters');
  });

  it.each([
    ['a task', () => task.id, 'Task', () => `/tasks/${task.id}`],
    ['a context', () => task.contextId, 'Conversation', () => `/tasks/contexts/${task.contextId}`],
    ['an agent', () => 'bookkeeper', 'Agent', () => '/agents/bookkeeper'],
    ['a rule', () => 'invoices', 'Rule All invoices', () => '/routing/rules/invoices'],
  ])('finds %s', async (_what, text, first, path) => {
    await lookFor(text(), first);
    await dialog().getByText('Looking …').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/console${path()}`);
  });

  it.each([
    ['bookkeeping rob', 'Principal Robert (rob)', 'access', { tab: 'principals', text: 'rob' }],
    ['OBERT', 'Principal Robert (rob)', 'access', { tab: 'principals', text: 'rob' }],
    [
      'cme Ltd',
      'Organization Acme Ltd (acme)',
      'access',
      { tab: 'principals', organization: 'acme' },
    ],
    ['contractor', 'Policy no-contractors', 'access', { tab: 'policies', id: 'no-contractors' }],
    ['o step', 'Composite skill Two steps', 'routing/composite-skills/two-steps', {}],
    ['127.0.0.1', 'Receiver http', 'webhooks', { tab: 'receivers', id: /^acme http/ }],
  ])('finds by a part of a name: %s', async (text, first, path, search) => {
    await lookFor(text, first);
    await dialog().getByText('Looking …').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    const at = new URL(page.url());
    expect(at.pathname).toBe(`/console/${path}`);
    for (const [name, value] of Object.entries(search)) {
      expect(at.searchParams.get(name)).toMatch(value);
    }
    // What it has opened is left.
    await own.goTo('agents', 'Agents');
  });

  it.each([
    ['Auth profiles', '/webhooks', 'auth-profiles'],
    ['Log levels', '/access', 'log-levels'],
    ['Webhooks of tasks', '/webhooks', 'webhooks'],
  ])('finds the tab %s', async (label, path, tab) => {
    await lookFor(label, `Page ${label}`);
    await dialog().getByText('Looking …').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    const at = new URL(page.url());
    expect([at.pathname, at.searchParams.get('tab')]).toEqual([`/console${path}`, tab]);
  });

  it('goes where Enter was pressed to go once it has looked, unless other text follows', async () => {
    const { origin, pathname } = new URL(page.url());
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/v1/principals?*', (route) => answered.then(() => route.continue()));
    await lookFor('ro', 'Page Routing');
    await page.keyboard.press('Enter');
    await page.keyboard.type('b');
    await dialog().getByText('Looking …').waitFor();
    answer();
    await options().first().filter({ hasText: 'Principal Robert (rob), acme' }).waitFor();
    await dialog().getByText('Looking …').waitFor({ state: 'detached' });
    expect(page.url().startsWith(origin + pathname)).toBe(true);
    await page.unroute('**/api/v1/principals?*');
    await dialog().getByRole('combobox').fill('bert');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('text')).toBe('rob');
    await own.goTo('agents', 'Agents');
  });

  it('reads the rules once while one types, and a webhook by an id alone', async () => {
    await page.reload();
    await own.signIn('agents');
    const read: string[] = [];
    const note = (request: Request) => read.push(new URL(request.url()).pathname);
    page.on('request', note);
    await lookFor('invo', 'Rule All invoices');
    await dialog().getByRole('combobox').fill('all inv');
    await dialog().getByText('Looking …').waitFor({ state: 'detached' });
    await dialog().getByRole('combobox').fill(task.id);
    await options().first().filter({ hasText: 'Task' }).waitFor();
    page.off('request', note);
    await page.keyboard.press('Escape');
    expect(read.filter((path) => path === '/api/v1/routes/rules')).toHaveLength(1);
    expect(read.filter((path) => path.startsWith('/api/v1/push/configs'))).toEqual([
      `/api/v1/push/configs/${task.id}`,
    ]);
  });

  it('has first what is called so, and says what else was found', async () => {
    const many = Array.from({ length: 60 }, (_, index) => index + 1);
    for (const index of many) {
      await hub.admin('POST', '/api/v1/principals', {
        ...{ id: `crowd-${index}`, displayName: `Crowd person ${index}`, organization: 'acme' },
      });
    }
    for (const index of many.slice(0, 7)) {
      await hub.admin('POST', '/api/v1/organizations', { id: `crowd-org-${index}` });
    }
    await page.reload();
    await own.signIn('agents');
    // The oldest of those that have it in their names.
    await lookFor('crowd person 1', 'Principal Crowd person 1 (crowd-1)');
    await dialog().getByText('5 of 11 principals: type more of the name').waitFor();
    await dialog().getByRole('combobox').fill('crowd');
    await dialog()
      .getByText('5 of 50 or more principals, 5 of 7 organizations: type more of the name')
      .waitFor();
    await dialog().getByRole('combobox').fill('crowd-org-1');
    await options().first().filter({ hasText: 'Organization crowd-org-1' }).waitFor();
    expect(await dialog().getByText('type more of the name').count()).toBe(0);
    await page.route('**/api/v1/policies?*', (route) =>
      route.fulfill({ status: 403, json: { reason: 'PERMISSION_DENIED', detail: 'No.' } }),
    );
    await page.reload();
    await own.signIn('agents');
    await lookFor('crowd person 1', 'Principal Crowd person 1 (crowd-1)');
    await dialog()
      .getByText('Not all could be looked at: what is missing is on the page')
      .waitFor();
    await page.unroute('**/api/v1/policies?*');
  });

  it('finds an id as the console shortens it among what was read, and says so of others', async () => {
    const shortened = `${task.id.slice(0, 8)}…${task.id.slice(-6)}`;
    await page.reload();
    await own.signIn('agents');
    await page.keyboard.press('Control+k');
    const input = dialog().getByRole('combobox');
    await input.fill(shortened);
    await dialog().getByText('Paste the whole id.').waitFor();
    await page.keyboard.press('Escape');
    await own.goTo('tasks', 'Tasks');
    await lookFor(shortened, `Task ${task.id}`);
    await input.fill('book…per');
    await options().first().filter({ hasText: 'Agent' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('says of one letter that more are needed to find more than pages', async () => {
    await lookFor('r', 'Page');
    await dialog().getByText('Type at least 2 letters to find names and ids.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('says when there is nothing, and gives the focus back', async () => {
    const opener = page.getByRole('button', { name: 'Go to', exact: true });
    await opener.click();
    await dialog().getByRole('combobox').fill('<b>none</b> %');
    await dialog().getByText('Nothing you may see is called so.').waitFor();
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await opener.and(page.locator(':focus')).waitFor();
  });
});

describe('nonsense in an address', () => {
  it.each([
    ['routing/rules?q[]=<b>&x=2', 'Routing'],
    ['routing/dry-run?agent[]=1&x=2', 'Routing'],
    ['routing/rules/invoices?version=-1&from=a&x=2', 'All invoices'],
    ['playground?agent[]=1&mode=none&x=2', 'Playground'],
    ['agents/new?x=2', 'Register an agent'],
  ])('does not reach the page: %s', async (path, heading) => {
    await own.goTo(path, heading);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    // A link of the page keeps nothing of it.
    const links = page.getByRole('main').locator('a[href*="x=2"]');
    expect(await links.count()).toBe(0);
  });
});
