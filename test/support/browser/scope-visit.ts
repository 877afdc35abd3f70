import type { Page, Request, Route } from 'playwright-core';
import { expect } from '@jest/globals';
import { ADMIN_ROUTES } from '../../e2e/access-matrix/admin-routes.js';
import { eventually } from '../eventually.js';
import type { ConsoleBrowser } from './console.js';

/** How long a page has to ask for what it shows, and then to show it. */
const SETTLE_MS = 30;
const ANSWER_MS = 10_000;
const PRESS_MS = 400;
/** Controls of one page that are tried at most. */
const MOST_CONTROLS = 60;
/** What the hub answers without changing anything. */
const READS = /:(dry-run|validate|check|verify)$/;
const LACKING = /which your key or sign-in does not have/;
const A2A_READS = /"method":"(Get|List)/;

const OPENINGS = ADMIN_ROUTES.map(({ method, path, opening }) => ({
  method,
  opening,
  // Of a form with nothing in it, an id is empty.
  path: new RegExp(`^${path.replaceAll('X', '[^/:]*')}$`),
}));

/** The scopes that open a request of the console, `admin` aside; undefined when the matrix of access does not know it. */
function openingOf(method: string, path: string): readonly string[] | undefined {
  if (path === '/a2a') return ['a2a'];
  if (path === '/health/details') return [];
  return OPENINGS.find((each) => each.method === method && each.path.test(path))?.opening;
}

/**
 * Goes through the console as whoever has these scopes: each page of the navigation, each tab, each link that is
 * shown, and presses each button and each entry of a menu. What would change something is looked at and not sent.
 */
export class ScopeVisit {
  /** What was called without a scope for it, and where. */
  readonly refused = new Set<string>();
  /** The pages and tabs that were seen. */
  readonly visited: string[] = [];
  /** How many controls were pressed. */
  pressed = 0;
  private here = '';
  /** Requests without an answer so far. */
  private readonly open = new Set<Request>();

  constructor(
    private readonly own: ConsoleBrowser,
    private readonly scopes: readonly string[],
  ) {}

  async start(key: string): Promise<void> {
    const { page } = this.own;
    page.on('request', (request) => {
      if (!request.headers()['accept']?.includes('text/event-stream')) this.open.add(request);
    });
    page.on('requestfinished', (request) => this.open.delete(request));
    page.on('requestfailed', (request) => this.open.delete(request));
    page.on('response', (response) => {
      if (response.status() === 403) this.note(response.request().method(), response.url());
    });
    await page.route(/\/(api\/v1\/|a2a$|health\/)/, (route) => this.look(route));
    await this.own.signIn('', key);
  }

  /** Visits everything that is shown, from the navigation on. */
  async all(): Promise<void> {
    await this.settled();
    const open = await this.links('nav');
    for (let at = open.shift(); at !== undefined; at = open.shift()) {
      this.here = at;
      await this.goTo(at);
      this.visited.push(at);
      const tabs = await this.tabs(at);
      for (const link of [...(await this.links('main')), ...tabs]) {
        if (![...this.visited, ...open].some((each) => kind(each) === kind(link))) open.push(link);
      }
      // The tabs have an address each.
      if (tabs.length > 0 && !tabs.includes(at)) continue;
      await this.pressAll(at);
    }
  }

