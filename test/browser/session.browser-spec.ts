import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { CONSOLE_CLIENT, ConsoleProvider } from '../support/console-provider.js';

const AUDIENCE = 'http://hub.example';

let provider: ConsoleProvider;
let hub: Hub;
let own: ConsoleBrowser;

beforeAll(async () => {
  provider = await ConsoleProvider.start();
  hub = await hubOf(provider);
});

afterAll(() => Promise.all([hub?.close(), provider?.close()]));

/** A hub that takes the sign-ins of this provider. */
function hubOf({ url: issuer }: ConsoleProvider): Promise<Hub> {
  return startHub({
    config: {
      auth: {
        issuers: [
          {
            id: 'company',
            issuer,
            organization: 'acme',
            audiences: [AUDIENCE],
            grants: { everyone: [], scopes: { 'hub.operate': ['admin'] } },
          },
        ],
      },
      console: {
        signIn: [
          {
            issuer: 'company',
            name: 'Acme staff',
            resource: AUDIENCE,
            scopes: ['openid', 'offline_access', 'hub.operate'],
            ...CONSOLE_CLIENT,
          },
        ],
      },
    },
  });
}

beforeEach(async () => {
  own = await ConsoleBrowser.open(hub.url);
});

afterEach(() => own.close());

/** Goes through the provider's own pages: any name and password sign in there. */
async function signInAs(name: string, path: string, at = hub): Promise<void> {
  const { page } = own;
  await page.goto(`${at.url}/console/${path}`);
  await page.getByRole('link', { name: 'Sign in with Acme staff' }).click();
  await passProvider(page, name);
}

async function passProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** What the hub answers to what this browser's cookies are of. */
async function asSession(at: Hub): Promise<() => Promise<number>> {
  const cookies = await own.page.context().cookies(at.url);
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return async () => {
    const headers = { Cookie, 'X-A2A-Hub-Console': '1' };
    return (await fetch(`${at.url}/api/v1/me`, { headers })).status;
  };
}

