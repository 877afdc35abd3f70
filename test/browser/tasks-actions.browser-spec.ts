import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ADMIN_KEY, type Hub, startHub, stateOf } from '../support/app.js';
import {
  dialogOf,
  fill,
  hubAnswers,
  hubHas,
  press,
  rowOf,
  saved,
  submit,
} from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

const WAIT_MS = 15_000;
const BYTES = Buffer.from([0, 1, 2, 253, 254, 255, 10, 13, 0]);

let hub: Hub;
let agent: ScriptedAgent;
let asker: ScriptedAgent;
let worker: ScriptedAgent;
let artist: ScriptedAgent;
/** Another origin: nothing that an agent made may be asked for there. */
let elsewhere: WebhookSink;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  elsewhere = await WebhookSink.start();
  [agent, asker, worker, artist] = await Promise.all([
    ScriptedAgent.start(),
    ScriptedAgent.start({ name: 'Asks Back', live: { askAfter: 1 } }),
    ScriptedAgent.start({ live: { manual: true } }),
    ScriptedAgent.start({ handlers: { SendStreamingMessage: answerWithArtifacts } }),
  ]);
  hub = await startHub();
  await Promise.all([
    hub.registerAgent(agent.url, { id: 'agent' }),
    hub.registerAgent(asker.url, { id: 'asker' }),
    hub.registerAgent(worker.url, { id: 'worker' }),
    hub.registerAgent(artist.url, { id: 'artist' }),
  ]);
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('tasks');
});

afterAll(() =>
  Promise.all([own, hub, agent, asker, worker, artist, elsewhere].map((each) => each?.close())),
);

/** Sends as who is signed in; the id of the task. */
async function send(to: string, text = 'hello', key = ADMIN_KEY): Promise<string> {
  return (await hub.submit(text, { tenant: to }, { key }))['id'] as string;
}

async function stateIs(id: string, state: string): Promise<void> {
  await hubHas(hub, `/api/v1/tasks/${id}`, { state });
}

/** What a page does by itself may take so long on a busy machine. */
const SLOW_MS = 45_000;

async function openTask(id: string, tab?: string): Promise<void> {
  await own.goTo(
    `tasks/${id}${tab ? `?tab=${tab}` : ''}`,
    `Task ${id.slice(0, 8)}…${id.slice(-6)}`,
  );
}

const list = (): Locator => page.getByRole('region', { name: 'Tasks', exact: true });

