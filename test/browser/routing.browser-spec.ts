import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const RULES = '/api/v1/routes/rules';
const COMPOSITES = '/api/v1/composite-skills';

let hub: Hub;
let agent: ScriptedAgent;
let own: ConsoleBrowser;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start()]);
  await hub.registerAgent(agent.url, { id: 'billing' });
});

afterAll(() => Promise.all([hub?.close(), agent?.close()]));

beforeEach(async () => {
  own = await ConsoleBrowser.open(hub.url);
});

afterEach(() => own.close());

async function succeeds(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await hub.admin(method, path, body);
  expect([answer.status, answer.text]).toEqual([method === 'POST' ? 201 : 200, answer.text]);
  return answer.body as JsonObject;
}

describe('the editor of a rule', () => {
  it('says what is wrong while one types, also to those who may not send messages', async () => {
    const key = await hub.createKey({ scopes: ['routing'] });
    const page = await own.signIn('routing/rules/new', key);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Invoices');
    const target = page.getByRole('combobox', { name: 'Agent', exact: true });
    await target.fill('biling');
    await page.getByText('is not the id of a registered agent; near it: "billing"').waitFor();
    await page.getByText('1 problem', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /^The text has/ }).fill('(');
    await page.getByText('2 problems', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /^The text has/ }).fill('invoice');
    await target.fill('billing');
    const deadline = page.getByLabel('Deadline in seconds', { exact: true });
    await deadline.fill('1e3');
    await target.focus();
    expect(await deadline.inputValue()).toBe('1000');
    await page.getByText('can be saved', { exact: true }).waitFor();
    expect(await own.axe()).toEqual([]);
    expect((await hub.admin('GET', `${RULES}/invoices`)).status).toBe(404);
    await page.getByRole('button', { name: 'Make the rule' }).click();
    await page.getByText('“Invoices” is no. 1 of the rules.').first().waitFor();
    expect(await succeeds('GET', `${RULES}/invoices`)).toMatchObject({
      version: 1,
      conditions: { text: { pattern: 'invoice' } },
      target: { agentId: 'billing' },
    });
  });
});

describe('a rule that was refused', () => {
  it('is refused no longer once it is corrected, and refused again as it is then', async () => {
    const page = await own.signIn('routing/rules/new');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const target = page.getByRole('combobox', { name: 'Agent', exact: true });
    const alert = page.getByRole('main').getByRole('alert');
    await name.fill('Corrected');
    await target.fill('biling');
    await page.getByRole('button', { name: 'Make the rule' }).click();
    await alert.getByText('target.agentId', { exact: true }).waitFor();
    await target.fill('billing');
    await alert.waitFor({ state: 'detached' });
    await page.getByText('can be saved', { exact: true }).waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await name.fill('');
    await page.getByRole('button', { name: 'Make the rule' }).click();
    await alert.getByText('name', { exact: true }).waitFor();
    await name.fill('Corrected');
    await page.getByRole('button', { name: 'Make the rule' }).click();
    await page.getByText('“Corrected” is no.').first().waitFor();
    await succeeds('GET', `${RULES}/corrected`);
  });

  it('still is of a version that is no longer the newest, whatever is typed', async () => {
    await succeeds('POST', RULES, { id: 'moving', name: 'Moving', target: { reject: 'No.' } });
    const page = await own.signIn('routing/rules/moving');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Mine');
    await succeeds('PATCH', `${RULES}/moving`, { name: 'Theirs' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const load = page.getByRole('button', { name: 'Load version 2' });
    await load.waitFor();
    await name.fill('Mine still');
    await page.getByText('can be saved', { exact: true }).waitFor();
    await load.click();
    await eventually(async () => expect(await name.inputValue()).toBe('Theirs'));
  });
});

describe('the trial of a rule', () => {
  it('needs a message', async () => {
    const tried = { id: 'tried', name: 'Tried', position: 1, target: { agentId: 'billing' } };
    await succeeds('POST', RULES, tried);
    const page = await own.signIn('routing/rules/tried');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('routes:dry-run')) sent.push(request.postData() ?? '');
    });
    const message = page.getByRole('textbox', { name: 'A message', exact: true });
    const wanted = page.getByText('Type a message to see what the rule does with it.');
    await wanted.waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tried again');
    await page.getByText('can be saved', { exact: true }).waitFor();
    await message.fill('hello');
    const trial = page.locator('.routing-trial');
    await trial.getByText('decides', { exact: true }).waitFor();
    expect(await wanted.count()).toBe(0);
    await message.fill(' ');
    await wanted.waitFor();
    expect(await trial.getByText('decides', { exact: true }).count()).toBe(0);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((body) => !body.includes('"hello"'))).toEqual([]);
  });
});

