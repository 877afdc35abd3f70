import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ActivityRecorder } from '../../src/observability/activity/activity-recorder.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

let hub: Hub;
let agent: ScriptedAgent;
let sink: WebhookSink;
let own: ConsoleBrowser;
let page: Page;

/** A hub in trouble: an agent that fails, and a receiver that is away. */
beforeAll(async () => {
  [agent, sink] = await Promise.all([ScriptedAgent.start(), WebhookSink.start()]);
  hub = await startHub({ config: { push: { breaker: { failures: 1 } } } });
  await hub.registerAgent(agent.url, { id: 'broken' });
  agent.handlers['*'] = (call) => call.send(400, 'no', 'text/plain');
  sink.answer = 500;
  await hub.admin('POST', '/api/v1/push/subscriptions', { url: sink.url('/away') });
  await hub.send('hello', { tenant: 'broken' }, { key: ADMIN_KEY });
  await eventually(async () => {
    await hub.app.get(ActivityRecorder).flush();
    const { body } = await hub.admin('GET', '/api/v1/overview');
    expect(body.receivers).toMatchObject([{ origin: sink.url('').replace(/\/$/, '') }]);
    expect(body.tasks.errors).not.toEqual([]);
  });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn();
});

afterAll(() => Promise.all([own, hub, agent, sink].map((each) => each?.close())));

async function linksOfOverview(): Promise<string[]> {
  await own.goTo('', 'Overview');
  await page.getByRole('heading', { name: 'Receivers in trouble' }).waitFor();
  const links = await page.getByRole('main').getByRole('link').all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  return [...new Set(paths.map((path) => path!.replace('/console/', '')))];
}

it('leads to pages that show what it speaks of, none of which is refused', async () => {
  own.faults.length = 0;
  const links = await linksOfOverview();
  expect(links.length).toBeGreaterThan(8);
  for (const link of links) {
    await own.signIn(link);
    await eventually(async () => expect(await page.locator('.spinner').count()).toBe(0));
    const alerts = await page.getByRole('alert').allTextContents();
    expect([link, alerts]).toEqual([link, []]);
  }
  expect(own.faults).toEqual([]);
});

it('leads to the tasks that failed lately, and to the receiver that is away', async () => {
  const links = await linksOfOverview();
  const linkTo = (wanted: RegExp): string => links.find((link) => wanted.test(link))!;
  await own.signIn(linkTo(/^tasks\?.*reason=/));
  await page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().waitFor();
  expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('1h');
  expect(await page.getByLabel('Time of').inputValue()).toBe('status');
  await own.signIn(linkTo(/^webhooks\?.*id=/));
  await page.getByRole('dialog').getByText(new URL(sink.url()).origin).first().waitFor();
});
