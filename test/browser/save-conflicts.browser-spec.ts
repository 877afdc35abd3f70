import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { choose, dialogOf, fill, hubHas, press } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const RULE = '/api/v1/routes/rules/invoices';
const COMPOSITE = '/api/v1/composite-skills/two-steps';
const POLICY = '/api/v1/policies/no-contractors';

let hub: Hub;
let agent: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  agent = await ScriptedAgent.start({ name: 'One', skills: [{ id: 'first' }] });
  hub = await startHub();
  await hub.registerAgent(agent.url, { id: 'one' });
  await hub.admin('POST', '/api/v1/routes/rules', {
    id: 'invoices',
    name: 'Invoices',
    conditions: { text: { pattern: 'invoice' } },
    target: { agentId: 'one' },
  });
  await hub.admin('POST', '/api/v1/composite-skills', {
    id: 'two-steps',
    name: 'Two steps',
    description: 'First the one.',
    tags: ['both'],
    steps: [{ name: 'begin', agentId: 'one' }],
  });
  await hub.admin('POST', '/api/v1/policies', {
    id: 'no-contractors',
    description: 'As it was',
    text: 'permit (principal, action, resource);',
    tests: [],
  });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('routing/rules');
});

afterAll(() => Promise.all([own, hub, agent].map((each) => each?.close())));

const main = (): Locator => page.getByRole('main');
const alert = (): Locator => page.getByRole('alert').filter({ hasText: 'still here' });

