import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { press } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const SCROLL_TO_END = `{
  const table = document.querySelector('.table-scroll');
  if (table) table.scrollTop = table.scrollHeight;
}`;

let hub: Hub;
let agent: ScriptedAgent;
let sink: WebhookSink;
let own: ConsoleBrowser;
let count = 0;

beforeAll(async () => {
  [hub, agent, sink] = await Promise.all([startHub(), ScriptedAgent.start(), WebhookSink.start()]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
  // Gone: its webhook is disabled, and what it did not get is a dead letter.
  sink.answer = 410;
  await hub.send('hello', {
    message: { metadata: { agentId: 'scripted' } },
    configuration: { taskPushNotificationConfig: { url: sink.url('/gone') } },
  });
  await eventually(async () => {
    const { body } = await hub.admin('GET', '/api/v1/push/dead-letters:count');
    count = body.count;
    expect(count).toBeGreaterThan(0);
    const log = await hub.admin('GET', '/api/v1/push/event-log');
    expect(log.body.items).not.toEqual([]);
  }, 20_000);
  own = await ConsoleBrowser.open(hub.url);
  await own.signIn('webhooks');
}, 60_000);

afterAll(async () => {
  await own?.close();
  await Promise.all([hub, agent, sink].map((each) => each?.close()));
});

describe('the webhooks page', () => {
  it('says how many dead letters there are, on the tab and before all are sent again', async () => {
    const { page } = own;
    await page.getByRole('tab', { name: `Dead letters (${count})` }).click();
    await page.getByRole('button', { name: 'Send again: all that match' }).click();
    const letters = `${count} dead letter${count === 1 ? '' : 's'}`;
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Send again ${letters}` })
      .waitFor();
    expect(await own.axe()).toEqual([]);
    await page.getByRole('button', { name: 'Keep as it is' }).and(page.locator(':focus')).click();
    expect(own.faults).toEqual([]);
  });

  it('leads from lost events to the dead letters that were given up in that time', async () => {
    const { page } = own;
    const wanted: URLSearchParams[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/push/dead-letters')) {
        wanted.push(new URL(request.url()).searchParams);
      }
    });
    await own.goTo('webhooks?tab=receivers&range=15m', 'Webhooks');
    await page.getByRole('link', { name: /lost events?$/ }).click();
    const time = page.getByLabel('Given up', { exact: true });
    await eventually(async () => expect(await time.inputValue()).toBe('15m'));
    const letters = page.getByRole('region', { name: 'Dead letters', exact: true });
    await letters.getByRole('checkbox').first().waitFor();
    expect(wanted.at(-1)!.get('endpoint')).not.toBeNull();
    const since = Date.parse(wanted.at(-1)!.get('givenUpSince')!);
    expect(Date.now() - since).toBeGreaterThan(14 * 60_000);
    // What is chosen is left alone when others are looked for.
    await letters.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Delete: 1 chosen' }).waitFor();
    await time.selectOption({ label: 'Last hour' });
    await page.getByRole('button', { name: 'Delete: all that match' }).waitFor();
    expect(await letters.getByRole('checkbox').first().isChecked()).toBe(false);
    await own.goTo('webhooks?tab=dead-letters&until=2026-01-01T00:00:00.000Z', 'Webhooks');
    await page.getByText('No dead letter fits these filters').waitFor();
    expect(wanted.at(-1)!.get('givenUpUntil')).toBe('2026-01-01T00:00:00.000Z');
    expect(own.faults).toEqual([]);
  });

  it('keeps what is loaded and chosen of the last minutes for as long as one looks at it', async () => {
    const { body } = await hub.admin('GET', '/api/v1/push/dead-letters');
    const [letter] = body.items as JsonObject[];
    const other = await ConsoleBrowser.open(hub.url);
    try {
      const { page } = other;
      await page.clock.install();
      const asked: URLSearchParams[] = [];
      await page.route(
        ({ pathname }) => pathname === '/api/v1/push/dead-letters',
        (route) => {
          const { searchParams } = new URL(route.request().url());
          const at = Number(searchParams.get('cursor') ?? 0);
          asked.push(searchParams);
          const items = Array.from({ length: 200 }, (_, i) => ({ ...letter, id: `of-${at}-${i}` }));
          return route.fulfill({ json: { items, nextCursor: at < 2 ? String(at + 1) : null } });
        },
      );
      await other.signIn('webhooks?tab=dead-letters&range=15m');
      await eventually(async () => {
        await page.evaluate(SCROLL_TO_END);
        expect(await page.getByText('Dead letters: 600 rows', { exact: true }).count()).toBe(1);
      }, 20_000);
      await press(page, 'Choose all rows');
      await page.getByRole('button', { name: 'Delete: 600 chosen' }).waitFor();
      const loaded = asked.length;
      const counted = page.waitForResponse((answer) =>
        answer.url().includes('/dead-letters:count'),
      );
      await page.clock.fastForward('05:00');
      await counted;
      await page.getByRole('button', { name: 'Delete: 600 chosen' }).waitFor();
      expect(asked).toHaveLength(loaded);
      // All that match are those of the time that is shown.
      const [first, ...further] = asked.slice(-3).map((each) => each.get('givenUpSince'));
      expect(further).toEqual([first, first]);
      await press(page, 'Choose none');
      const meant = page.waitForRequest(
        (request) => new URL(request.url()).searchParams.get('givenUpSince') === first,
      );
      await press(page, 'Delete: all that match');
      expect((await meant).url()).toContain('/dead-letters:count');
    } finally {
      await other.close();
    }
  });

  it('shows the events of the time that was chosen', async () => {
    const { page } = own;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/push/event-log')) asked.push(request.url());
    });
    const badge = page.getByRole('region', { name: 'Event log' }).getByText('webhook disabled');
    await own.goTo('webhooks?tab=events&range=1h', 'Webhooks');
    await badge.first().waitFor();
    await own.goTo('webhooks?tab=events&range=custom&until=2026-01-01T00:00:00.000Z', 'Webhooks');
    await page.getByText('Nothing happened').waitFor();
    expect(asked.some((url) => new URL(url).searchParams.has('since'))).toBe(true);
    expect(asked.some((url) => new URL(url).searchParams.has('until'))).toBe(true);
    expect(own.faults).toEqual([]);
  });

  it('says beside a request that was sent when its body is shown in part', async () => {
    const { page } = own;
    sink.answer = 200;
    const made = await hub.admin('POST', '/api/v1/push/subscriptions', { url: sink.url('/all') });
    expect(made.status).toBe(201);
    let isCut = false;
    await page.route('**/push/subscriptions/*:test', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { request: object };
      await route.fulfill({
        response: answer,
        json: { ...body, request: { ...body.request, isCut } },
      });
    });
    await own.goTo('webhooks?tab=subscriptions', 'Webhooks');
    await page
      .getByRole('button', { name: /^Actions/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: /^Test|^Send a test/ }).click();
    const request = page.getByRole('region', { name: 'The request that was sent' });
    await request.waitFor();
    const note = request.getByText(/^This is the beginning of the body/);
    expect(await note.count()).toBe(0);
    isCut = true;
    await page.getByRole('button', { name: 'Test again' }).click();
    await note.waitFor();
    expect(await own.axe()).toEqual([]);
    expect(own.faults).toEqual([]);
  });
});
