import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Database } from '../../src/database/database.js';
import { type Hub, startHub } from '../support/app.js';
import {
  choose,
  clipboard,
  confirm,
  dialogOf,
  fill,
  hubAnswers,
  hubHas,
  press,
  rowOf,
  saved,
  submit,
} from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { ConsentBrowser } from '../support/consent-browser.js';
import { CONSENT_CLIENT, ConsentServer } from '../support/consent-server.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TestIssuer } from '../support/test-issuer.js';

const DAY_MS = 86_400_000;
const WAIT_MS = 15_000;

let hub: Hub;
let agent: ScriptedAgent;
let issuer: TestIssuer;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  [agent, issuer] = await Promise.all([
    ScriptedAgent.start({ skills: [{ id: 'ledger', tags: ['books'] }] }),
    TestIssuer.start(),
  ]);
  const claims = { organization: 'org' };
  hub = await startHub({
    config: {
      auth: {
        issuers: [
          {
            id: 'company',
            issuer: issuer.url,
            audiences: ['hub'],
            claims,
            organizations: ['acme'],
            grants: { everyone: ['a2a'] },
          },
        ],
      },
    },
  });
  await hub.registerAgent(agent.url, { id: 'books' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('access');
});

afterAll(() => Promise.all([own, hub, agent, issuer].map((each) => each?.close())));

beforeEach(() => {
  own.faults.length = 0;
});

const tab = (name: string) => own.goTo(`access?tab=${name}`, 'Access');

/** A principal with a key of its own. */
async function principalOf(id: string, fields: JsonObject = {}): Promise<string> {
  await hub.admin('POST', '/api/v1/principals', { id, organization: 'acme', ...fields });
  return (await keyOf(id))['key'] as string;
}

async function keyOf(principal: string, fields: JsonObject = {}): Promise<JsonObject> {
  const made = await hub.admin('POST', '/api/v1/keys', {
    name: `key of ${principal}`,
    principal,
    scopes: ['a2a', 'push'],
    ...fields,
  });
  expect(made.status).toBe(201);
  return made.body as JsonObject;
}

async function itemsOf(path: string): Promise<JsonObject[]> {
  const { status, body } = await hub.admin('GET', path);
  expect(status).toBe(200);
  return body.items as JsonObject[];
}

