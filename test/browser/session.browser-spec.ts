import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { CONSOLE_CLIENT, ConsoleProvider } from '../support/console-provider.js';

const AUDIENCE = 'http://hub.example';

let provider: ConsoleProvider;
let hub: Hub;
let own: ConsoleBrowser;

beforeAll(async () => {
  provider = await ConsoleProvider.start();
  hub = await startHub({
    config: {
      auth: {
        issuers: [
          {
            id: 'company',
            issuer: provider.url,
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
});

afterAll(() => Promise.all([hub?.close(), provider?.close()]));

beforeEach(async () => {
  own = await ConsoleBrowser.open(hub.url);
});

afterEach(() => own.close());

/** Goes through the provider's own pages: any name and password sign in there. */
async function signInAs(name: string, path: string): Promise<void> {
  const { page } = own;
  await page.goto(`${hub.url}/console/${path}`);
  await page.getByRole('link', { name: 'Sign in with Acme staff' }).click();
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
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
    await own.page.getByRole('button', { name: 'Sign out' }).click();
    await own.page.waitForURL((url) => !url.pathname.startsWith('/console/agents'));
    await own.page.goto(`${hub.url}/console/agents`);
    await own.page.getByRole('link', { name: 'Sign in with Acme staff' }).waitFor();
  });

  it('says so above the page when the session has ended', async () => {
    await signInAs('carla', 'tasks');
    await own.page.context().clearCookies();
    await own.followBehindDialog('Agents');
    await own.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    expect(new URL(own.page.url()).pathname).toBe('/console/agents');
  });
});

describe('a lost connection', () => {
  it('is said, and ends by itself when the hub is there again', async () => {
    const page = await own.signIn('tasks');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Agents' }).click();
    const said = page.getByText('No connection');
    await said.waitFor();
    expect(await said.count()).toBe(1);
    await page.context().setOffline(false);
    await said.waitFor({ state: 'detached' });
  });
});
