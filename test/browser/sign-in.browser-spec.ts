import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { rowOf } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';

let hub: Hub;
let own: ConsoleBrowser;

beforeAll(async () => {
  hub = await startHub();
});

afterAll(() => hub.close());

beforeEach(async () => {
  own = await ConsoleBrowser.open(hub.url);
});

afterEach(() => own.close());

describe('the sign-in with a key', () => {
  it('shows the page that was asked for, and nothing of any other origin', async () => {
    const page = await own.signIn('agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/agents');
    expect([...own.origins]).toEqual([hub.url]);
    expect(own.faults).toEqual([]);
    expect(await own.axe()).toEqual([]);
  });

  it('says why a key is refused', async () => {
    await own.page.goto(`${hub.url}/console`);
    await own.page.getByLabel('API key or access token').fill('a-key-that-there-is-not-0123456789');
    await own.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const alert = own.page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('UNAUTHENTICATED');
    expect(await own.axe()).toEqual([]);
  });

  it('says of what no header carries that it is no key', async () => {
    const { page } = own;
    await page.goto(`${hub.url}/console/`);
    await page.getByLabel('API key or access token').fill('hub_abc…');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('Copy it whole').waitFor();
  });

  it('keeps the key in the memory of the page alone', async () => {
    const page = await own.signIn();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toContain(ADMIN_KEY);
    await page.reload();
    await page.getByLabel('API key or access token').waitFor();
  });

  it('shows only what the key may do', async () => {
    const key = await hub.createKey({ name: 'reader', scopes: ['a2a', 'push'] });
    const page = await own.signIn('', key);
    const entries = await page.getByRole('navigation').getByRole('link').allTextContents();
    expect(entries.map((each) => each.trim())).toEqual([
      'Overview',
      'Routing',
      'Webhooks',
      'Access',
      'Playground',
    ]);
  });

  it.each([
    ['a2a', 'Playground'],
    ['audit', 'Access'],
    ['push', 'Overview'],
  ])('begins for the scope %s at %s', async (scope, title) => {
    const page = await own.signIn('', await hub.createKey({ name: scope, scopes: [scope] }));
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(own.faults).toEqual([]);
  });

  it('asks again above the page when the key is revoked, and goes on there', async () => {
    const made = await hub.admin('POST', '/api/v1/keys', { name: 'leaving', scopes: ['admin'] });
    const page = await own.signIn('agents', made.body.key as string);
    await hub.admin('DELETE', `/api/v1/keys/${made.body.id}`);
    await own.followBehindDialog('Webhooks');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    expect(await own.axe()).toEqual([]);
    await dialog.getByLabel('API key or access token').fill(ADMIN_KEY);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/console/webhooks');
  });

  it('shows nothing of what the one before has read to somebody else who signs in', async () => {
    const one = await hub.admin('POST', '/api/v1/keys', { name: 'passing', scopes: ['access'] });
    const two = await hub.createKey({ name: 'two', organization: 'other', scopes: ['access'] });
    const page = await own.signIn('access?tab=keys', one.body.key as string);
    await rowOf(page, 'Keys', 'passing').waitFor();
    // What is read from now on does not come: what is shown was there before.
    await page.route('**/api/v1/keys?**', (route) =>
      route.request().headers()['authorization'] === `Bearer ${two}` ? undefined : route.continue(),
    );
    await hub.admin('DELETE', `/api/v1/keys/${one.body.id}`);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('API key or access token').fill(two);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('navigation').getByText('other', { exact: true }).waitFor();
    expect(await rowOf(page, 'Keys', 'passing').count()).toBe(0);
  });

  it('forgets everything on signing out', async () => {
    const page = await own.signIn('tasks');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const key = page.getByLabel('API key or access token');
    await key.waitFor();
    expect(await key.inputValue()).toBe('');
    const sent: string[] = [];
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined) sent.push(authorization);
    });
    await page.evaluate(
      "history.pushState({}, '', '/console/agents'); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await key.fill('another-key-0123456789');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(sent).toEqual(['Bearer another-key-0123456789']);
  });
});
