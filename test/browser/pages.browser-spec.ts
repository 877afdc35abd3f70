import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const NARROW_PX = 390;
/** Every page, with its tabs, and what its heading says. */
const PAGES = [
  ['', 'Overview'],
  ['tasks', 'Tasks'],
  ['agents', 'Agents'],
  ['agents/new', 'Register an agent'],
  ['agents/scripted', 'Scripted'],
  ['agents/scripted?tab=card', 'Scripted'],
  ['agents/scripted?tab=settings', 'Scripted'],
  ['routing/rules', 'Routing'],
  ['routing/rules/new', 'New rule'],
  ['routing/composite-skills', 'Routing'],
  ['routing/dry-run', 'Routing'],
  ['webhooks?tab=receivers', 'Webhooks'],
  ['webhooks?tab=webhooks', 'Webhooks'],
  ['webhooks?tab=subscriptions', 'Webhooks'],
  ['webhooks?tab=deliveries', 'Webhooks'],
  ['webhooks?tab=dead-letters', 'Webhooks'],
  ['webhooks?tab=auth-profiles', 'Webhooks'],
  ['access?tab=principals', 'Access'],
  ['access?tab=keys', 'Access'],
  ['access?tab=organizations', 'Access'],
  ['access?tab=policies', 'Access'],
  ['access?tab=who-may', 'Access'],
  ['access?tab=limits', 'Access'],
  ['access?tab=audit', 'Access'],
  ['access?tab=data', 'Access'],
  ['access?tab=hub-keys', 'Access'],
  ['access?tab=log-levels', 'Access'],
  ['playground', 'Playground'],
  // What an address says and no page knows.
  ['agents?utm=1&tab=nonsense', 'Agents'],
  ['agents/scripted?range=nonsense&tab=nonsense', 'Scripted'],
  ['tasks?since=nonsense&state=nonsense&reason=nonsense&utm=1', 'Tasks'],
];

let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start()]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
});

afterAll(() => Promise.all([hub.close(), agent.close()]));

describe.each([
  ['on a wide screen', {}],
  ['in dark colours on a narrow one', { dark: true, width: NARROW_PX }],
])('the pages %s', (_where, look) => {
  let own: ConsoleBrowser;

  beforeAll(async () => {
    own = await ConsoleBrowser.open(hub.url, look);
    await own.signIn('playground');
  });

  afterAll(() => own.close());

  it.each(PAGES)('/%s', async (path, title) => {
    const { page } = own;
    own.faults.length = 0;
    await own.goTo(path, title);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(own.faults).toEqual([]);
    expect(await own.axe()).toEqual([]);
    const beyond = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(beyond).toBeLessThanOrEqual(0);
    const tabs = page.getByRole('tab');
    const ends = await tabs.evaluateAll((all) =>
      all.map((tab) => tab.getBoundingClientRect().right),
    );
    expect(Math.max(0, ...ends)).toBeLessThan(page.viewportSize()!.width);
    expect([...own.origins]).toEqual([hub.url]);
  });
});

describe('what a newcomer does', () => {
  it('registers an agent, sends it a message, and reads why it went there', async () => {
    const second = await ScriptedAgent.start();
    const own = await ConsoleBrowser.open(hub.url);
    try {
      const page = await own.signIn('agents/new');
      await page.getByRole('textbox', { name: 'Address of the agent' }).fill(second.url);
      await page.getByRole('button', { name: 'Look at it' }).click();
      await page.getByRole('heading', { name: /^2\. This is/ }).waitFor();
      await page.getByRole('textbox', { name: 'Id', exact: true }).fill('second');
      await page.getByRole('button', { name: /^Register/ }).click();
      await page.getByRole('link', { name: 'Try it' }).click();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Good morning.');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('completed').first().waitFor();
      await page.getByRole('link', { name: 'Tasks', exact: true }).click();
      await page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Why' }).waitFor();
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      expect(second.callsOf('SendStreamingMessage').length).toBe(1);
      expect(own.faults).toEqual([]);
      expect(await own.axe()).toEqual([]);
    } finally {
      await own.close();
      await second.close();
    }
  });
});
