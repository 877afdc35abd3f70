// `node scripts/screenshots.mjs`: pictures of the main pages of the console for docs/images, taken of the demo's hub after its
// work. Needs what `npm run test:browser` needs.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findBrowser } from '../test/support/browser/find-browser.mjs';
import { stopProcesses } from './demo/processes.mjs';
import { showEverything, startDemo } from './demo/run-demo.mjs';
import { ensureBuilt } from './ensure-built.mjs';

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const PAGES = ['', 'tasks', 'agents', 'routing', 'webhooks', 'access', 'playground'];
/** For the data of a page and what is drawn of it. */
const SETTLE_MS = 1500;

ensureBuilt();
const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-screenshots-'));
const children = [];
let receiver;
try {
  const demo = await startDemo({ directory, port: 0, children });
  receiver = demo.receiver;
  await showEverything(demo);
  await takePictures(demo);
} finally {
  await stopProcesses(children);
  receiver?.close();
  await rm(directory, { recursive: true, force: true });
}

async function takePictures({ hub, adminKey }) {
  await mkdir(IMAGES, { recursive: true });
  const { executablePath, env } = await findBrowser();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: ['--no-sandbox'],
  });
  try {
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.newPage({
        viewport: { width: 1360, height: 850 },
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en-US',
      });
      await page.goto(`${hub.url}/console/`);
      await page.getByLabel('API key or access token').fill(adminKey);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      const shoot = async (name) => {
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        await new Promise((done) => setTimeout(done, SETTLE_MS));
        await page.screenshot({ path: join(IMAGES, `console-${name}-${colorScheme}.png`) });
      };
      for (const path of PAGES) {
        await page
          .getByRole('navigation', { name: 'Pages' })
          .getByRole('link', { name: path === '' ? 'Overview' : path, exact: false })
          .click();
        await shoot(path === '' ? 'overview' : path);
        if (path !== 'tasks') continue;
        await page.getByRole('region').getByRole('link').first().click();
        await shoot('task');
      }
      await page.close();
    }
  } finally {
    await browser.close();
  }
}
