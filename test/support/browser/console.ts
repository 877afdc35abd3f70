import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { ADMIN_KEY } from '../app.js';
import { eventually } from '../eventually.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTH = 1280;
const HEIGHT = 800;
/** How long a test waits for what it looks for: pages read again every 10 s, and a busy machine takes its time. */
const TIMEOUT_MS = 30_000;

/** What axe finds of this weight fails a test. */
const SERIOUS = new Set(['serious', 'critical']);

/** Those that are open: of each, `./environment.mjs` shows what it has when a test fails. */
const opened: Set<ConsoleBrowser> = ((globalThis as Record<symbol, unknown>)[
  Symbol.for('a2a-hub.test.pages')
] = new Set<ConsoleBrowser>()) as Set<ConsoleBrowser>;

/** A browser that has the console open, as one person has it: cookies and memory of its own. */
export class ConsoleBrowser {
  /** What the pages wrote to the browser's console as an error, and what the policy of the page kept away. */
  readonly faults: string[] = [];
  /** The origins that were called. */
  readonly origins = new Set<string>();

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    readonly hubUrl: string,
  ) {}

  static async open(
    hubUrl: string,
    options: { dark?: boolean; width?: number } = {},
  ): Promise<ConsoleBrowser> {
    const browser = await chromium.connect(process.env['TEST_BROWSER']!);
    const context = await browser.newContext({
      viewport: { width: options.width ?? WIDTH, height: HEIGHT },
      colorScheme: options.dark === true ? 'dark' : 'light',
      reducedMotion: 'reduce',
      // That of the machine may be one that no browser of a person has.
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
      acceptDownloads: true,
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const own = new ConsoleBrowser(browser, page, hubUrl);
    opened.add(own);
    page.on('console', (message) => {
      if (message.type() === 'error') own.faults.push(message.text());
    });
    page.on('pageerror', (error) => own.faults.push(String(error)));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http')) own.origins.add(url.origin);
    });
    return own;
  }

  /** Opens a page of the console by its address and signs in with a key. */
  async signIn(path = '', key = ADMIN_KEY): Promise<Page> {
    await this.page.goto(`${this.hubUrl}/console/${path}`);
    await this.page.getByLabel('API key or access token').fill(key);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    // The page of the sign-in has a heading too, and is there for a moment more.
    await this.heading().waitFor();
    return this.page;
  }

  /**
   * Goes to another page as a link of the console does, without loading it anew, once nothing is being saved any more; resolves
   * when it has what it shows.
   */
  async goTo(path: string, heading: string): Promise<void> {
    await eventually(async () =>
      expect(await this.page.locator('button[aria-busy=true]').count()).toBe(0),
    );
    const to = JSON.stringify(`/console/${path}`);
    await this.page.evaluate(
      `history.pushState({}, '', ${to}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await this.heading(heading).waitFor();
    const spinner = this.page.locator('#content .spinner');
    await eventually(async () => expect(await spinner.count()).toBe(0));
  }

  /** That of the page one is on: also when it is hidden from a screen reader, as behind a dialog that the page opens at once. */
  private heading(name?: string): Locator {
    return this.page
      .locator('#content')
      .getByRole('heading', { level: 1, includeHidden: true, ...(name !== undefined && { name }) });
  }

  /**
   * Follows a link of the page that may have found out already that it has to sign in again: then its dialog is above the link,
   * and hides it from the mouse.
   */
  async followBehindDialog(name: string): Promise<void> {
    const link = this.page.getByRole('link', { name, includeHidden: true });
    await link.dispatchEvent('click');
  }

  /** What axe finds serious on the page as it is: empty when nothing. */
  async axe(): Promise<string[]> {
    await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate<{ violations: Violation[] }>('axe.run()');
    return violations
      .filter(({ impact }) => SERIOUS.has(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  }

  /** Ends its pages; the browser goes on for others. */
  async close(): Promise<void> {
    opened.delete(this);
    await this.browser.close();
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