describe('a rule that somebody else has saved meanwhile', () => {
  it('is compared, loaded and taken back, and nothing that was typed is lost', async () => {
    await own.goTo('routing/rules/invoices', 'Invoices');
    await hub.admin('PATCH', RULE, { name: 'Bills' });
    await fill(main(), { Name: 'My invoices' });
    await press(page, 'Save');
    await alert().getByText('Somebody has saved version 2 meanwhile.').waitFor();
    await press(alert(), 'Compare with mine');
    const diff = page.getByLabel('From version 2 to mine');
    expect(await diff.textContent()).toMatch(/−\s+"name": "Bills".*\+\s+"name": "My invoices"/s);
    expect(await own.axe()).toEqual([]);
    await press(alert(), 'Load version 2');
    const name = main().getByLabel('Name', { exact: true });
    expect(await name.inputValue()).toBe('Bills');
    await press(page, 'Back to mine');
    expect(await name.inputValue()).toBe('My invoices');
    await press(page, 'Save');
    await page.getByRole('link', { name: 'My invoices', exact: true }).waitFor();
    await hubHas(hub, RULE, { name: 'My invoices', version: 3 });
  });

  it('keeps its place when one saves over it', async () => {
    await own.goTo('routing/rules/invoices', 'My invoices');
    await hub.admin('PATCH', RULE, { enabled: false });
    await fill(main(), { Name: 'Over it' });
    await press(page, 'Save');
    await press(alert(), 'Save mine over version 4');
    await page.getByRole('link', { name: 'Over it', exact: true }).waitFor();
    await hubHas(hub, RULE, { name: 'Over it', enabled: true, version: 5 });
  });

  it('stays where other rules have brought it, and moves where one wants it', async () => {
    const others = (position: number) =>
      hub.admin('POST', '/api/v1/routes/rules', {
        ...{ name: 'Another', position, enabled: false, conditions: {} },
        target: { agentId: 'one' },
      });
    await own.goTo('routing/rules/invoices', 'Over it');
    await others(1);
    await hub.admin('PATCH', RULE, { enabled: false });
    await hubHas(hub, RULE, { position: 2, version: 6 });
    await fill(main(), { Name: 'Not moved' });
    await press(page, 'Save');
    await press(alert(), 'Compare with mine');
    const diff = await page.getByLabel('From version 6 to mine').textContent();
    expect(diff).toMatch(/\+\s+"name": "Not moved"/);
    expect(diff).not.toMatch(/[−+]\s+"position"/);
    await press(alert(), 'Save mine over version 6');
    await page.getByRole('link', { name: 'Not moved', exact: true }).waitFor();
    await hubHas(hub, RULE, { name: 'Not moved', position: 2, version: 7 });

    await own.goTo('routing/rules/invoices', 'Not moved');
    await others(1);
    await hub.admin('PATCH', RULE, { enabled: false });
    await fill(main(), { Name: 'Nor by a detour' });
    await press(page, 'Save');
    await press(alert(), 'Load version 8');
    await press(page, 'Back to mine');
    await press(page, 'Save');
    await page.getByRole('link', { name: 'Nor by a detour', exact: true }).waitFor();
    await hubHas(hub, RULE, { name: 'Nor by a detour', position: 3, version: 9 });

    await own.goTo('routing/rules/invoices', 'Nor by a detour');
    await hub.admin('PATCH', RULE, { enabled: false });
    await fill(main(), { Place: '1', Name: 'Over it' });
    await press(page, 'Save');
    await press(alert(), 'Compare with mine');
    const moved = await page.getByLabel('From version 10 to mine').textContent();
    expect(moved).toMatch(/−\s+"position": 3.*\+\s+"position": 1/s);
    await press(alert(), 'Save mine over version 10');
    await page.getByRole('link', { name: 'Over it', exact: true }).waitFor();
    await hubHas(hub, RULE, { name: 'Over it', position: 1, version: 11 });
  });

  it('may have been saved by oneself: the answer was lost', async () => {
    await own.goTo('routing/rules/invoices', 'Over it');
    await fill(main(), { Name: 'Lost answer' });
    await page.route(
      `**${RULE}`,
      async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await press(page, 'Save');
    await alert().getByText('Whether it was saved is not known.').waitFor();
    await press(alert(), 'Try again');
    await page.getByText('Version 12 is what you have written: nothing is left to save.').waitFor();
    await press(page, 'Load version 12');
    await own.goTo('routing/rules', 'Routing');
    await page.getByRole('link', { name: 'Lost answer', exact: true }).waitFor();
  });
});

describe('a composite skill that somebody else has saved meanwhile', () => {
  it('is saved over that, by choice', async () => {
    await own.goTo('routing/composite-skills/two-steps', 'Two steps');
    await page.getByRole('tab', { name: 'Edit', exact: true }).click();
    await hub.admin('PATCH', COMPOSITE, { description: 'Of somebody else.' });
    await fill(main(), { Description: 'Mine.' });
    await press(page, 'Save as the next version');
    await press(alert(), 'Save mine over version 2');
    await page.getByText('Mine.').first().waitFor();
    await hubHas(hub, COMPOSITE, { description: 'Mine.', version: 3 });
  });

  it('is tried again after a lost connection', async () => {
    await own.goTo('routing/composite-skills/two-steps', 'Two steps');
    await page.getByRole('tab', { name: 'Edit', exact: true }).click();
    await fill(main(), { Description: 'After all.' });
    await page.route(
      `**${COMPOSITE}`,
      (route) => (route.request().method() === 'PATCH' ? route.abort() : route.fallback()),
      { times: 1 },
    );
    await press(page, 'Save as the next version');
    await press(alert(), 'Try again');
    await page.getByText('After all.').first().waitFor();
    await hubHas(hub, COMPOSITE, { description: 'After all.', version: 4 });
  });
});

describe('a policy that somebody else has saved meanwhile', () => {
  it('is loaded, taken back and saved', async () => {
    await own.goTo('access?tab=policies', 'Access');
    await choose(page, 'Actions of the policy no-contractors', 'Edit …');
    const dialog = dialogOf(page, 'Change the policy no-contractors');
    await fill(dialog, { Description: 'Mine' });
    await hub.admin('PATCH', POLICY, { description: 'Of somebody else' });
    await press(dialog, 'Save');
    await press(alert(), 'Load version 2');
    const description = dialog.getByLabel('Description', { exact: true });
    expect(await description.inputValue()).toBe('Of somebody else');
    await press(dialog, 'Back to mine');
    expect(await description.inputValue()).toBe('Mine');
    await press(dialog, 'Save');
    await dialog.waitFor({ state: 'hidden' });
    await hubHas(hub, POLICY, { description: 'Mine', version: 3 });
  });
});