describe('the versions of a rule', () => {
  it('are asked about before a version in the editor is left', async () => {
    await succeeds('POST', RULES, { id: 'left', name: 'Left', target: { reject: 'No.' } });
    await succeeds('PATCH', `${RULES}/left`, { name: 'Right' });
    const page = await own.signIn('routing/rules/left?version=1');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await eventually(async () => expect(await name.inputValue()).toBe('Left'));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { level: 1, name: 'Routing' }).waitFor();
    expect(await succeeds('GET', `${RULES}/left`)).toMatchObject({ version: 2, name: 'Right' });
  });

  it('show who changed what, and one of them is taken into the editor and saved', async () => {
    const path = `${RULES}/refunds`;
    const target = { agentId: 'billing' };
    await succeeds('POST', RULES, { id: 'refunds', name: 'Refunds', target });
    await succeeds('PATCH', path, { name: 'No refunds', target: { reject: 'No.' } });
    await succeeds('PATCH', path, { enabled: false });
    const page = await own.signIn('routing/rules/refunds');
    await page.getByRole('tab', { name: 'Versions' }).click();
    const versions = page.getByRole('list', { name: 'Versions, the newest first' });
    const third = page.getByLabel('From version 2 to version 3');
    await third.getByText('+ "enabled": false').waitFor();
    expect(await versions.getByRole('listitem').count()).toBe(3);
    const who = `, by ${String((await succeeds('GET', '/api/v1/me'))['id'])}`;
    await versions.getByRole('listitem').first().getByText(who).waitFor();
    expect(await own.axe()).toEqual([]);

    const second = versions.getByRole('listitem').filter({ hasText: 'Version 2' });
    await second.getByRole('button', { name: 'What it changed' }).click();
    const diff = page.getByLabel('From version 1 to version 2');
    await diff.getByText('− "name": "Refunds"').waitFor();
    await diff.getByText('+ "name": "No refunds"').waitFor();

    const first = versions.getByRole('listitem').filter({ hasText: 'Version 1' });
    await first.getByRole('button', { name: 'Take into the editor' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await eventually(async () => expect(await name.inputValue()).toBe('Refunds'));
    await page.getByText('This is version 1. It counts once it is saved.').waitFor();
    await page.getByText('can be saved', { exact: true }).waitFor();
    expect(await own.axe()).toEqual([]);
    expect(await succeeds('GET', path)).toMatchObject({ version: 3, name: 'No refunds' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Refunds” is saved').first().waitFor();
    expect(await succeeds('GET', path)).toMatchObject({
      version: 4,
      name: 'Refunds',
      enabled: true,
      target,
    });
    // A dry run that is refused is a failed request to the browser.
    expect(own.faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);
  });

  it('refuse to undo what somebody else has changed meanwhile', async () => {
    const path = `${RULES}/shared`;
    await succeeds('POST', RULES, { id: 'shared', name: 'Shared', target: { reject: 'No.' } });
    const page = await own.signIn('routing/rules/shared');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine');
    await succeeds('PATCH', path, { name: 'Theirs' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('shared is at version 2 by now; read it again.').waitFor();
    expect(await succeeds('GET', path)).toMatchObject({ version: 2, name: 'Theirs' });
  });
});

describe('the versions of a composite skill', () => {
  it('are taken into the editor as those of a rule', async () => {
    const path = `${COMPOSITES}/review`;
    const steps = [{ name: 'only', agentId: 'billing' }];
    const skill = { id: 'review', name: 'Review', description: 'As it was', steps };
    await succeeds('POST', COMPOSITES, skill);
    await succeeds('PATCH', path, { description: 'As it is' });
    const page = await own.signIn('routing/composite-skills/review?tab=versions');
    await page.getByLabel('From version 1 to version 2').getByText('+ "description"').waitFor();
    await page.getByRole('button', { name: 'Take into the editor' }).click();
    const description = page.getByRole('textbox', { name: /^Description/ });
    await eventually(async () => expect(await description.inputValue()).toBe('As it was'));
    await page.getByText('can be saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save as the next version' }).click();
    await page.getByText('“Review” is at version 3.').first().waitFor();
    expect(await succeeds('GET', path)).toMatchObject({ version: 3, description: 'As it was' });
    expect(own.faults).toEqual([]);
  });
});