describe('the list of tasks', () => {
  it('names a caller by an id that somebody has chosen rather than by its key', async () => {
    await hub.admin('POST', '/api/v1/principals', { id: 'billing-service', organization: 'acme' });
    const { body } = await hub.admin('POST', '/api/v1/keys', {
      name: 'night job',
      principal: 'billing-service',
      scopes: ['a2a'],
    });
    const id = await send('agent', 'hello', body.key as string);
    await own.goTo(`tasks?q=${id}`, 'Tasks');
    const row = list().getByRole('row').filter({ hasText: 'agent' });
    await row.getByText('billing-service').first().waitFor();
    expect(await row.getByText('night job').count()).toBe(0);
  });

  it('is filtered by states, agent, caller, and an id', async () => {
    const [ended, asking] = [await send('agent'), await send('asker')];
    await stateIs(ended, 'completed');
    await stateIs(asking, 'input-required');
    await own.goTo('tasks', 'Tasks');
    const row = (id: string) => rowOf(page, 'Tasks', id.slice(-8));
    await row(ended).waitFor();
    await row(asking).waitFor();
    await press(page, 'Waiting');
    await row(ended).waitFor({ state: 'detached' });
    await row(asking).waitFor();
    await page.getByRole('button', { name: /^completed/ }).click();
    await row(ended).waitFor();
    await page.getByLabel('Agent', { exact: true }).fill('agent');
    await page.getByLabel('Organization', { exact: true }).fill('default');
    await row(asking).waitFor({ state: 'detached' });
    await row(ended).waitFor();
    // Neither of those that are typed at once takes the other away.
    await eventually(() => {
      const { searchParams } = new URL(page.url());
      expect(['agent', 'organization'].map((name) => searchParams.get(name))).toEqual([
        'agent',
        'default',
      ]);
    });
    await press(page, 'Clear filters');
    await row(asking).waitFor();
    await page.getByLabel('Find by id').fill(asking);
    await press(page, 'Find');
    await page.getByRole('heading', { name: 'The agent asks' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/tasks/${asking}`);
  });
});

describe('the filters of tasks', () => {
  it('take an agent by its name, and say that nothing is between a time and an earlier one', async () => {
    const asking = await send('asker');
    await own.goTo('tasks', 'Tasks');
    await page.getByLabel('Agent', { exact: true }).fill('Slow and gone');
    await page.getByText(/^There is no agent now that is called “Slow and gone”/).waitFor();
    await page.getByLabel('Agent', { exact: true }).fill('asks back');
    await eventually(() => expect(new URL(page.url()).searchParams.get('agent')).toBe('asker'));
    await rowOf(page, 'Tasks', asking.slice(-8)).waitFor();
    await press(page, 'Clear filters');
    const all = page.getByRole('button', { name: /: all that match$/ });
    await page.getByLabel('Time', { exact: true }).selectOption('From … until …');
    await page.getByLabel('Until').waitFor();
    // Without a time, nothing is left out.
    await rowOf(page, 'Tasks', asking.slice(-8)).waitFor();
    expect(await all.count()).toBe(0);
    await page.getByLabel('From', { exact: true }).fill('2026-02-02T10:00');
    await all.first().waitFor();
    await page.getByLabel('Until', { exact: true }).fill('2026-02-02T09:00');
    await page.getByText('This is not later than “From”').waitFor();
    await page.getByText('The time is that at which a task began').waitFor();
    expect(await own.axe()).toEqual([]);
    await press(page, 'Show all tasks');
    await rowOf(page, 'Tasks', asking.slice(-8)).waitFor();
  });
});

describe('the caller of a task', () => {
  it('has the name of its principal before that of its key, as whoever is signed in', async () => {
    const keyOf = async (principal: JsonObject & { readonly id: string }): Promise<string> => {
      await hub.admin('POST', '/api/v1/principals', { organization: 'default', ...principal });
      const scopes = ['a2a', 'tasks:organization'];
      const wanted = { name: `key of ${principal.id}`, principal: principal.id, scopes };
      return (await hub.admin('POST', '/api/v1/keys', wanted)).body.key as string;
    };
    const id = await send('agent', 'hello', await keyOf({ id: 'reports', displayName: 'Reports' }));
    await stateIs(id, 'completed');
    await own.goTo('tasks', 'Tasks');
    await rowOf(page, 'Tasks', id.slice(-8)).getByText('Reports', { exact: true }).waitFor();
    await openTask(id);
    await page.getByRole('link', { name: 'Reports', exact: true }).waitFor();
    const other = await ConsoleBrowser.open(hub.url);
    try {
      const theirs = await other.signIn('tasks', await keyOf({ id: 'bare' }));
      const who = theirs.locator('.who strong');
      await who.waitFor();
      expect(await who.textContent()).toBe('bare');
    } finally {
      await other.close();
    }
  });
});

describe('the list of tasks', () => {
  it('looks further only when one wants it, once a page had none', async () => {
    const further: string[] = [];
    const lists = (url: URL) => url.pathname === '/api/v1/tasks';
    await page.route(lists, async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      if (cursor !== null) further.push(cursor);
      const nextCursor = cursor === null ? 'a' : `${cursor}a`;
      await route.fulfill({ json: { items: [], nextCursor } });
    });
    try {
      await own.goTo('tasks?skill=rare', 'Tasks');
      await page.getByRole('button', { name: 'Look further' }).click();
      await eventually(() => expect(further).toEqual(['a']));
      await page.getByRole('button', { name: 'Look further' }).waitFor();
      expect(new Set(further)).toEqual(new Set(['a']));
    } finally {
      await page.unroute(lists);
    }
  });

  it('counts the last hour from now, not from when the page was opened', async () => {
    const other = await ConsoleBrowser.open(hub.url);
    try {
      const since: number[] = [];
      other.page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        const text = searchParams.get('createdAfter');
        if (pathname === '/api/v1/tasks' && text !== null) since.push(Date.parse(text));
      });
      await other.page.clock.install();
      await other.signIn('tasks?range=15m');
      await eventually(() => expect(since.length).toBeGreaterThan(0));
      const later = Date.now() + 7 * 3_600_000;
      await other.page.clock.setSystemTime(later);
      await other.page.clock.runFor(10_000);
      await eventually(() => expect(since.at(-1)).toBeGreaterThan(later - 17 * 60_000));
      await other.page.getByLabel('Time', { exact: true }).selectOption('Last hour');
      await eventually(() => {
        expect(since.at(-1)).toBeGreaterThan(later - 62 * 60_000);
        expect(since.at(-1)).toBeLessThan(later - 55 * 60_000);
      });
    } finally {
      await other.close();
    }
  });
});

describe('a task', () => {
  it('is canceled with a reason', async () => {
    const id = await send('worker');
    await eventually(() => expect(worker.tasks.size).toBeGreaterThan(0));
    await stateIs(id, 'submitted');
    await openTask(id);
    await press(page, 'Cancel task');
    const dialog = dialogOf(page, 'Cancel this task');
    await fill(dialog, { Reason: 'Not needed any more.' });
    await submit(dialog, 'Cancel the task');
    await stateIs(id, 'canceled');
    await hubHas(hub, `/api/v1/tasks/${id}`, {
      reason: 'CANCELED_BY_OPERATOR',
      canceledBy: { principalId: 'admin', reason: 'Not needed any more.' },
    });
    await eventually(() => expect(worker.callsOf('CancelTask')).toHaveLength(1), WAIT_MS);
    await page.getByRole('button', { name: 'Cancel task' }).waitFor({ state: 'detached' });
  });

  it('says which agents were not taken, and why', async () => {
    await hub.registerAgent(agent.url, { id: 'taken', tags: ['pair'] });
    await hub.registerAgent(agent.url, { id: 'drained', tags: ['pair'], enabled: false });
    await hub.registerAgent(agent.url, { id: 'theirs', tags: ['pair'], organizations: ['other'] });
    const metadata = { skillTags: ['pair'] };
    const id = (await hub.submit('hello', { message: { metadata } }))['id'] as string;
    await openTask(id, 'route');
    const closed = page.getByRole('table', { name: 'Not open to the caller' });
    await closed.getByRole('link', { name: 'drained' }).waitFor();
    await closed.getByText('It was disabled by an operator.').waitFor();
    await page
      .getByRole('tabpanel', { name: 'Route' })
      .getByText('1 agent that would fit is restricted to other organizations.')
      .waitFor();
    await page.getByText('No other agent that the caller may use has those tags.').waitFor();
    await openTask(await send('asker'), 'route');
    await page.getByText('The client named the agent: no others were compared.').waitFor();
  });

  it('gets the answer to what its agent asks', async () => {
    const id = await send('asker');
    await stateIs(id, 'input-required');
    await openTask(id);
    await page.getByRole('heading', { name: 'The agent asks' }).waitFor();
    await page.getByLabel('Your answer').fill('The blue one.');
    await press(page, 'Answer');
    await stateIs(id, 'completed');
    const texts = asker.calls.map((call) => (call.params['message'] ? call.text : ''));
    expect(texts).toContain('The blue one.');
    await page.getByRole('heading', { name: 'The agent asks' }).waitFor({ state: 'detached' });
  });

  it('keeps an answer that is being written when somebody else answers', async () => {
    const id = await send('asker');
    await stateIs(id, 'input-required');
    await openTask(id);
    await page.getByLabel('Your answer').fill('The red one, or');
    await hub.send('The green one.', { message: { taskId: id } }, { key: ADMIN_KEY });
    await page.getByText('yours was not sent').waitFor();
    await page.getByText('The red one, or', { exact: true }).waitFor();
    expect(await own.axe()).toEqual([]);
  });

  it.each([
    ['that was cut without an end', { contentType: 'text/event-stream', body: ': none\n\n' }],
    ['that was refused until the next sign-in', { status: 401, json: {} }],
  ])('is followed on after a stream %s', async (_, answer) => {
    const id = await send('asker');
    await stateIs(id, 'input-required');
    // Of this task alone: a page that is left may ask for the stream of its own once more.
    const stream = `/api/v1/tasks/${id}/events?after=`;
    await page.route(`**${stream}*`, (route) => route.fulfill(answer), { times: 1 });
    let asked = 0;
    const askedAgain = page.waitForRequest((sent) => sent.url().includes(stream) && ++asked === 2, {
      timeout: SLOW_MS,
    });
    await openTask(id);
    if ('status' in answer) {
      const dialog = dialogOf(page, 'Sign in again');
      await dialog.getByLabel('API key or access token').fill(ADMIN_KEY, { timeout: SLOW_MS });
      await submit(dialog, 'Sign in');
    }
    await askedAgain;
    await page.getByRole('main').getByText('live', { exact: true }).waitFor();
    await page.unroute(`**${stream}*`);
  });

  it('is followed up: a new task in its context, with a file', async () => {
    const id = await send('agent');
    await stateIs(id, 'completed');
    const before = agent.callsOf('SendStreamingMessage').length;
    await openTask(id);
    await press(page, 'Follow up');
    const dialog = dialogOf(page, 'Follow up');
    await fill(dialog, { Message: 'And now in French.' });
    await dialog.getByLabel('Attach files').setInputFiles([
      { name: 'a.bin', mimeType: 'application/octet-stream', buffer: BYTES },
      { name: 'notes.md', mimeType: '', buffer: BYTES },
    ]);
    await dialog.getByText('notes.md').waitFor();
    // A try whose answer is lost is repeated as the same message.
    const messageIds: unknown[] = [];
    await page.route('**/a2a', async (route) => {
      const { params } = JSON.parse(route.request().postData()!) as Json;
      messageIds.push(params.message.messageId);
      await (messageIds.length === 1 ? route.abort() : route.continue());
    });
    await press(dialog, 'Send');
    await dialog.getByText('No connection').waitFor();
    await submit(dialog, 'Send');
    await page.unroute('**/a2a');
    expect(messageIds).toEqual([expect.any(String), messageIds[0]]);
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    const next = new URL(page.url()).pathname.split('/').at(-1)!;
    await stateIs(next, 'completed');
    const [one, other] = await Promise.all(
      [id, next].map((each) => hub.getTask(each, { key: ADMIN_KEY })),
    );
    expect(other!['contextId']).toBe(one!['contextId']);
    const call = agent.callsOf('SendStreamingMessage')[before]!;
    expect(call.text).toBe('And now in French.');
    expect(call.message['parts']).toContainEqual(
      expect.objectContaining({ filename: 'a.bin', raw: BYTES.toString('base64') }),
    );
    expect(call.message['parts']).toContainEqual(
      expect.objectContaining({ filename: 'notes.md', mediaType: 'text/markdown' }),
    );
  });

  it('is sent again', async () => {
    const id = await send('agent', 'once more');
    await stateIs(id, 'completed');
    await openTask(id);
    await press(page, 'Retry');
    await submit(dialogOf(page, 'Retry this task'), 'Retry');
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    const next = new URL(page.url()).pathname.split('/').at(-1)!;
    await stateIs(next, 'completed');
    await hubHas(hub, `/api/v1/tasks/${next}`, { retryOf: expect.anything() });
    // A second time, the dialog says so.
    await openTask(id);
    await press(page, 'Retry');
    const again = dialogOf(page, 'Retry this task');
    await again.getByText('It was retried already, as').waitFor();
    await submit(again, 'Cancel');
    const same = agent.callsOf('SendStreamingMessage').filter((call) => call.text === 'once more');
    expect(same).toHaveLength(2);
  });

  it('is deleted', async () => {
    const id = await send('agent');
    await stateIs(id, 'completed');
    await openTask(id);
    await press(page, 'Delete');
    await submit(dialogOf(page, 'Delete this task'), 'Delete for good');
    await hubAnswers(hub, `/api/v1/tasks/${id}`, 404);
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
    await rowOf(page, 'Tasks', id.slice(-8)).waitFor({ state: 'detached' });
  });

  it('of others is read as an operator, which is noted', async () => {
    const key = await hub.createKey();
    const id = await send('agent', 'a secret', key);
    await stateIs(id, 'completed');
    await openTask(id);
    await page.getByRole('tab', { name: 'Messages and artifacts' }).click();
    await page.getByText('a secret').waitFor();
    await hubHas(hub, `/api/v1/audit?resourceId=${id}&principal=admin`, {
      items: expect.arrayContaining([expect.objectContaining({ resourceType: 'tasks' })]),
    });
  });
});

/** What an agent may send, honest and hostile. */
const PARTS: Readonly<Record<string, () => JsonObject[]>> = {
  markdown: () => [
    {
      mediaType: 'text/markdown',
      text: [
        '# A report',
        '<script>globalThis.harmed = "script"</script>',
        `<img src="${elsewhere.url('/html.png')}" onerror="globalThis.harmed = 'img'">`,
        `<iframe src="${elsewhere.url('/frame')}"></iframe>`,
        '[a link](javascript:globalThis.harmed="link")',
        '[data](data:text/html,<script>globalThis.harmed="data"</script>)',
        `[elsewhere](${elsewhere.url('/link')})`,
        `![picture](${elsewhere.url('/picture.png')})`,
        `![script](javascript:globalThis.harmed="image")`,
        `<a href="javascript:globalThis.harmed='a'">html link</a>`,
        '| a | b |\n|---|---|\n| 1 | 2 |',
      ].join('\n\n'),
    },
  ],
  html: () => [
    {
      mediaType: 'text/html',
      filename: 'page.html',
      raw: base64(`<script>globalThis.harmed='html'</script><img src=${elsewhere.url('/h')}>`),
    },
    { mediaType: 'text/html', text: `<img src=${elsewhere.url('/t')} onerror=alert(1)>` },
  ],
  svg: () => [
    {
      mediaType: 'image/svg+xml',
      filename: 'drawing.svg',
      raw: base64(
        `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.harmed='svg'"><image href="${elsewhere.url('/svg.png')}"/><script>globalThis.harmed='svg'</script></svg>`,
      ),
    },
  ],
  json: () => [{ data: { deep: nested(40), many: Array.from({ length: 9000 }, (_, n) => n) } }],
  csv: () => [{ mediaType: 'text/csv', text: 'name,sum\n=HYPERLINK("http://x"),1\n<b>bold</b>,2' }],
  numbers: () => [
    {
      mediaType: 'text/csv',
      text: 'name,sum\na,12.5\nb,-5\nc,0.15\nd,none\ne,-10\nf,0.9\ng,12.25\nh,1e-6\ni,3',
    },
  ],
  plain: () => [{ text: 'Just words.' }],
  link: () => [{ url: elsewhere.url('/file.bin'), filename: 'remote.bin' }],
  file: () => [
    {
      filename: '../../etc/pass\u202egnp.exe',
      mediaType: 'application/octet-stream',
      raw: BYTES.toString('base64'),
    },
  ],
};

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function nested(levels: number): JsonObject {
  return levels === 0 ? { end: 'of it' } : { [`level-${levels}`]: nested(levels - 1) };
}

function answerWithArtifacts(call: ScriptedCall): void {
  const task = { id: `made-${call.text}-${artist.calls.length}`, contextId: 'c' };
  const status = { state: 'TASK_STATE_COMPLETED' };
  const artifacts = [{ artifactId: 'made', name: call.text, parts: PARTS[call.text]!() }];
  call.event({ task: { ...task, status, artifacts } }).end();
}

describe('an artifact', () => {
  /** Opens what the artist makes of the text; the part of the page that shows it. */
  async function made(text: string): Promise<Locator> {
    own.faults.length = 0;
    const id = await send('artist', text);
    await stateIs(id, 'completed');
    await openTask(id, 'content');
    const shown = page.getByRole('region', { name: 'Artifacts' });
    await shown.getByRole('heading', { name: text, exact: true }).waitFor();
    await shown.locator('.part').first().waitFor();
    return shown;
  }

  /** Nothing ran, nothing was asked for, and nothing in the page could do either. */
  async function isHarmless(shown: Locator): Promise<void> {
    const harmful = await shown
      .locator(
        'script, iframe, object, embed, svg image, form, [onload], [onerror], [style*=url], link, base, meta, img:not([src^="blob:"]), a[href^="javascript:"], a[href^="data:"]',
      )
      .count();
    expect(harmful).toBe(0);
    expect(await page.evaluate('globalThis.harmed ?? null')).toBe(null);
    expect([...own.origins]).toEqual([hub.url]);
    expect(elsewhere.received).toEqual([]);
    // The policy of the page had nothing to keep away.
    expect(own.faults).toEqual([]);
  }

  it('of Markdown is formatted, and nothing in it is loaded or runs', async () => {
    const shown = await made('markdown');
    await shown.getByRole('heading', { name: 'A report' }).waitFor();
    await shown.getByRole('cell', { name: '2', exact: true }).waitFor();
    await isHarmless(shown);
    await shown.getByText('a link', { exact: true }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    // A link out asks first.
    await press(shown, 'elsewhere');
    const dialog = dialogOf(page, 'A link out of the console');
    await dialog.getByText(elsewhere.url('/link'), { exact: true }).waitFor();
    const link = dialog.getByRole('link', { name: 'Open in a new tab' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await submit(dialog, 'Close');
    await isHarmless(shown);
    await press(shown, 'Source');
    await shown.getByText('<script>globalThis.harmed = "script"</script>').waitFor();
    await isHarmless(shown);
  });

  it.each(['html', 'svg'])('of %s is shown as text', async (kind) => {
    const shown = await made(kind);
    await shown.getByText("globalThis.harmed='").first().waitFor();
    await isHarmless(shown);
    const { content } = await saved(page, () =>
      shown
        .getByRole('button', { name: /^Download / })
        .first()
        .click(),
    );
    expect(content.toString('base64')).toBe(PARTS[kind]!()[0]!['raw']);
  });

  it('of huge, deep JSON opens level by level', async () => {
    const shown = await made('json');
    const tree = shown.getByRole('group', { name: 'Data', exact: true });
    await tree.getByText('many:').first().waitFor();
    // Of 9,000 entries and 40 levels only some are in the page.
    expect(await tree.locator('*').count()).toBeLessThan(2000);
    await isHarmless(shown);
  });

  it.each([
    ['plain', 'text.txt', 'Just words.'],
    ['json', 'data.json', undefined],
    ['csv', 'text.csv', undefined],
  ])('of %s is saved as a file', async (kind, name, text) => {
    const shown = await made(kind);
    const file = await saved(page, () =>
      shown.getByRole('button', { name: `Download ${name}`, exact: true }).click(),
    );
    const part = PARTS[kind]!()[0]!;
    expect(file.name).toBe(name);
    if (kind === 'json') expect(JSON.parse(file.content.toString())).toEqual(part['data']);
    else expect(file.content.toString()).toBe(text ?? part['text']);
  });

  it('of CSV is a table of texts', async () => {
    const shown = await made('csv');
    await shown.getByText('2 rows, 2 columns').waitFor();
    await shown.getByRole('cell', { name: '<b>bold</b>' }).waitFor();
    await isHarmless(shown);
  });

  it('of CSV is sorted by its numbers', async () => {
    const shown = await made('numbers');
    const sums = shown.locator('tbody tr td:nth-child(2)');
    await sums.first().waitFor();
    const header = shown.getByRole('columnheader', { name: 'sum' });
    const sorted = async (by: string) => {
      await eventually(async () => {
        await header.getByRole('button').click();
        expect(await header.getAttribute('aria-sort')).toBe(by);
      });
      return sums.allTextContents();
    };
    const order = ['none', '-10', '-5', '1e-6', '0.15', '0.9', '3', '12.25', '12.5'];
    expect(await sorted('ascending')).toEqual(order);
    expect(await sorted('descending')).toEqual(order.toReversed());
  });

  it('at another address is not loaded', async () => {
    const shown = await made('link');
    await shown.getByText('A file at another place').waitFor();
    await isHarmless(shown);
  });

  it('of bytes is saved as they are, under a name that is only a name', async () => {
    const shown = await made('file');
    const { name, content } = await saved(page, () =>
      shown.getByRole('button', { name: /^Download / }).click(),
    );
    expect([...content]).toEqual([...BYTES]);
    expect(name).toBe('pass_gnp.exe');
    await isHarmless(shown);
  });
});

describe('with the keyboard alone', () => {
  it('dialogs open, keep the focus, close by Escape, and give it back', async () => {
    const id = await send('agent');
    await stateIs(id, 'completed');
    await openTask(id);
    const button = page.getByRole('button', { name: 'Delete', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = dialogOf(page, 'Delete this task');
    await dialog.waitFor();
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('Tab');
      expect(await dialog.locator(':focus').count()).toBe(1);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await hasFocus(button);
    expect(stateOf(await hub.getTask(id, { key: ADMIN_KEY }))).toBe('TASK_STATE_COMPLETED');
  });

  it('tabs are gone through by arrows', async () => {
    const id = await send('agent');
    await stateIs(id, 'completed');
    await openTask(id);
    await page.getByRole('tab', { name: 'Route', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await hasFocus(page.getByRole('tab', { name: 'Events', exact: true }));
    await page.getByRole('list', { name: 'Events, newest first' }).waitFor();
    await page.keyboard.press('End');
    await hasFocus(page.getByRole('tab', { name: 'JSON', exact: true }));
    await page.getByRole('group', { name: 'The task as JSON' }).waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('json');
  });

  it('menus open, are gone through, close by Escape, and lead to a dialog', async () => {
    await own.goTo('agents', 'Agents');
    const menu = page.getByRole('button', { name: /^Actions of / }).first();
    await menu.focus();
    await page.keyboard.press('Enter');
    const items = page.getByRole('menuitem');
    await hasFocus(items.first());
    await page.keyboard.press('ArrowDown');
    await hasFocus(items.nth(1));
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await hasFocus(menu);
    await page.keyboard.press('Enter');
    await hasFocus(items.first());
    await page.keyboard.press('End');
    await hasFocus(items.last());
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await hasFocus(menu);
  });

  it('the list of tasks is scrolled and a task opened', async () => {
    await own.goTo('tasks', 'Tasks');
    await list().focus();
    await page.keyboard.press('Tab');
    const sorted = page.getByRole('button', { name: /^State/ }).first();
    await hasFocus(sorted);
    await page.keyboard.press('Enter');
    await page
      .getByRole('columnheader', { name: /^State/ })
      .and(page.locator('[aria-sort]'))
      .waitFor();
    const link = list().getByRole('link').first();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  });
});

async function hasFocus(what: Locator): Promise<void> {
  await what.and(page.locator(':focus')).waitFor();
}
