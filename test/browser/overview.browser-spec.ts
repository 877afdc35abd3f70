import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ActivityRecorder } from '../../src/observability/activity/activity-recorder.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
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
  hub = await startHub({
    config: { push: { breaker: { failures: 1 } }, tasks: { stuckSilentMs: 1000 } },
  });
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
  // Those of which a part failed so, which are not all that ended so.
  await own.signIn(linkTo(/^tasks\?.*part=AGENT_REFUSED/));
  const reason = page.getByRole('region', { name: 'Tasks' }).getByText(/answered HTTP 400/);
  await reason.waitFor();
  expect(await reason.evaluate((text) => text.scrollWidth <= text.clientWidth)).toBe(true);
  const chip = page.getByRole('button', { name: /^Remove the filter A part failed The agent an/ });
  await chip.waitFor();
  expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('1h');
  expect(await page.getByLabel('Time of').inputValue()).toBe('status');
  await own.signIn(linkTo(/^webhooks\?.*id=/));
  await page.getByRole('dialog').getByText(new URL(sink.url()).origin).first().waitFor();
});

it('shows the last hour, or a longer time by the quarter of an hour', async () => {
  await own.goTo('', 'Overview');
  await page.getByRole('heading', { name: 'Tasks a minute, by how they ended' }).waitFor();
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await page.getByRole('heading', { name: 'Tasks every 15 minutes, by how they ended' }).waitFor();
  expect(new URL(page.url()).searchParams.get('range')).toBe('24h');
  await page.getByRole('button', { name: 'Last 24 hours', pressed: true }).waitFor();
  expect(await own.axe()).toEqual([]);
  await page.getByRole('button', { name: 'Last hour' }).click();
  await page.getByRole('heading', { name: 'Tasks a minute, by how they ended' }).waitFor();
});

it('does not tell what it has not looked at whole as if it had', async () => {
  const { body } = await hub.admin('GET', '/api/v1/overview');
  const shown = {
    ...body,
    receivers: [],
    tasks: { ...body.tasks, failed: [], oldestWaitMs: null },
  };
  const { body: health } = await hub.admin('GET', '/health/details');
  const show = async (parts: object, checks: readonly object[] = []) => {
    await page.unrouteAll();
    await page.route('**/health/details', (route) =>
      route.fulfill({ json: { ...health, checks } }),
    );
    await page.route('**/api/v1/overview**', (route) =>
      route.fulfill({ json: { ...shown, ...parts } }),
    );
    await own.signIn();
  };
  const state = page.getByRole('region', { name: 'State of the hub' });
  const ten = Array.from({ length: 10 }, (_, i) => i);
  await show({
    agents: {
      ...body.agents,
      failingTasks: ten.map((i) => ({ agentId: `a${i}`, name: `A ${i}`, failed: 3, completed: 0 })),
    },
    limits: ten.map((i) => ({ kind: 'openTasks', used: i < 4 ? 9 : 8, limit: 9, state: 'near' })),
  });
  await state.getByText(/^10 or more agents failed at least 3 tasks/).waitFor();
  await state.getByText('4 limits are used up.').waitFor();
  await state.getByText('6 or more limits are near the end.').waitFor();
  const trouble = {
    ...{ agentId: 'a0', name: 'Invoices', verdict: 'failing', breaker: 'closed', since: null },
    why: 'Its health checks pass, but half or more of its last calls failed: HTTP 500.',
  };
  await show({
    agents: {
      ...{
        ...body.agents,
        down: 0,
        degraded: 0,
        failingCalls: 1,
        breakersOpen: 0,
        failingTasks: [],
      },
      ...{ inTrouble: 3, unusable: 2, troubled: [trouble] },
    },
  });
  await state.getByText('2 agents get no work: the card cannot be read or used.').waitFor();
  const card = page.locator('section', {
    has: page.getByRole('heading', { name: 'Agents in trouble' }),
  });
  await card.getByText('failing calls').waitFor();
  await card.getByText(trouble.why).waitFor();
  expect(await card.getByRole('link').allTextContents()).toEqual(['Invoices', '2 more']);
  await show({
    agents: {
      ...body.agents,
      down: 0,
      degraded: 0,
      breakersOpen: 0,
      failingTasks: [],
      inTrouble: 0,
    },
    deliveries: { ...body.deliveries, deadLetters: 0 },
    limits: [],
    tasks: { ...shown.tasks, stuck: { submitted: 0, working: 0, total: 0, isLeast: true } },
  });
  await page.getByText(/none of the tasks that were looked at is stuck/).waitFor();
  const quiet = { ...{ down: 0, degraded: 0, failingCalls: 0, unusable: 0 }, failingTasks: [] };
  const rest = { deliveries: { ...body.deliveries, deadLetters: 0 }, limits: [] };
  const idle = { ...body.agents, ...quiet, breakersOpen: 0, inTrouble: 0 };
  await show({ ...rest, agents: { ...idle, enabled: 0, disabled: 2 } });
  await state
    .getByText('2 agents are registered, none enabled: every message is refused.')
    .waitFor();
  await show({ ...rest, agents: { ...idle, inTrouble: 1, troubled: [trouble] } });
  await state.getByText('1 agent is in trouble.').waitFor();
  const late = { name: 'tasks', state: 'failing', summary: 'It took over 6 s.', troubles: [] };
  await show({ ...rest, agents: idle }, [late]);
  await state.getByText('It took over 6 s.').waitFor();
  await page.unrouteAll();
});

