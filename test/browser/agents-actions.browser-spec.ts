import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import {
  choose,
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
import { ScriptedAgent } from '../support/scripted-agent.js';

const WAIT_MS = 15_000;
const PATH = '/api/v1/agents/books';

let hub: Hub;
let agent: ScriptedAgent;
let slow: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;
/** What the card of the agent says besides. */
const card: { description?: string } = {};

beforeAll(async () => {
  [agent, slow] = await Promise.all([
    ScriptedAgent.start({ name: 'Books', card, skills: [{ id: 'ledger' }] }),
    ScriptedAgent.start({ name: 'Slow', live: { manual: true } }),
  ]);
  hub = await startHub();
  await hub.admin('POST', '/api/v1/organizations', { id: 'acme' });
  await hub.registerAgent(slow.url, { id: 'slow' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('agents');
});

afterAll(() => Promise.all([own, hub, agent, slow].map((each) => each?.close())));

const open = (tab: string) => own.goTo(`agents/books?tab=${tab}`, 'Books');

/** The headers of the last call of the agent, which is made for this. */
async function headersOfCall(key?: string) {
  const before = agent.callsOf('SendStreamingMessage').length;
  await hub.send('hello', { tenant: 'books' }, key === undefined ? {} : { key });
  const calls = agent.callsOf('SendStreamingMessage');
  expect(calls.length).toBe(before + 1);
  return calls.at(-1)!.headers;
}

describe('an agent', () => {
  it('is looked at and registered by its address', async () => {
    await own.goTo('agents/new', 'Register an agent');
    await fill(page.getByRole('main'), {
      'Address of the agent': 'http://127.0.0.1:9',
    });
    await page.getByRole('link', { name: 'Tasks', exact: true }).first().click();
    await confirm(page, 'Leave without saving?', 'Leave without saving');
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await own.goTo('agents/new', 'Register an agent');
    await fill(page.getByRole('main'), {
      'Address of the agent': 'http://127.0.0.1:9',
    });
    await fill(page.getByRole('main'), { 'Address of the agent': 'nonsense' });
    await press(page, 'Look at it');
    await page.getByText('Write a whole address, such as https://agent.example.').waitFor();
    await fill(page.getByRole('main'), {
      'Address of the agent': 'http://127.0.0.1:9',
    });
    await press(page, 'Look at it');
    await eventually(async () => {
      const address = page.getByLabel('Address of the agent', { exact: true });
      const alerts = await page.getByRole('alert').count();
      expect(alerts > 0 || (await address.getAttribute('aria-invalid')) === 'true').toBe(true);
    }, WAIT_MS);
    await fill(page.getByRole('main'), { 'Address of the agent': agent.url });
    await press(page, 'Look at it');
    await page.getByRole('heading', { name: /^2\. This is Books/ }).waitFor();
    await page.getByText('ledger').first().waitFor();
    // Its answer comes into view, however little of the page that is.
    await page.setViewportSize({ width: 1280, height: 420 });
    await page.getByRole('button', { name: 'Send it one message' }).scrollIntoViewIfNeeded();
    await press(page, 'Send it one message');
    const answer = page.getByText('It answered.', { exact: true });
    await answer.waitFor();
    await eventually(async () => {
      const { y } = (await answer.boundingBox())!;
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(420);
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    // Nothing is kept until it is registered.
    await hubAnswers(hub, PATH, 404);
    await fill(page.getByRole('main'), {
      Id: 'books',
      Tags: 'money, paper',
      Organizations: 'tests, default',
      Priority: '7',
    });
    await page.getByText('There is no organization “tests”.').waitFor();
    // As long as it is under way, leaving is asked about as before.
    let answered: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answered = resolve));
    await page.route('**/api/v1/agents', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Register Books' }).click();
    await page.getByRole('link', { name: 'Tasks', exact: true }).first().click();
    await press(dialogOf(page, 'Leave without saving?'), 'Keep as it is');
    answered();
    await page.getByRole('heading', { name: 'Books', level: 1 }).waitFor();
    await hubHas(hub, PATH, {
      id: 'books',
      tags: ['money', 'paper'],
      priority: 7,
      enabled: true,
    });
    await headersOfCall();
  });

  it('is found in the list by name, tag and state', async () => {
    await own.goTo('agents', 'Agents');
    await page.getByLabel('Search', { exact: true }).fill('books');
    await page.getByLabel('Tag', { exact: true }).fill('money');
    await rowOf(page, 'Agents', 'Slow').waitFor({ state: 'detached' });
    await rowOf(page, 'Agents', 'Books').waitFor();
    await page.getByLabel('Shown', { exact: true }).selectOption('disabled');
    await rowOf(page, 'Agents', 'Books').waitFor({ state: 'detached' });
    await press(page, 'Clear');
    await rowOf(page, 'Agents', 'Slow').waitFor();
  });

  it('gets other settings; what was not edited stays', async () => {
    await open('settings');
    const main = page.getByRole('main');
    await fill(main, { Tags: 'money', Weight: '0' });
    await press(page, 'Save the settings');
    await page.getByRole('alert').waitFor();
    await hubHas(hub, PATH, { tags: ['money', 'paper'] });
    await fill(main, { Weight: '5' });
    await press(page, 'Save the settings');
    await hubHas(hub, PATH, { tags: ['money'], weight: 5, priority: 7 });
    await eventually(async () => {
      expect(await page.getByRole('button', { name: 'Save the settings' }).isDisabled()).toBe(true);
    }, WAIT_MS);
  });

  it('asks before a setting is saved over what somebody else has made of it', async () => {
    await open('settings');
    const main = page.getByRole('main');
    await fill(main, { Tags: 'mine', Priority: '8' });
    await hub.admin('PATCH', PATH, { tags: ['theirs'], weight: 6 });
    await press(page, 'Save the settings');
    const asks = dialogOf(page, 'Save all the same?');
    await asks.getByText('Tags: somebody else has made it “theirs” meanwhile.').waitFor();
    expect(await asks.getByText('Weight').count()).toBe(0);
    await submit(asks, 'Cancel');
    await hubHas(hub, PATH, { tags: ['theirs'], priority: 7 });
    await press(page, 'Save the settings');
    await submit(asks, 'Save all the same');
    await hubHas(hub, PATH, { tags: ['mine'], priority: 8, weight: 6 });
    await hub.admin('PATCH', PATH, { tags: ['money'], priority: 7, weight: 5 });
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  });

  it('warns of organizations that are not there, and suggests those that are', async () => {
    await open('settings');
    const field = page.getByLabel('Organizations', { exact: true });
    await field.fill('acme, acmee, tsets');
    await page.getByText('There are no organizations “acmee”, “tsets”.').waitFor();
    await field.fill('acme');
    await page.getByText('There are no organizations').waitFor({ state: 'detached' });
    const list = await field.getAttribute('list');
    expect(await page.locator(`[id="${list}"] option[value="default"]`).count()).toBe(1);
    await press(page, 'Discard the changes');
  });

  it('keeps settings that are not saved yet until one leaves them by choice', async () => {
    await open('settings');
    const main = page.getByRole('main');
    const tags = main.getByLabel('Tags', { exact: true });
    const dialog = dialogOf(page, 'Leave without saving?');
    await tags.fill('unsaved');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await submit(dialogOf(page, 'Sign out without saving?'), 'Keep as it is');
    expect(await tags.inputValue()).toBe('unsaved');
    await page.getByRole('tab', { name: 'Card', exact: true }).click();
    await press(dialog, 'Keep as it is');
    expect(await tags.inputValue()).toBe('unsaved');
    await page.getByRole('link', { name: 'Tasks', exact: true }).first().click();
    await press(dialog, 'Keep as it is');
    expect(await tags.inputValue()).toBe('unsaved');
    await page.getByRole('tab', { name: 'Card', exact: true }).click();
    await press(dialog, 'Leave without saving');
    await tags.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Settings', exact: true }).click();
    // Once it has read what the hub has by now.
    await eventually(async () => expect(await tags.inputValue()).toBe('money'));
    await hubHas(hub, PATH, { tags: ['money'] });
    // With nothing unsaved there is no question, nor are they those of another agent.
    await tags.fill('unsaved');
    await press(page, 'Discard the changes');
    await own.goTo('agents/slow?tab=settings', 'Slow');
    await tags.fill('of-slow');
    await page.evaluate('history.back()');
    await press(dialog, 'Leave without saving');
    await page.getByRole('heading', { name: 'Books', level: 1 }).waitFor();
    await eventually(async () => expect(await tags.inputValue()).toBe('money'));
  });

  it('is read again: what has changed in its card is shown', async () => {
    await open('card');
    card.description = 'It keeps other books now.';
    await press(page, 'Read the card again');
    const dialog = dialogOf(page, 'The card of Books has changed');
    await dialog.getByText('It keeps other books now.').waitFor();
    await press(dialog.getByRole('contentinfo'), 'Close');
    await dialog.waitFor({ state: 'hidden' });
    await hubHas(hub, PATH, {
      card: { description: 'It keeps other books now.' },
    });
  });

  it('is drained and enabled: it gets no work meanwhile', async () => {
    await open('overview');
    await press(page, 'Drain');
    await confirm(page, 'Drain Books?', 'Drain');
    await hubHas(hub, PATH, { enabled: false });
    await expect(hub.send('hello', { tenant: 'books' })).rejects.toThrow();
    await press(page, 'Enable');
    await hubHas(hub, PATH, { enabled: true });
    await headersOfCall();
  });

  it('is killed: what it works on is canceled', async () => {
    const task = await hub.submit('endless', { tenant: 'slow' });
    await eventually(() => expect(slow.tasks.size).toBe(1), WAIT_MS);
    await own.goTo('agents/slow', 'Slow');
    await press(page, 'Kill');
    const dialog = dialogOf(page, 'Kill Slow?');
    await dialog.getByRole('button', { name: /^Kill/ }).click();
    await dialog.waitFor({ state: 'hidden' });
    await hub.waitForTask(task['id'] as string, 'TASK_STATE_CANCELED');
    await hubHas(hub, '/api/v1/agents/slow', { enabled: false });
    await eventually(() => expect(slow.callsOf('CancelTask')).toHaveLength(1), WAIT_MS);
  });
});

describe('credentials of an agent', () => {
  it('are headers that are set, not shown again, and taken away', async () => {
    await open('credentials');
    await page.getByRole('button', { name: 'Set headers', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await fill(dialog, { Header: 'x-api-key', Value: 'secret-of-the-books' });
    await submit(dialog, 'Set');
    await hubHas(hub, PATH, {
      credentials: expect.arrayContaining(['x-api-key']),
    });
    expect((await headersOfCall())['x-api-key']).toBe('secret-of-the-books');
    expect(await page.content()).not.toContain('secret-of-the-books');
    await page.getByRole('button', { name: 'Take x-api-key away' }).click();
    await confirm(page, 'Take the header x-api-key away?', 'Take away');
    await hubHas(hub, PATH, { credentials: [] });
    expect((await headersOfCall())['x-api-key']).toBeUndefined();
  });

  it('are given for one organization, in place of its own', async () => {
    const key = await hub.createKey({ organization: 'default' });
    await open('credentials');
    await press(page, 'Set for an organization');
    const dialog = dialogOf(page, 'Credentials for an organization');
    await fill(dialog, { Organization: 'tset' });
    await dialog.getByText('There is no organization “tset”.').waitFor();
    await fill(dialog, {
      Organization: 'tests',
      Header: 'x-api-key',
      Value: 'of-the-tests',
    });
    await submit(dialog, 'Set');
    await hubHas(hub, PATH, { organizationCredentials: ['tests'] });
    expect((await headersOfCall())['x-api-key']).toBe('of-the-tests');
    expect((await headersOfCall(key))['x-api-key']).toBeUndefined();
    await press(page, 'Take those of tests away');
    await confirm(page, 'Take the credentials of tests away?', 'Take away');
    await hubHas(hub, PATH, { organizationCredentials: [] });
    expect((await headersOfCall())['x-api-key']).toBeUndefined();
  });

  it('are how a token is got, set and taken away', async () => {
    await open('credentials');
    await press(page, 'Set authentication');
    const dialog = dialogOf(page, 'Set authentication');
    // It takes nothing away: that is asked about, elsewhere.
    await press(dialog, 'Set');
    await dialog.getByText('choose how the hub gets it').first().waitFor();
    await dialog
      .getByLabel('Authentication', { exact: true })
      .selectOption('oauth2-client-credentials');
    await press(dialog, 'Set');
    // Where tokens are got is not said.
    await dialog.getByRole('alert').waitFor();
    await fill(dialog, {
      'Token endpoint': 'http://127.0.0.1:9/token',
      'Client id': 'hub',
      'Client secret': 'a-secret-of-the-hub-0123456789',
    });
    await submit(dialog, 'Set');
    await hubHas(hub, PATH, {
      authentication: { type: 'oauth2-client-credentials', clientId: 'hub' },
    });
    await press(page, 'Take it away');
    await confirm(page, 'Take the authentication away?', 'Take away');
    await hubHas(hub, PATH, { authentication: null });
  });
});

describe('an agent at its end', () => {
  it('is deleted from the list', async () => {
    await own.goTo('agents', 'Agents');
    await choose(page, 'Actions of books', 'Delete …');
    await confirm(page, 'Delete Books?', 'Delete');
    await hubAnswers(hub, PATH, 404);
    await rowOf(page, 'Agents', 'Books').waitFor({ state: 'detached' });
  });

  it('is not asked about what was not saved of it', async () => {
    await own.goTo('agents/slow?tab=settings', 'Slow');
    await page.getByRole('main').getByLabel('Tags', { exact: true }).fill('unsaved');
    await choose(page, 'More actions', 'Delete …');
    await confirm(page, 'Delete Slow?', 'Delete');
    await hubAnswers(hub, '/api/v1/agents/slow', 404);
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await dialogOf(page, 'Leave without saving?').count()).toBe(0);
  });
});