describe('keys', () => {
  it('are created, shown once, and copied', async () => {
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    await fill(dialog, {
      Name: 'night job',
      Organization: 'acme',
      'Only from these networks': '127.0.0.0/8, 10.0.0.0/8',
    });
    await dialog.getByLabel('Ends', { exact: true }).selectOption('30');
    await dialog.getByRole('checkbox', { name: /^push / }).check();
    // Nothing is in this organization yet.
    await press(dialog, 'Create the key');
    const asks = dialogOf(page, 'Create the key all the same?');
    await asks.getByText('There is no organization “acme” yet: it would be made.').waitFor();
    await submit(asks, 'Cancel');
    expect((await itemsOf('/api/v1/keys')).map(({ name }) => name)).not.toContain('night job');
    await press(dialog, 'Create the key');
    await submit(asks, 'Create the key all the same');
    const once = dialogOf(page, 'The key night job');
    const secret = (await once.getByLabel('API key', { exact: true }).textContent())!;
    await press(once, 'Copy the API key');
    await once.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard(page)).toBe(secret);
    // It is gone with the dialog, so that is closed by its own button alone.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await once.isVisible()).toBe(true);
    await submit(once, 'I have stored it');
    expect(await page.content()).not.toContain(secret);
    await hubAnswers(hub, '/api/v1/me', 200, secret);
    const made = (await itemsOf('/api/v1/keys')).find(({ name }) => name === 'night job')!;
    expect(made).toMatchObject({
      organization: 'acme',
      scopes: ['a2a', 'push'],
      allowedNetworks: ['127.0.0.0/8', '10.0.0.0/8'],
      revokedAt: null,
    });
    const days = (Date.parse(made['expiresAt'] as string) - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    await rowOf(page, 'Keys', 'night job').getByText('valid').waitFor();
  });

  it('say at the field what the hub does not take, and stay to be mended', async () => {
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    await fill(dialog, { Name: 'bad place', 'Only from these networks': 'nowhere' });
    await press(dialog, 'Create the key');
    await dialog.getByRole('alert').waitFor();
    const field = dialog.getByLabel('Only from these networks', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.pressSequentially('x');
    expect(await field.getAttribute('aria-invalid')).toBeNull();
    expect((await itemsOf('/api/v1/keys')).map(({ name }) => name)).not.toContain('bad place');
    await field.fill('');
    await submit(dialog, 'Create the key');
    await submit(dialogOf(page, 'The key bad place'), 'I have stored it');
    expect((await itemsOf('/api/v1/keys')).map(({ name }) => name)).toContain('bad place');
  });

  it('that are written already are not lost by Escape, nor by a click beside the dialog', async () => {
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    const name = dialog.getByLabel('Name', { exact: true });
    await name.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await press(page, 'New key');
    await name.and(page.locator(':focus')).waitFor();
    await fill(dialog, { Name: 'half' });
    const asks = dialogOf(page, 'Close without saving?');
    await page.keyboard.press('Escape');
    await asks.getByRole('button', { name: 'Keep as it is' }).and(page.locator(':focus')).waitFor();
    await submit(asks, 'Keep as it is');
    // A click in the moment in which the question goes is still beside that, not beside the dialog.
    await eventually(async () => {
      await page.mouse.click(5, 5);
      await asks.waitFor({ timeout: 500 });
    });
    await submit(asks, 'Keep as it is');
    expect(await name.inputValue()).toBe('half');
    await page.keyboard.press('Escape');
    await submit(asks, 'Close without saving');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('that are written already are not lost by leaving the page', async () => {
    // Loaded anew, so that the history of the browser is all the router's own.
    await own.signIn('agents');
    await page.getByRole('link', { name: 'Access', exact: true }).first().click();
    await page.getByRole('tab', { name: 'Keys', exact: true }).click();
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    const name = dialog.getByLabel('Name', { exact: true });
    await name.and(page.locator(':focus')).waitFor();
    expect(await own.axe()).toEqual([]);
    const asks = dialogOf(page, 'Leave without saving?');
    await page.keyboard.type('seen once');
    await submit(dialog, 'Create the key');
    // Nor is a key that is shown once.
    await dialogOf(page, 'The key seen once').waitFor();
    await page.goBack();
    await asks.getByText('The API key is shown this once').waitFor();
    await submit(asks, 'Keep as it is');
    await submit(dialogOf(page, 'The key seen once'), 'I have stored it');
    await press(page, 'New key');
    await name.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('half');
    await page.goBack();
    await submit(asks, 'Keep as it is');
    expect(await name.inputValue()).toBe('half');
    const [reload] = await Promise.all([
      page.waitForEvent('dialog'),
      page.evaluate('setTimeout(() => location.reload())'),
    ]);
    expect(reload.type()).toBe('beforeunload');
    await reload.dismiss();
    expect(await name.inputValue()).toBe('half');
    await page.goBack();
    await submit(asks, 'Leave without saving');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it('are made for a principal that is named, and found by its name', async () => {
    await principalOf('by-name', { displayName: 'Bea Name' });
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    await dialog.getByLabel('For', { exact: true }).selectOption('A principal that there is');
    const whose = dialog.getByLabel('Principal', { exact: true });
    await whose.fill('bea name');
    await eventually(async () => {
      await whose.focus();
      await dialog.getByLabel('Name', { exact: true }).focus();
      expect(await whose.inputValue()).toBe('by-name');
    }, WAIT_MS);
    await fill(dialog, { Name: 'another of Bea' });
    await submit(dialog, 'Create the key');
    await submit(dialogOf(page, 'The key another of Bea'), 'I have stored it');
    await page.getByRole('main').getByLabel('Principal', { exact: true }).fill('Bea Name');
    const rows = page.getByRole('region', { name: 'Keys', exact: true }).locator('tbody tr');
    await eventually(async () => expect(await rows.count()).toBe(2), WAIT_MS);
    await rows.filter({ hasText: 'another of Bea' }).waitFor();
    await page.getByRole('main').getByLabel('Principal', { exact: true }).fill('Bea');
    await page.getByText('No key is of a principal of this id or name').waitFor();
  });

  it('are made for the principal whose name was typed last', async () => {
    await principalOf('hasty', { displayName: 'Harriet Hasty' });
    await principalOf('twin-1', { displayName: 'Twin' });
    await principalOf('twin-2', { displayName: 'Twin' });
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    await fill(dialog, { Name: 'in haste' });
    await dialog.getByLabel('For', { exact: true }).selectOption('A principal that there is');
    await press(dialog, 'Create the key');
    await dialog.getByText('Name the principal: by its id, or by its name.').waitFor();
    const whose = dialog.getByLabel('Principal', { exact: true });
    await whose.fill('twin');
    await dialog.locator('option[value="twin-1"]', { hasText: 'Twin, acme' }).waitFor({
      state: 'attached',
    });
    await press(dialog, 'Create the key');
    await dialog.getByText('Several principals are called “twin”').waitFor();
    expect(await whose.getAttribute('aria-invalid')).toBe('true');
    await whose.fill('harriet hasty');
    await whose.press('Enter');
    await submit(dialogOf(page, 'The key in haste'), 'I have stored it');
    const filter = page.getByRole('main').getByLabel('Principal', { exact: true });
    await filter.fill('Twin');
    await page.getByText('Several principals are called “Twin”').waitFor();
    const filtered = () => new URL(page.url()).searchParams.get('principal');
    await eventually(() => expect(filtered()).toBe('Twin'));
    await filter.fill('');
    await eventually(() => expect(filtered()).toBeNull());
    expect((await itemsOf('/api/v1/keys')).find(({ name }) => name === 'in haste')).toMatchObject({
      principalId: 'hasty',
    });
  });

  it.each([
    [1280, 720],
    [400, 720],
  ])('have their buttons in view on a screen of %d by %d', async (width, height) => {
    await page.setViewportSize({ width, height });
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    const button = dialog.getByRole('button', { name: 'Create the key', exact: true });
    const isInView = async () => {
      const { y, height: own } = (await button.boundingBox())!;
      expect(y + own).toBeLessThanOrEqual(height);
    };
    await isInView();
    const last = dialog.getByLabel('Only from these web origins', { exact: true });
    await last.focus();
    await isInView();
    const [field, foot] = [(await last.boundingBox())!, (await button.boundingBox())!];
    expect(field.y + field.height).toBeLessThan(foot.y);
    await press(dialog, 'Cancel');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('that end at a time are not created without it', async () => {
    await tab('keys');
    await press(page, 'New key');
    const dialog = dialogOf(page, 'New key');
    await fill(dialog, { Name: 'ending' });
    await dialog.getByLabel('Ends', { exact: true }).selectOption('At a time …');
    await press(dialog, 'Create the key');
    await dialog.getByRole('alert').waitFor();
    expect((await itemsOf('/api/v1/keys')).map(({ name }) => name)).not.toContain('ending');
    await fill(dialog, { 'Ends at': '2099-01-31T12:00' });
    await submit(dialog, 'Create the key');
    await submit(dialogOf(page, 'The key ending'), 'I have stored it');
    const made = (await itemsOf('/api/v1/keys')).find(({ name }) => name === 'ending')!;
    expect(made['expiresAt']).toMatch(/^2099-01-3/);
  });

  it('are changed', async () => {
    await principalOf('changer');
    const { id } = (await itemsOf('/api/v1/keys?principal=changer'))[0]!;
    await tab('keys&principal=changer');
    await choose(page, 'Actions of the key key of changer', 'Change …');
    const dialog = dialogOf(page, 'Change the key key of changer');
    // What somebody else changes meanwhile stays.
    await dialog.waitFor();
    const allowedNetworks = ['127.0.0.0/8'];
    await hub.admin('PATCH', `/api/v1/keys/${String(id)}`, { allowedNetworks });
    await fill(dialog, { Name: 'renamed', 'Only from these web origins': 'https://app.example' });
    await dialog.getByLabel('Ends', { exact: true }).selectOption('7');
    await submit(dialog, 'Save');
    const [changed] = await itemsOf('/api/v1/keys?principal=changer');
    expect(changed).toMatchObject({
      id,
      name: 'renamed',
      allowedNetworks,
      allowedOrigins: ['https://app.example'],
      expiresAt: expect.any(String),
    });
    await rowOf(page, 'Keys', 'renamed').getByText('https://app.example').waitFor();
  });

  it('are rotated: the new one is taken, the old one no more', async () => {
    const old = await principalOf('rotator');
    await tab('keys&principal=rotator');
    await choose(page, 'Actions of the key key of rotator', 'Rotate …');
    const dialog = dialogOf(page, 'Rotate the key key of rotator');
    await dialog.getByLabel('The old key stays valid').selectOption({ label: 'Not at all' });
    await submit(dialog, 'Rotate');
    const once = dialogOf(page, 'The new key key of rotator');
    const secret = (await once.getByLabel('API key', { exact: true }).textContent())!;
    await submit(once, 'I have stored it');
    await hubAnswers(hub, '/api/v1/me', 200, secret);
    await hubAnswers(hub, '/api/v1/me', 401, old);
  });

  it('are revoked', async () => {
    const secret = await principalOf('leaver');
    await hubAnswers(hub, '/api/v1/me', 200, secret);
    await tab('keys&principal=leaver');
    await choose(page, 'Actions of the key key of leaver', 'Revoke …');
    await confirm(page, 'Revoke the key key of leaver', 'Revoke');
    await hubAnswers(hub, '/api/v1/me', 401, secret);
    await rowOf(page, 'Keys', 'key of leaver').getByText('revoked').waitFor();
  });
});

describe('principals', () => {
  it('are created and changed', async () => {
    await tab('principals');
    await press(page, 'New principal');
    const dialog = dialogOf(page, 'New principal');
    const groups = 'Platform Team, audit';
    await fill(dialog, { Name: 'Zoe', Id: 'zoe', Organization: 'acme', Groups: groups });
    await fill(dialog, { Organization: 'acmee' });
    await press(dialog, 'Create');
    const asks = dialogOf(page, 'Create all the same?');
    await asks.getByText('There is no organization “acmee” yet: it would be made.').waitFor();
    await submit(asks, 'Cancel');
    await hubAnswers(hub, '/api/v1/principals/zoe', 404);
    await fill(dialog, { Organization: 'acme' });
    await submit(dialog, 'Create');
    await hubHas(hub, '/api/v1/principals/zoe', {
      displayName: 'Zoe',
      organization: 'acme',
      groups: ['Platform Team', 'audit'],
    });
    await choose(page, 'Actions of Zoe', 'Change name and groups …');
    const changed = 'Platform Team, finance';
    await fill(dialogOf(page, 'Change zoe'), { Name: 'Zoe Miller', Groups: changed });
    await submit(dialogOf(page, 'Change zoe'), 'Save');
    await hubHas(hub, '/api/v1/principals/zoe', {
      displayName: 'Zoe Miller',
      groups: ['Platform Team', 'finance'],
    });
    await rowOf(page, 'Principals', 'Zoe Miller').waitFor();
  });

  it('are given a further key', async () => {
    await principalOf('giver');
    await tab('principals');
    await choose(page, 'Actions of giver', 'Give a key …');
    const dialog = dialogOf(page, 'New key');
    expect(await dialog.getByLabel('Principal', { exact: true }).inputValue()).toBe('giver');
    await fill(dialog, { Name: 'second' });
    await submit(dialog, 'Create the key');
    await submit(dialogOf(page, 'The key second'), 'I have stored it');
    const names = (await itemsOf('/api/v1/keys?principal=giver')).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['key of giver', 'second']);
  });

  it('are disabled, enabled again, and deleted', async () => {
    const secret = await principalOf('passing');
    await tab('principals');
    await choose(page, 'Actions of passing', 'Disable …');
    await confirm(page, 'Disable passing', 'Disable');
    await hubAnswers(hub, '/api/v1/me', 401, secret);
    await rowOf(page, 'Principals', 'passing').getByText('disabled').waitFor();
    await choose(page, 'Actions of passing', 'Enable');
    await hubAnswers(hub, '/api/v1/me', 200, secret);
    await rowOf(page, 'Principals', 'passing').getByText('active').waitFor();
    await choose(page, 'Actions of passing', 'Disable …');
    await confirm(page, 'Disable passing', 'Disable');
    await rowOf(page, 'Principals', 'passing').getByText('disabled').waitFor();
    await choose(page, 'Actions of passing', 'Delete …');
    await confirm(page, 'Delete passing', 'Delete');
    await hubAnswers(hub, '/api/v1/principals/passing', 404);
    await rowOf(page, 'Principals', 'passing').waitFor({ state: 'detached' });
  });

  it('can be chosen to do what the hub takes, and nothing else', async () => {
    const token = await issuer.token({ aud: 'hub', sub: 'signer' });
    const signer = (await hub.admin('GET', '/api/v1/me', undefined, token)).body.id as string;
    await hub.admin('POST', `/api/v1/principals/${signer}:disable`);
    await principalOf('closed-in', { organization: 'closed' });
    await hub.admin('POST', '/api/v1/organizations/closed:disable');
    await tab('principals');
    const offered = async (name: string): Promise<string[]> => {
      await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click();
      const items = page.getByRole('menu').locator('[role=menuitem]:not([aria-disabled])');
      await items.first().waitFor();
      const labels = await items.allTextContents();
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      return labels;
    };
    const always = ['Change name and groups …', 'Hand webhooks over …'];
    expect(await offered('admin')).toEqual(['Give a key …', ...always]);
    expect(await offered(signer)).toEqual([...always, 'Enable']);
    expect(await offered('closed-in')).toEqual([...always, 'Disable …', 'Delete …']);
    await choose(page, 'Actions of closed-in', 'Delete …');
    await confirm(page, 'Delete closed-in', 'Delete');
    await hubAnswers(hub, '/api/v1/principals/closed-in', 404);
    await tab('organizations');
    expect(await offered('default')).toEqual(['Change …']);
    expect(await offered('closed')).toEqual(['Change …', 'Enable', 'Delete …']);
  });

  it('hand their webhooks over', async () => {
    const [secret] = [await principalOf('before'), await principalOf('after')];
    const url = 'http://127.0.0.1:9/hook';
    const made = await hub.admin('POST', '/api/v1/push/subscriptions', { url }, secret);
    expect(made.status).toBe(201);
    await tab('principals');
    await choose(page, 'Actions of before', 'Hand webhooks over …');
    const dialog = dialogOf(page, 'Hand over the webhooks of before');
    await fill(dialog, { To: 'after' });
    await submit(dialog, 'Hand over');
    await hubHas(hub, `/api/v1/push/subscriptions/${made.body.id}`, { owner: 'after' });
  });

  it('are filtered by state, group and organization', async () => {
    await principalOf('sorted', { groups: ['sorters'] });
    await tab('principals');
    await page.getByLabel('Group', { exact: true }).fill('sorters');
    await eventually(async () =>
      expect(
        await page.getByRole('region', { name: 'Principals' }).locator('tbody tr').count(),
      ).toBe(1),
    );
    await rowOf(page, 'Principals', 'sorted').waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('disabled');
    await page.getByText('No principal fits these filters').waitFor();
  });
});

describe('organizations', () => {
  it('are created, changed, disabled, enabled and deleted', async () => {
    const path = '/api/v1/organizations/umbrella';
    await tab('organizations');
    await press(page, 'New organization');
    const dialog = dialogOf(page, 'New organization');
    await fill(dialog, { Id: 'umbrella', Name: 'Umbrella', Labels: 'costCenter = 4711' });
    await submit(dialog, 'Create');
    await hubHas(hub, path, { displayName: 'Umbrella', labels: { costCenter: '4711' } });
    await choose(page, 'Actions of umbrella', 'Change …');
    await fill(dialogOf(page, 'Change umbrella'), { Description: 'Rain', Labels: '' });
    await submit(dialogOf(page, 'Change umbrella'), 'Save');
    await hubHas(hub, path, { displayName: 'Umbrella', description: 'Rain' });
    expect((await hub.admin('GET', path)).body.labels).toEqual({});
    await choose(page, 'Actions of umbrella', 'Disable …');
    await confirm(page, 'Disable umbrella', 'Disable');
    await hubHas(hub, path, { state: 'disabled' });
    await rowOf(page, 'Organizations', 'umbrella').getByText('disabled').waitFor();
    await choose(page, 'Actions of umbrella', 'Enable');
    await hubHas(hub, path, { state: 'enabled' });
    await choose(page, 'Actions of umbrella', 'Delete …');
    await confirm(page, 'Delete umbrella', 'Delete');
    await hubAnswers(hub, path, 404);
  });

  it('say why one cannot be deleted', async () => {
    await principalOf('member', { organization: 'kept' });
    await tab('organizations');
    await choose(page, 'Actions of kept', 'Delete …');
    const dialog = dialogOf(page, 'Delete kept');
    await press(dialog, 'Delete');
    await dialog.getByRole('alert').waitFor();
    await submit(dialog, 'Keep as it is');
    await hubAnswers(hub, '/api/v1/organizations/kept', 200);
  });
});

describe('policies', () => {
  const path = '/api/v1/policies/no-contractors';

  it('are checked as one types, with their tests, and saved', async () => {
    await tab('policies');
    await press(page, 'New policy');
    const dialog = dialogOf(page, 'New policy');
    await fill(dialog, { Id: 'no-contractors', Text: 'forbid(principal' });
    await dialog.getByText('It cannot be saved as it is:').waitFor();
    await dialog.getByLabel('Begin with').selectOption('A group may not ask an agent');
    await dialog.getByText('The text can be read.').waitFor();
    await press(dialog, 'Add a test');
    await fill(dialog, {
      'Name of test 1': 'contractors are kept out',
      'Caller is in the groups': 'contractors',
      Agent: 'books',
    });
    await dialog.getByLabel('Must be').selectOption('Allowed');
    await dialog.getByText('These tests would fail:').waitFor();
    await press(dialog, 'Save');
    await dialog.getByRole('alert').waitFor();
    await hubAnswers(hub, path, 404);
    await dialog.getByLabel('Must be').selectOption('Denied');
    await dialog.getByText('The text can be read, and all tests pass.').waitFor();
    await submit(dialog, 'Save');
    await hubHas(hub, path, {
      enabled: true,
      text: expect.stringContaining('Contractors do not see the books.'),
      tests: [
        {
          name: 'contractors are kept out',
          expect: 'deny',
          agentId: 'books',
          caller: { groups: ['contractors'] },
        },
      ],
    });
  });

  it('decide: who may call an agent is shown', async () => {
    const denied = await principalOf('carl', { groups: ['contractors'] });
    const allowed = await principalOf('dora');
    const send = (key: string) => hub.send('hello', { tenant: 'books' }, { key });
    await eventually(() => expect(send(denied)).rejects.toThrow());
    await expect(send(allowed)).resolves.toHaveProperty('task');
    await tab('who-may&agent=books');
    await page.getByText(/^\d+ of \d+ may[.,;]/).waitFor();
    const row = rowOf(page, 'Callers of the agent', /^carl/);
    await row.getByText('may not', { exact: true }).waitFor();
    await row.getByText('Contractors do not see the books.').waitFor();
    // Where the sentence names it, not once more behind it.
    await row.getByRole('link', { name: 'no-contractors', exact: true }).waitFor();
    expect((await row.innerText()).match(/no-contractors/g)).toHaveLength(1);
    await rowOf(page, 'Callers of the agent', /^dora/).getByText('may', { exact: true }).waitFor();
    await page.getByLabel('Question').selectOption('What may a caller ask?');
    await page.getByLabel('Caller', { exact: true }).fill('carl');
    await page.getByText('0 of 2 may.').waitFor();
    await page.getByLabel('Caller', { exact: true }).fill('dora');
    await page.getByText('2 of 2 may.').waitFor();
    const asked = page.waitForRequest(
      (request) =>
        request.url().endsWith('/policies:dry-run') &&
        (request.postData() ?? '').includes('"groups":["Outside Staff","contractors"]'),
    );
    await page.getByLabel('Also in the groups').fill('Outside Staff, contractors');
    await asked;
    await page.getByText('0 of 2 may.').waitFor();
    await page.getByLabel('Also in the groups').fill('');
    await page.getByLabel('Caller', { exact: true }).fill('twin');
    await page.getByText('Which of them?').waitFor();
    expect(await page.getByText('There is no principal').count()).toBe(0);
    // Of a caller that there is not, nothing is said.
    await page.getByLabel('Caller', { exact: true }).fill('dor');
    await page.getByText('There is no principal “dor”').waitFor();
    await page.getByLabel('Caller', { exact: true }).fill('x'.repeat(1500));
    await page.getByText(/^There is no principal “x{1500}”/).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await principalOf('ed', { displayName: 'Ed <b>Ward</b>', groups: ['contractors'] });
    await page.getByLabel('Caller', { exact: true }).fill('ed <b>ward</b>');
    await page.getByText('0 of 2 may.').waitFor();
    await page.getByLabel('Caller', { exact: true }).fill('');
    await page.getByText('Which caller?').waitFor();
  });

  it('let nobody call who is disabled, and show who has no key', async () => {
    await principalOf('gone');
    await hub.admin('POST', '/api/v1/principals/gone:disable');
    await hub.admin('POST', '/api/v1/principals', { id: 'bare', organization: 'acme' });
    await hub.admin('POST', '/api/v1/principals', { id: 'reader', organization: 'acme' });
    await keyOf('reader', { scopes: ['tasks:organization'] });
    await own.signIn('access?tab=who-may&agent=books');
    const reader = rowOf(page, 'Callers of the agent', /^reader/);
    await reader.getByText('may not', { exact: true }).waitFor();
    await reader.getByText(/No valid key or sign-in of the caller has the scope a2a/).waitFor();
    const row = rowOf(page, 'Callers of the agent', /^gone/);
    await row.getByText('disabled', { exact: true }).waitFor();
    await row.getByText(/can call nothing\. By the policies alone it may\./).waitFor();
    const bare = rowOf(page, 'Callers of the agent', /^bare/);
    await bare.getByText('may', { exact: true }).waitFor();
    await bare.getByText('without a key').waitFor();
    await page
      .getByText(/^\d+ of \d+ may, \d+ of them without a key; \d+ callers? can call nothing\./)
      .waitFor();
    await hub.admin('POST', '/api/v1/principals/gone:enable');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await row.getByText('may', { exact: true }).waitFor();
    await hub.admin('POST', '/api/v1/principals/gone:disable');
    await page.getByLabel('Question').selectOption('What may a caller ask?');
    await page.getByLabel('Caller', { exact: true }).fill('gone');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('0 of 2 may; 1 caller can call nothing.').waitFor();
    await hub.admin('DELETE', '/api/v1/principals/gone');
    await hub.admin('POST', '/api/v1/principals/bare:disable');
    await hub.admin('DELETE', '/api/v1/principals/bare');
  });

  it('say of a list that goes on for long that it was not looked at whole', async () => {
    const [one] = await itemsOf('/api/v1/principals?limit=1');
    let pages = 0;
    await page.route('**/api/v1/principals?**', (route) => {
      pages += 1;
      const items = Array.from({ length: 200 }, (_, i) => ({
        ...{ ...one, id: `many-${pages}-${i}`, name: null, state: 'active', holdsA2a: true },
        ...{ disabledAt: null, organizationDisabledAt: null },
      }));
      return route.fulfill({ json: { items, nextCursor: 'more' } });
    });
    await page.route('**/api/v1/policies:dry-run', (route) =>
      route.fulfill({ json: { decision: 'allow', why: '', policies: [] } }),
    );
    const agents = await itemsOf('/api/v1/agents');
    await page.route('**/api/v1/agents?**', (route) =>
      route.fulfill({ json: { items: agents, nextCursor: 'more' } }),
    );
    await own.signIn('access?tab=who-may&agent=books');
    await page
      .getByText('400 of 400 may. Only the first 400 are looked at: there are more.')
      .waitFor({ timeout: 40_000 });
    // Which agents there are cannot be listed: it is named.
    expect(await page.getByLabel('Agent', { exact: true }).evaluate((at) => at.nodeName)).toBe(
      'INPUT',
    );
    await page.unrouteAll();
    await own.signIn('access');
  });

  it('warn of a policy that leaves the skills of an agent open, and show which are', async () => {
    await tab('policies');
    await press(page, 'New policy');
    const dialog = dialogOf(page, 'New policy');
    const text =
      'forbid(principal == Caller::"dora", action == Action::"SendMessage", resource == Agent::"books");';
    await fill(dialog, { Id: 'alone', Text: text });
    await dialog.getByText('Is this what you mean?').waitFor();
    await dialog.getByText(/write "resource in Agent::"books""/).waitFor();
    await submit(dialog, 'Save');
    await hubHas(hub, '/api/v1/policies/alone', { enabled: true });
    await tab('who-may&agent=books');
    const row = rowOf(page, 'Callers of the agent', /^dora/);
    await row.getByText('by skill only', { exact: true }).waitFor();
    await row.getByText(/^Open skills: /).waitFor();
    await page.getByText(/ of them by skill only[.;,]/).waitFor();
    await hub.admin('DELETE', '/api/v1/policies/alone');
  });

  it('warn of whom a policy names that is not there', async () => {
    await tab('policies');
    await press(page, 'New policy');
    const dialog = dialogOf(page, 'New policy');
    await dialog
      .getByLabel('Begin with', { exact: true })
      .selectOption('An organization may not ask an agent');
    const text = dialog.getByLabel('Text', { exact: true });
    const template = await text.inputValue();
    expect(template).toContain('principal in Organization::"acme"');
    await fill(dialog, { Id: 'mistyped', Text: template.replace('"books"', '"bokkeeper"') });
    await dialog.getByText('Agent::"bokkeeper" is not registered.').waitFor();
    await fill(dialog, { Text: template.replace('Agent::', 'Agnt::') });
    await dialog.getByText(/the types are Organization, Group, .*Agent, Skill/).waitFor();
    await fill(dialog, { Text: template.replace('"books"', '"bokkeeper"') });
    await submit(dialog, 'Save');
    await page
      .getByText(/^The policy mistyped is in force\. .*Agent::"bokkeeper" is not registered\./)
      .first()
      .waitFor();
    await hub.admin('DELETE', '/api/v1/policies/mistyped');
  });

  it('decide about the skills of an agent with more than are looked at', async () => {
    const skills = Array.from({ length: 120 }, (_, i) => ({ id: `s${i}` }));
    const wide = await ScriptedAgent.start({ skills });
    await hub.registerAgent(wide.url, { id: 'wide' });
    const send = 'forbid(principal == Caller::"dora", action == Action::"SendMessage", resource';
    const made = await hub.admin('POST', '/api/v1/policies', {
      id: 'wide',
      text: `${send} == Skill::"wide.s5");`,
    });
    expect(made.status).toBe(201);
    await tab('who-may&agent=wide');
    const row = rowOf(page, 'Callers of the agent', /^dora/);
    await row.getByText('may in part', { exact: true }).waitFor();
    await row.getByText(/^Open skills: s0, s1, s2, s3, s4, s6, /).waitFor();
    await row.getByText('20 further skills were not looked at.').waitFor();
    const text = `${send} in Agent::"wide");`;
    await hub.admin('PATCH', '/api/v1/policies/wide', { text });
    await tab('policies');
    await tab('who-may&agent=wide');
    await row.getByText('may not', { exact: true }).waitFor();
    await row.getByText('20 further skills were not looked at.').waitFor();
    await hub.admin('DELETE', '/api/v1/policies/wide');
    await hub.admin('DELETE', '/api/v1/agents/wide');
    await wide.close();
  });

  it('show what their versions changed, and are edited', async () => {
    await tab('policies');
    await page.getByRole('button', { name: 'no-contractors', exact: true }).click();
    const shown = dialogOf(page, 'Policy no-contractors');
    await press(shown, 'Edit');
    const dialog = dialogOf(page, 'Change the policy no-contractors');
    await fill(dialog, { Description: 'Books are for the staff.' });
    await submit(dialog, 'Save');
    await hubHas(hub, path, { description: 'Books are for the staff.', version: 2 });
    await shown.getByText('2 versions').waitFor();
    await shown.getByText(/: description$/).waitFor();
    await press(shown, 'Edit');
    await fill(dialog, { Description: '' });
    await submit(dialog, 'Save');
    await hubHas(hub, path, { description: '', version: 3 });
    await shown.getByText('3 versions').waitFor();
    await submit(shown, 'Close');
  });

  it('keep what their tests ask until it is edited', async () => {
    const of = (team: string, expect: string): JsonObject => ({
      name: team,
      expect,
      agentId: 'books',
      skillId: 'ledger',
      caller: { groups: [team] },
      tags: ['old books', 'paper'],
    });
    const teams = '/api/v1/policies/teams';
    const text = 'forbid(principal in Group::"Second Team", action, resource in Tag::"old books");';
    const tests = [of('First Team', 'allow'), of('Second Team', 'deny')];
    const made = await hub.admin('POST', '/api/v1/policies', { id: 'teams', text, tests });
    expect(made.status).toBe(201);
    await tab('policies');
    await choose(page, 'Actions of the policy teams', 'Edit …');
    const dialog = dialogOf(page, 'Change the policy teams');
    await press(dialog, 'Remove test 1');
    const groups = dialog.getByLabel('Caller is in the groups', { exact: true });
    const tags = dialog.getByLabel('Tags of the skill', { exact: true });
    expect(await groups.inputValue()).toBe('Second Team');
    expect(await tags.inputValue()).toBe('old books, paper');
    await groups.focus();
    await tags.focus();
    await submit(dialog, 'Save');
    await hubHas(hub, teams, { version: 2 });
    expect((await hub.admin('GET', teams)).body.tests).toEqual([tests[1]]);
    await choose(page, 'Actions of the policy teams', 'Edit …');
    await groups.press('End');
    await groups.pressSequentially(', night shift');
    await tags.fill('old books');
    await submit(dialog, 'Save');
    await hubHas(hub, teams, {
      tests: [{ caller: { groups: ['Second Team', 'night shift'] }, tags: ['old books'] }],
    });
    await hub.admin('DELETE', teams);
  });

  it('say that somebody else has changed one meanwhile', async () => {
    await tab('policies');
    await choose(page, 'Actions of the policy no-contractors', 'Edit …');
    const dialog = dialogOf(page, 'Change the policy no-contractors');
    await hub.admin('PATCH', path, { description: 'Somebody else.' });
    await fill(dialog, { Description: 'Mine.' });
    await press(dialog, 'Save');
    await dialog.getByRole('alert').waitFor();
    await submit(dialog, 'Cancel');
    await hubHas(hub, path, { description: 'Somebody else.' });
  });

  it('are put out of force and in force, and deleted', async () => {
    await tab('policies');
    await choose(page, 'Actions of the policy no-contractors', 'Put out of force');
    await hubHas(hub, path, { enabled: false });
    await rowOf(page, 'Policies', 'no-contractors').getByText('out of force').waitFor();
    await choose(page, 'Actions of the policy no-contractors', 'Put in force');
    await hubHas(hub, path, { enabled: true });
    await choose(page, 'Actions of the policy no-contractors', 'Delete …');
    await confirm(page, 'Delete the policy no-contractors', 'Delete');
    await hubAnswers(hub, path, 404);
  });
});

describe('limits', () => {
  it('are set, changed and removed, and hold', async () => {
    const key = await principalOf('limited', { organization: 'small' });
    const path = '/api/v1/limits/small-day';
    await tab('limits');
    await press(page, 'New limit');
    const dialog = dialogOf(page, 'New limit');
    await fill(dialog, { Id: 'small-day', Organization: 'small', 'Tasks a day': '1' });
    await submit(dialog, 'Save');
    await hubHas(hub, path, { organization: 'small', tasksPerDay: 1, openTasks: null });
    const send = () => hub.send('hello', { tenant: 'books' }, { key });
    await send();
    await eventually(() => expect(send()).rejects.toThrow(/a day|tasksPerDay|quota|limit/i));
    await choose(page, 'Actions of the limit small-day', 'Change …');
    await fill(dialogOf(page, 'Change the limit small-day'), { 'Tasks a day': '50' });
    await submit(dialogOf(page, 'Change the limit small-day'), 'Save');
    await hubHas(hub, path, { tasksPerDay: 50 });
    // What somebody else changes meanwhile stays.
    await choose(page, 'Actions of the limit small-day', 'Change …');
    const change = dialogOf(page, 'Change the limit small-day');
    await change.waitFor();
    const by = { organization: 'small', tasksPerDay: 50, openTasks: 40 };
    await hub.admin('PUT', path, by);
    await fill(change, { 'Tasks a day': '60' });
    await submit(change, 'Save');
    await hubHas(hub, path, { tasksPerDay: 60, openTasks: 40 });
    await eventually(() => expect(send()).resolves.toHaveProperty('task'));
    await choose(page, 'Actions of the limit small-day', 'Delete …');
    await confirm(page, 'Delete the limit small-day', 'Delete');
    await hubAnswers(hub, path, 404);
  });
});

describe('limits that are not as they should be', () => {
  it('are refused at the field, and what is there already is not replaced', async () => {
    const path = '/api/v1/limits/wrong-one';
    await hub.admin('POST', '/api/v1/organizations', { id: 'wrong' });
    await hub.admin('PUT', '/api/v1/limits/taken', { organization: 'taken', openTasks: 3 });
    await tab('limits');
    await press(page, 'New limit');
    const dialog = dialogOf(page, 'New limit');
    const isWrong = async (label: string) =>
      expect(await dialog.getByLabel(label, { exact: true }).getAttribute('aria-invalid')).toBe(
        'true',
      );
    const isRefused = async (label: string) => {
      await press(dialog, 'Save');
      await eventually(() => isWrong(label), WAIT_MS);
    };
    await isRefused('Organization');
    await dialog.getByText('Say who or what it is for', { exact: false }).waitFor();
    await dialog.getByText('Limit something', { exact: false }).waitFor();
    // Each is said once, at its field, and not by the names that the API has for them.
    expect(await dialog.getByRole('alert').textContent()).toBe(
      'NOT SENT Something is missing or wrong: see the fields.',
    );
    await fill(dialog, { Organization: 'wrong', 'Open tasks': '1e3' });
    await isRefused('Open tasks');
    await dialog.getByText('Write a number in digits alone, such as 1000.').waitFor();
    await fill(dialog, { Organization: 'wrong', 'Tasks a day': '7', 'Open tasks': '1,000' });
    await isRefused('Id');
    await fill(dialog, { Id: 'wrong-one' });
    await isRefused('Open tasks');
    await hubAnswers(hub, path, 404);
    await fill(dialog, { 'Open tasks': '1000', Budget: '100' });
    await isRefused('Unit of the budget');
    await hubAnswers(hub, path, 404);
    await fill(dialog, { Id: 'taken', Budget: '' });
    await press(dialog, 'Save');
    await dialog
      .getByText(/There is a limit taken already/)
      .first()
      .waitFor();
    await hubHas(hub, '/api/v1/limits/taken', { organization: 'taken', openTasks: 3 });
    await fill(dialog, { Id: 'wrong-one' });
    await submit(dialog, 'Save');
    await hubHas(hub, path, { openTasks: 1000, tasksPerDay: 7, budget: null });
  });

  it('are asked about when who they are for is not there', async () => {
    await tab('limits');
    await press(page, 'New limit');
    const dialog = dialogOf(page, 'New limit');
    await fill(dialog, {
      Id: 'early',
      Principal: 'not-yet',
      Skill: 'books.none',
      'Open tasks': '1',
    });
    const asks = dialogOf(page, 'Save all the same?');
    await press(dialog, 'Save');
    await asks.getByText('There is no principal “not-yet” yet').waitFor();
    await asks.getByText('There is no skill “books.none” yet').waitFor();
    await submit(asks, 'Cancel');
    await hubAnswers(hub, '/api/v1/limits/early', 404);
    await fill(dialog, { Skill: 'books.ledger' });
    await press(dialog, 'Save');
    await asks.getByText('There is no principal “not-yet” yet').waitFor();
    expect(await asks.getByText('skill').count()).toBe(0);
    await submit(asks, 'Save all the same');
    await dialog.waitFor({ state: 'hidden' });
    await hubHas(hub, '/api/v1/limits/early', { principal: 'not-yet', skill: 'books.ledger' });
  });
});

describe('the audit log', () => {
  it('is filtered, and what fits is saved', async () => {
    await principalOf('noted');
    await hub.admin('POST', '/api/v1/principals/noted:disable');
    await tab('audit');
    await page.getByLabel('Action', { exact: true }).fill('principals.disable');
    await page.getByLabel('Resource', { exact: true }).fill('noted');
    await page.getByLabel('Outcome', { exact: true }).selectOption('succeeded');
    const table = page.getByRole('region', { name: 'Entries of the audit log' });
    await eventually(async () => expect(await table.locator('tbody tr').count()).toBe(1));
    await table.getByRole('button', { name: 'principals.disable' }).click();
    const entry = dialogOf(page, 'principals.disable, succeeded');
    await entry.getByText('noted').first().waitFor();
    await submit(entry, 'Close');
    const { name, content } = await saved(page, () => press(page, 'Export as NDJSON'));
    expect(name).toBe('audit.ndjson');
    const lines = content.toString('utf8').trim().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as JsonObject)['id']);
    const wanted = await itemsOf(
      '/api/v1/audit?action=principals.disable&resourceId=noted&outcome=succeeded',
    );
    expect(ids).toEqual(wanted.map(({ id }) => id));
    expect(ids).toHaveLength(1);
  });

  it('is verified: whole, or changed', async () => {
    await tab('audit');
    await press(page, 'Verify the log');
    const dialog = dialogOf(page, 'Is the audit log whole?');
    await dialog.getByText('Nothing was changed, added or removed').waitFor();
    await submit(dialog, 'Close');
    const database = hub.app.get(Database);
    const change = (from: string, to: string) =>
      database.write((tx) =>
        tx.run(`UPDATE audit_events SET action = '${to}' WHERE action = '${from}'`),
      );
    await change('organizations.delete', 'organizations.keep');
    await press(page, 'Verify the log');
    await dialog.getByText('The log was changed. The first broken places:').waitFor();
    await submit(dialog, 'Close');
    await change('organizations.keep', 'organizations.delete');
    await press(page, 'Verify the log');
    await dialog.getByText('Nothing was changed, added or removed').waitFor();
    await submit(dialog, 'Close');
  });
});

describe('consents', () => {
  it('are shown, and ended', async () => {
    const provider = await ConsentServer.start(hub.url);
    try {
      await hub.registerAgent(agent.url, {
        id: 'payroll',
        authentication: {
          type: 'oauth2-authorization-code',
          issuer: provider.url,
          ...CONSENT_CLIENT,
          scopes: ['openid', 'offline_access', 'payroll.read'],
        },
      });
      const key = await principalOf('consenting', { displayName: 'Carla Consenting' });
      const { task } = await hub.send('hi', { tenant: 'payroll' }, { key });
      const link = /http\S+\/oauth\/consent\/[\w-]+/.exec(JSON.stringify(task))![0];
      await new ConsentBrowser().consent(link, 'alice');
      const list = '/api/v1/consents?principal=consenting';
      await hubHas(hub, list, { items: [{ agent: 'payroll' }] });
      await tab('consents&principal=consenting');
      await rowOf(page, 'Consents', 'payroll').getByText('Carla Consenting').waitFor();
      await press(rowOf(page, 'Consents', 'payroll').locator('td').last(), 'End');
      await confirm(page, 'End the consent for payroll', 'End the consent');
      expect(await itemsOf(list)).toEqual([]);
      await page.getByText('No consents').waitFor();
    } finally {
      await provider.close();
    }
  });
});

describe('data requests', () => {
  it('export the data of a principal, and show how far it is', async () => {
    const key = await principalOf('exported');
    const { task } = (await hub.send('keep this', { tenant: 'books' }, { key })) as {
      task: JsonObject;
    };
    await tab('data');
    await press(page, 'Export data');
    const dialog = dialogOf(page, 'Export data');
    await fill(dialog, { Principal: 'exported' });
    await submit(dialog, 'Export');
    const row = rowOf(page, 'List of exports', 'principal exported');
    await row.getByText('waiting').waitFor();
    const { name, content } = await saved(page, () => press(row.locator('td').last(), 'Download'));
    expect(name).toBe('export-exported.ndjson');
    expect(content.toString('utf8')).toContain(String(task['id']));
    await row.getByText('done', { exact: true }).waitFor();
    await row.getByText(/^[1-9]\d* of [1-9]\d* records/).waitFor();
    const [job] = await itemsOf('/api/v1/data/exports');
    expect(job).toMatchObject({ principal: 'exported', state: 'done' });
  });

  it('cancel an export', async () => {
    await principalOf('canceled');
    await tab('data');
    await press(page, 'Export data');
    await fill(dialogOf(page, 'Export data'), { Principal: 'canceled' });
    await submit(dialogOf(page, 'Export data'), 'Export');
    const row = rowOf(page, 'List of exports', 'principal canceled');
    await press(row.locator('td').last(), 'Cancel');
    await row.getByText('canceled', { exact: true }).waitFor();
    const jobs = await itemsOf('/api/v1/data/exports');
    const job = jobs.find(({ principal }) => principal === 'canceled');
    expect(job).toMatchObject({ state: 'canceled' });
  });

  it('delete the data of a principal, keep it from signing in, and lift that', async () => {
    const token = await issuer.token({ aud: 'hub', sub: 'gone' });
    const me = await hub.admin('GET', '/api/v1/me', undefined, token);
    expect(me.status).toBe(200);
    const id = me.body.id as string;
    await hub.send('to be deleted', { tenant: 'books' }, { key: token });
    await tab('data');
    await press(page, 'Delete data');
    const dialog = dialogOf(page, 'Delete data');
    await fill(dialog, { Principal: id, 'The same name once more': 'not it' });
    await press(dialog, 'Delete for good');
    await dialog.getByRole('alert').waitFor();
    await hubAnswers(hub, '/api/v1/me', 200, token);
    await fill(dialog, { 'The same name once more': id });
    await submit(dialog, 'Delete for good');
    const row = rowOf(page, 'List of deletions', id);
    await row.getByText('done', { exact: true }).waitFor();
    await row.getByText(/^[1-9]\d* of [1-9]\d* records/).waitFor();
    await hubAnswers(hub, `/api/v1/principals/${id}`, 404);
    await hubAnswers(hub, '/api/v1/me', 401, token);
    await press(row, `Copy the receipt of principal ${id}`);
    const [job] = await itemsOf('/api/v1/data/deletions');
    expect(job).toMatchObject({ principal: id, state: 'done' });
    expect(await clipboard(page)).toBe(job!['receipt']);
    const blocks = page.getByRole('region', { name: 'List of sign-in blocks' });
    await press(blocks, 'Lift');
    await confirm(page, 'Lift the block', 'Lift');
    expect(await itemsOf('/api/v1/sign-in-blocks')).toEqual([]);
    await hubAnswers(hub, '/api/v1/me', 200, token);
  });
});

describe('what one may not see', () => {
  it('is not shown, and a link to it says which scope is missing', async () => {
    const key = await hub.createKey({ scopes: ['a2a'] });
    const other = await ConsoleBrowser.open(hub.url);
    try {
      const few = await other.signIn('access?tab=keys', key);
      await few.getByText('Keys needs the scope access:organization,').waitFor();
      await few.getByRole('tab', { name: 'Limits' }).waitFor();
      expect(await few.getByRole('tab', { name: 'Keys' }).count()).toBe(0);
      await few.getByRole('tab', { name: 'Consents' }).click();
      await few.getByText('needs the scope').waitFor({ state: 'detached' });
    } finally {
      await other.close();
    }
  });
});

describe('hub keys', () => {
  it('are rotated and revoked', async () => {
    await tab('hub-keys');
    const before = (await itemsOf('/api/v1/signing-keys')).map(({ kid }) => kid);
    await press(page, 'Rotate');
    await confirm(page, 'Rotate the signing key', 'Rotate');
    const after = await itemsOf('/api/v1/signing-keys');
    const made = after.find(({ kid }) => !before.includes(kid))!;
    expect(made).toMatchObject({ state: expect.stringMatching(/next|signing/) });
    const shown = `${String(made['kid']).slice(0, 8)}…`;
    await press(rowOf(page, 'List of signing keys', shown), 'Revoke');
    await confirm(page, 'Revoke the signing key', 'Revoke');
    const now = await itemsOf('/api/v1/signing-keys');
    expect(now.find(({ kid }) => kid === made['kid'])).toMatchObject({ state: 'revoked' });
    await rowOf(page, 'List of signing keys', shown).getByText('revoked').waitFor();
  });
});

describe('levels of the log', () => {
  it('are changed for a while, say until when, and are reset', async () => {
    await tab('log-levels');
    const row = rowOf(page, 'Log levels', /^tasks/);
    await row.getByText('as the configuration says').waitFor();
    await press(row, 'Change tasks');
    const dialog = dialogOf(page, 'Log level of tasks');
    await dialog.getByLabel('Level', { exact: true }).selectOption('debug');
    await dialog.getByLabel('For', { exact: true }).selectOption('28800');
    await submit(dialog, 'Set the level');
    const levelOf = async (): Promise<JsonObject> =>
      ((await hub.admin('GET', '/api/v1/logging')).body as { modules: JsonObject[] }).modules.find(
        ({ module }) => module === 'tasks',
      )!;
    const set = await levelOf();
    expect(set).toMatchObject({ level: 'debug', configured: 'silent' });
    const hours = (Date.parse(set['endsAt'] as string) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(7.9);
    expect(hours).toBeLessThanOrEqual(8);
    await row.getByText('debug', { exact: true }).waitFor();
    await row.getByText(/in 8 hr\., then silent/).waitFor();
    // The others are as they were.
    await rowOf(page, 'Log levels', /^push/).getByText('as the configuration says').waitFor();
    await page.route('**/api/v1/logging', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 503, json: { title: 'Unavailable', detail: 'Not now.' } })
        : route.continue(),
    );
    await press(row, 'Reset tasks');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    await page.unrouteAll();
    await press(row, 'Reset tasks');
    await row.getByText('as the configuration says').waitFor();
    expect(await levelOf()).toMatchObject({ level: 'silent', endsAt: null });
  });

  it('are shown to the scope admin alone', async () => {
    const key = (
      await keyOf('admin-less', {
        principal: undefined,
        organization: 'acme',
        scopes: ['access', 'audit', 'data'],
      })
    )['key'] as string;
    const other = await ConsoleBrowser.open(hub.url);
    try {
      const seen = await other.signIn('access?tab=log-levels', key);
      await seen.getByText('Log levels needs the scope admin').waitFor();
      expect(await seen.getByRole('tab', { name: 'Log levels' }).count()).toBe(0);
    } finally {
      await other.close();
    }
  });
});