it('says that a task is stuck, and leads to the list of those', async () => {
  agent.handlers['SendStreamingMessage'] = (call) => {
    const task = agent.begin(call, { manual: true });
    task.setState('TASK_STATE_WORKING');
    call.event({ task: task.snapshot() });
  };
  agent.handlers['GetTask'] = (call) => call.send(500, 'no', 'text/plain');
  await hub.registerAgent(agent.url, { id: 'silent' });
  const { id } = await hub.submit('hello', { tenant: 'silent' });
  await own.goTo('', 'Overview');
  const link = page.getByRole('region', { name: 'State of the hub' }).getByText(/1 task is stuck/);
  await link.click({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Stuck', pressed: true }).waitFor();
  const rows = page.getByRole('region', { name: 'Tasks' }).locator('a[href*="/tasks/"]');
  await eventually(async () => {
    const links = await rows.evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(new Set(links)).toEqual(new Set([`/console/tasks/${String(id)}`]));
  });
  await page.getByRole('button', { name: 'Stuck' }).click();
  await page.getByText('failed', { exact: true }).first().waitFor();
  await own.goTo('', 'Overview');
  const check = page.getByRole('listitem').filter({ hasText: 'What to do:' });
  await check.locator(`a[href="/console/tasks/${String(id)}"]`).waitFor();
});

it('leads from the advice of a check to pages, not to calls of the API', async () => {
  const { body } = await hub.admin('GET', '/health/details');
  const inTrouble = (name: string) => {
    const known = body.checks.find((each: JsonObject) => each['name'] === name);
    const why = 'It is in trouble.';
    return { ...known, state: 'warning', advice: 'GET /api/v1/it', troubles: [{ id: 'one', why }] };
  };
  const checks = ['tasks', 'agents', 'receivers'].map(inTrouble);
  const none = { ...inTrouble('agents'), troubles: [], summary: 'No agent is registered.' };
  await page.route('**/health/details', (route) =>
    route.fulfill({ json: { ...body, checks: [...checks, none] } }),
  );
  await own.signIn();
  const card = page.locator('section', {
    has: page.getByRole('heading', { name: 'Checks of the hub' }),
  });
  await card.getByRole('link', { name: 'one' }).first().waitFor();
  const links = await card.getByRole('link').all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  expect(paths.map((path) => path!.replace('/console/', ''))).toEqual([
    ...['tasks/one', 'tasks?stuck=%22true%22', 'agents/one', 'agents?health=troubled'],
    ...['webhooks?tab=receivers&id=one', 'webhooks?tab=receivers', 'agents/new'],
  ]);
  expect(await card.getByText('/api/').count()).toBe(0);
  await page.unrouteAll();
});

it('is read half as often once the hub has said that it is busy', async () => {
  let isBusy = false;
  const reads: number[] = [];
  await page.route('**/api/v1/overview', async (route) => {
    reads.push(performance.now());
    const response = await route.fetch();
    const headers = { ...response.headers(), ...(isBusy && { 'a2a-hub-busy': '1' }) };
    return route.fulfill({ response, headers });
  });
  try {
    await own.signIn();
    await eventually(() => expect(reads).toHaveLength(2), 20_000);
    expect(reads[1]! - reads[0]!).toBeLessThan(9_000);
    isBusy = true;
    // What other answers do not say, those of the checks for one, changes nothing.
    await eventually(() => expect(reads).toHaveLength(4), 30_000);
    expect(reads[3]! - reads[2]!).toBeGreaterThan(9_000);
  } finally {
    await page.unrouteAll({ behavior: 'wait' });
  }
}, 90_000);