  private async look(route: Route): Promise<void> {
    const request = route.request();
    const method = request.method();
    const { pathname } = new URL(request.url());
    const opening = openingOf(method, pathname);
    const isOpen = opening === undefined || this.scopes.some((scope) => opening.includes(scope));
    if (opening === undefined) this.refused.add(`unknown to the matrix: ${method} ${pathname}`);
    if (!isOpen) this.note(method, request.url());
    const isRead =
      method === 'GET' || READS.test(pathname) || A2A_READS.test(request.postData() ?? '');
    if (isRead) return route.continue();
    return route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({ type: 'urn:a2a-hub:problem:conflict', detail: 'Only looked at.' }),
    });
  }

  private note(method: string, url: string): void {
    this.refused.add(`${this.here}: ${method} ${new URL(url).pathname}`);
  }

  private get page(): Page {
    return this.own.page;
  }

  private async goTo(at: string): Promise<void> {
    await this.page.evaluate(
      `history.pushState({}, '', ${JSON.stringify(at)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await this.settled();
    const isLacking = (await this.page.getByText(LACKING).count()) > 0;
    if (isLacking) this.refused.add(`a link to ${at}, which needs another scope`);
  }

  /** Once the page has what it asks for. */
  private async settled(): Promise<void> {
    await this.page.waitForTimeout(SETTLE_MS);
    await eventually(() => expect(this.open.size).toBe(0), ANSWER_MS);
    await this.page.locator('main .spinner').first().waitFor({ state: 'detached' });
    await this.page.waitForTimeout(SETTLE_MS);
  }

  private links(within: string): Promise<string[]> {
    return this.page.evaluate<string[]>(
      `[...document.querySelectorAll('${within} a[href^="/console"]')].map((a) => a.getAttribute('href'))`,
    );
  }

  /** The addresses of the tabs of the page, which are buttons. */
  private async tabs(at: string): Promise<string[]> {
    const found: string[] = [];
    // Those within a tab are not in the address.
    const tabs = this.page.locator('main [role=tablist]').first().getByRole('tab');
    const count = await tabs.count();
    for (let i = 0; i < count; i++) {
      await tabs.nth(i).click();
      await this.settled();
      if (!found.includes(this.path())) found.push(this.path());
    }
    await this.goTo(at);
    return found;
  }

  private path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  private async pressAll(at: string): Promise<void> {
    const seen = new Set<string>();
    const buttons = this.page.locator('main button:not([role=tab], .filter-link):enabled');
    for (let i = 0; i < Math.min(await buttons.count(), MOST_CONTROLS); i++) {
      const button = buttons.nth(i);
      if (!(await button.isVisible())) continue;
      const name =
        (await button.getAttribute('aria-label')) ?? (await button.textContent()) ?? String(i);
      // Each row has the same ones.
      const action = name.replace(/ (of|the task) .*/, '').replace(/\d+/g, '0');
      if (seen.has(action)) continue;
      seen.add(action);
      await this.press(() => button.click({ timeout: PRESS_MS }));
      const items = await this.page.getByRole('menuitem').count();
      await this.closeAll();
      for (let item = 0; item < items; item++) {
        await this.press(async () => {
          await button.click({ timeout: PRESS_MS });
          await this.page.getByRole('menuitem').nth(item).click({ timeout: PRESS_MS });
        });
        await this.submitAny();
        await this.closeAll();
      }
      if (this.path() !== at) await this.goTo(at);
    }
  }

  private async press(click: () => Promise<void>): Promise<void> {
    // What the page took away meanwhile is not there to be pressed.
    await click().catch(() => undefined);
    this.pressed++;
    await this.settled();
    if ((await this.page.getByRole('menuitem').count()) === 0) await this.submitAny();
  }

  /** Presses what a dialog is for, as far as it can be pressed with nothing filled in. */
  private async submitAny(): Promise<void> {
    const action = this.page.getByRole('dialog').getByRole('button').last();
    if ((await action.count()) === 0) return;
    await action.click({ timeout: PRESS_MS }).catch(() => undefined);
    await this.settled();
  }

  private async closeAll(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      if ((await this.page.locator('[role=dialog], [role=menu]').count()) === 0) return;
      await this.page.keyboard.press('Escape');
      await this.page.waitForTimeout(SETTLE_MS);
    }
  }
}

/** What an address is of, whichever task or agent it names: the page and its tab. */
function kind(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://hub');
  const path = pathname
    .replace(
      /\/(tasks|tasks\/contexts|agents|routing\/rules|routing\/composite-skills)\/(?!new|contexts)[^/]+/,
      '/$1/X',
    )
    .replace(/\/$/, '');
  return `${path}?${searchParams.get('tab') ?? ''}`;
}