describe('the sign-in at a provider', () => {
  it('comes back to the page that was asked for, and lasts when it is loaded again', async () => {
    await signInAs('anna', 'tasks?state=working');
    const at = new URL(own.page.url());
    expect(at.pathname + at.search).toContain('/console/tasks?');
    expect(await own.page.evaluate('document.cookie')).toBe('');
    await own.page.reload();
    await own.page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await own.axe()).toEqual([]);
  });

  it('ends with the sign-out, at the hub too', async () => {
    await signInAs('bert', 'agents');
    const answer = await asSession(hub);
    expect(await answer()).toBe(200);
    await own.page.getByRole('button', { name: 'Sign out' }).click();
    await own.page.waitForURL((url) => url.origin === provider.url);
    expect(await answer()).toBe(401);
    await own.page.goto(`${hub.url}/console/agents`);
    await own.page.getByRole('link', { name: 'Sign in with Acme staff' }).waitFor();
  });

  it('ends with the sign-out where the provider has no place for that', async () => {
    const other = await ConsoleProvider.start({ logout: false });
    const at = await hubOf(other);
    try {
      await signInAs('dora', 'agents', at);
      const answer = await asSession(at);
      expect(await answer()).toBe(200);
      await own.page.getByRole('button', { name: 'Sign out' }).click();
      await own.page.getByRole('link', { name: 'Sign in with Acme staff' }).waitFor();
      expect(await answer()).toBe(401);
      // Not above a page that took the session again.
      expect(await own.page.getByRole('dialog').count()).toBe(0);
      await own.page.getByText('Sign in to see agents, tasks and webhooks.').waitFor();
    } finally {
      await Promise.all([at.close(), other.close()]);
    }
  });

  it('goes on when the hub could not be reached for the sign-out', async () => {
    await signInAs('emil', 'agents');
    await own.page.route('**/console/sign-out', (route) => route.abort());
    await own.page.getByRole('button', { name: 'Sign out' }).click();
    await own.page.getByText('you are signed in still').first().waitFor();
    await own.page.unroute('**/console/sign-out');
    await own.page.getByRole('button', { name: 'Sign out' }).click();
    await own.page.waitForURL((url) => url.origin === provider.url);
  });

  it('says so above the page when the session has ended', async () => {
    await signInAs('carla', 'tasks');
    await own.page.context().clearCookies();
    await own.followBehindDialog('Agents');
    await own.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    expect(new URL(own.page.url()).pathname).toBe('/console/agents');
  });

  it('begins anew in another tab, and what was typed is still there', async () => {
    await signInAs('fred', 'playground');
    const { page } = own;
    const message = page.getByRole('textbox', { name: 'Message', exact: true });
    await message.fill('half a question');
    await page.context().clearCookies();
    await own.followBehindDialog('Agents');
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      again.getByRole('link', { name: 'Sign in with Acme staff' }).click(),
    ]);
    await passProvider(tab, 'fred');
    await again.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/console/agents');
    await own.goTo('playground', 'Playground');
    expect(await message.inputValue()).toBe('half a question');
    await tab.close();
  });

  it('ends a page that was left open with the session of somebody else', async () => {
    await signInAs('hans', 'agents');
    const context = own.page.context();
    const left = await context.newPage();
    await left.goto(`${hub.url}/console/playground`);
    const nameOf = (page: Page) => page.locator('.who strong').getAttribute('title');
    const hans = await nameOf(left);
    const message = left.getByRole('textbox', { name: 'Message', exact: true });
    await message.fill('a question of Hans');
    // As a tab in the background, it does not see what happens meanwhile.
    await left.route('**/*', (route) => route.abort());
    await context.clearCookies();
    await signInAs('ines', 'agents');
    const ines = await nameOf(own.page);
    expect(ines).not.toBe(hans);
    const names: (string | undefined)[] = [];
    left.on('response', (answer) => {
      if (answer.url().endsWith('/api/v1/me') && answer.ok())
        names.push(answer.request().headers()['x-a2a-hub-console-caller']);
    });
    await left.unrouteAll();
    await left.getByRole('link', { name: 'Agents' }).dispatchEvent('click');
    await left.locator(`.who strong[title="${ines}"]`).waitFor();
    await left.getByRole('dialog').waitFor({ state: 'detached' });
    await left.getByRole('link', { name: 'Playground' }).click();
    expect(await message.inputValue()).toBe('');
    // Nothing was read in her name for the page that was his.
    expect(new Set(names)).toEqual(new Set([ines]));
  });

  it('is taken above the page of a key that has ended, once it is another than was there', async () => {
    const made = await hub.admin('POST', '/api/v1/keys', { name: 'ending', scopes: ['admin'] });
    await signInAs('gina', 'agents');
    const context = own.page.context();
    const page = await context.newPage();
    // The session of this browser is not looked for.
    await page.route('**/console/session', (route) =>
      route.fulfill({ json: { signIn: [], session: null, fault: null } }),
    );
    await page.goto(`${hub.url}/console/agents`);
    await page.getByLabel('API key or access token').fill(made.body.key as string);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    const nameOfCaller = page.locator('.who strong');
    const before = await nameOfCaller.getAttribute('title');
    await page.unrouteAll();
    const looked = page.waitForResponse((answer) => answer.url().endsWith('/console/session'));
    await hub.admin('DELETE', `/api/v1/keys/${made.body.id}`);
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    const link = again.getByRole('link', { name: 'Sign in with Acme staff' });
    await link.waitFor();
    // That was there before, for whoever has signed in there.
    await (await looked).finished();
    await page.waitForResponse((answer) => answer.url().endsWith('/console/session'));
    expect(await nameOfCaller.getAttribute('title')).toBe(before);
    await context.clearCookies({ name: /^_/ });
    const [tab] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await passProvider(tab, 'gina');
    await again.waitFor({ state: 'detached' });
    expect(await nameOfCaller.getAttribute('title')).not.toBe(before);
  });
});

describe('a lost connection', () => {
  it('is said, and ends by itself when the hub is there again', async () => {
    const page = await own.signIn('tasks');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    const failed = () =>
      page.waitForEvent('requestfailed', {
        predicate: (request) => new URL(request.url()).pathname === '/api/v1/agents',
      });
    await page.context().setOffline(true);
    const first = failed();
    await page.getByRole('link', { name: 'Agents' }).click();
    await first;
    // When it is tried again, the page has shown what it makes of the first failure.
    await failed();
    const said = page.getByText('No connection');
    await said.waitFor();
    expect(await said.count()).toBe(1);
    await page.context().setOffline(false);
    await said.waitFor({ state: 'detached' });
  });
});
