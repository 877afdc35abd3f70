import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { choose, confirm, fill, hubAnswers, hubHas, press } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const WAIT_MS = 15_000;
const RULES = '/api/v1/routes/rules';
const COMPOSITE = '/api/v1/composite-skills/two-steps';

let hub: Hub;
let one: ScriptedAgent;
let two: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  [one, two] = await Promise.all([
    ScriptedAgent.start({ name: 'One', skills: [{ id: 'first' }] }),
    ScriptedAgent.start({ name: 'Two', skills: [{ id: 'second' }] }),
  ]);
  hub = await startHub();
  await hub.registerAgent(one.url, { id: 'one' });
  await hub.registerAgent(two.url, { id: 'two' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('routing/rules');
});

afterAll(() => Promise.all([own, hub, one, two].map((each) => each?.close())));

const main = (): Locator => page.getByRole('main');

/** Which agent gets a message, when a task of it has ended. */
async function whoGets(text: string, params: JsonObject = {}): Promise<string[]> {
  const before = [one, two].map((agent) => agent.calls.length);
  await hub.send(text, params);
  return [one, two].flatMap((agent, index) =>
    agent.calls.length > before[index]! ? [index === 0 ? 'one' : 'two'] : [],
  );
}

async function names(): Promise<string[]> {
  const { body } = await hub.admin('GET', RULES);
  return (body.items as JsonObject[]).map(({ name }) => name as string);
}

async function makeRule(name: string, pattern: string, agent: string): Promise<void> {
  await own.goTo('routing/rules/new', 'New rule');
  await fill(main(), { Name: name, 'The text has': pattern, Agent: agent });
  await press(page, 'Make the rule');
  await page.getByRole('heading', { name: 'Routing', level: 1 }).waitFor();
  await page.getByRole('link', { name, exact: true }).waitFor();
}

describe('rules', () => {
  it('are made, and decide who gets a message', async () => {
    await makeRule('Invoices', '\\binvoice\\b', 'two');
    await hubHas(hub, RULES, {
      items: [
        {
          name: 'Invoices',
          position: 1,
          enabled: true,
          conditions: { text: { pattern: '\\binvoice\\b', ignoreCase: true } },
          target: { agentId: 'two' },
        },
      ],
    });
    await eventually(async () => {
      expect(await whoGets('an Invoice, please')).toEqual(['two']);
    }, WAIT_MS);
  });

  it('say what is wrong while one types, and are not saved so', async () => {
    await own.goTo('routing/rules/new', 'New rule');
    await fill(main(), { Name: 'Broken', 'The text has': '(', Agent: 'one' });
    const pattern = page.getByLabel('The text has', { exact: true });
    await page.locator('[aria-invalid=true]').and(pattern).waitFor();
    // What is looked at as one types is wrong until it is not.
    await pattern.press('(');
    expect(await pattern.getAttribute('aria-invalid')).toBe('true');
    await press(page, 'Make the rule');
    await page.getByRole('alert').first().waitFor();
    expect(await names()).toEqual(['Invoices']);
    await fill(main(), { 'The text has': '^please' });
    await press(page, 'Make the rule');
    await page.getByRole('link', { name: 'Broken', exact: true }).waitFor();
    expect(await names()).toEqual(['Invoices', 'Broken']);
  });

  it('are changed', async () => {
    await own.goTo('routing/rules', 'Routing');
    await page.getByRole('link', { name: 'Broken', exact: true }).click();
    await page.getByRole('heading', { name: 'Broken', level: 1 }).waitFor();
    await fill(main(), { Name: 'All invoices', 'The text has': 'invoice' });
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByRole('link', { name: 'All invoices', exact: true }).waitFor();
    expect(await names()).toEqual(['Invoices', 'All invoices']);
    await hubHas(hub, RULES, {
      items: [expect.anything(), { conditions: { text: { pattern: 'invoice' } } }],
    });
  });

  it('are put in another order, with the keyboard too', async () => {
    await own.goTo('routing/rules', 'Routing');
    await press(page, 'Move All invoices up');
    await eventually(async () => expect(await names()).toEqual(['All invoices', 'Invoices']));
    await eventually(async () => expect(await whoGets('an invoice')).toEqual(['one']), WAIT_MS);
    // The focus stays at the rule that was moved.
    const down = page.getByRole('button', {
      name: 'Move All invoices down',
      exact: true,
    });
    await down.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await names()).toEqual(['Invoices', 'All invoices']));
    await choose(page, 'Actions of All invoices', 'Move to the top');
    await eventually(async () => expect(await names()).toEqual(['All invoices', 'Invoices']));
  });

  it('are disabled and enabled', async () => {
    await own.goTo('routing/rules', 'Routing');
    await choose(page, 'Actions of All invoices', 'Disable');
    await hubHas(hub, RULES, {
      items: [{ enabled: false }, { enabled: true }],
    });
    await eventually(async () => expect(await whoGets('an invoice')).toEqual(['two']), WAIT_MS);
    await page.getByRole('listitem').filter({ hasText: 'disabled' }).first().waitFor();
    await choose(page, 'Actions of All invoices', 'Enable');
    await hubHas(hub, RULES, { items: [{ enabled: true }, { enabled: true }] });
  });

  it('open whatever values of the metadata they ask for', async () => {
    const made = await hub.admin('POST', RULES, {
      name: 'Agents of old',
      conditions: { metadata: { agent: '007', words: '"a" or "b"' } },
      target: { agentId: 'one' },
    });
    expect(made.status).toBe(201);
    const path = `routing/rules/${String((made.body as JsonObject)['id'])}`;
    await own.goTo(path, 'Agents of old');
    const values = (path: string) => main().getByLabel(`Values of ${path}`, { exact: true });
    expect(await values('agent').inputValue()).toBe('007');
    expect(await values('words').inputValue()).toBe('"a" or "b"');
    expect((await hub.admin('DELETE', `${RULES}/${path.split('/').at(-1)!}`)).status).toBe(204);
  });

  it('are deleted', async () => {
    await own.goTo('routing/rules', 'Routing');
    await choose(page, 'Actions of All invoices', 'Delete');
    await confirm(page, 'Delete the rule “All invoices”?', 'Delete the rule');
    expect(await names()).toEqual(['Invoices']);
    await page.getByRole('link', { name: 'All invoices' }).waitFor({ state: 'detached' });
  });
});

it('a form that was refused is not said to be one that can be saved', async () => {
  for (const [path, heading, action] of [
    ['routing/rules/new', 'New rule', 'Make the rule'],
    ['routing/composite-skills/new', 'New composite skill', 'Make the composite skill'],
  ] as const) {
    await own.goTo(path, heading);
    await press(page, action);
    await main()
      .getByText(/^\d+ problems?$/)
      .waitFor();
    expect(await page.getByText('can be saved').count()).toBe(0);
    // The name of an agent becomes its id.
    const input = main().getByLabel('Agent', { exact: true }).first();
    await input.fill('Two');
    await input.blur();
    await eventually(async () => expect(await input.inputValue()).toBe('two'));
    await input.fill('three');
    await main().getByText('No agent has this id or name.').waitFor();
    await input.fill('');
  }
});

describe('the dry run', () => {
  it('says who would get a message, and sends nothing', async () => {
    const before = one.calls.length + two.calls.length;
    await own.goTo('routing/dry-run', 'Routing');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('an invoice');
    await press(page, 'Who would get it?');
    const chosen = page.getByRole('list', { name: 'Chosen', exact: true });
    await chosen.getByRole('link', { name: 'two', exact: true }).waitFor();
    await page.getByText('Invoices').first().waitFor();
    await fill(main(), { Agent: 'one' });
    await press(page, 'Who would get it?');
    await chosen.getByRole('link', { name: 'one', exact: true }).waitFor();
    const policies = page.getByRole('list', { name: 'What the policies say' });
    await policies.getByText('one', { exact: true }).waitFor();
    // By its name, too.
    await fill(main(), { Agent: 'TWO' });
    await press(page, 'Who would get it?');
    await chosen.getByRole('link', { name: 'two', exact: true }).waitFor();
    const agent = main().getByLabel('Agent', { exact: true });
    await eventually(async () => expect(await agent.inputValue()).toBe('two'));
    await fill(main(), { Agent: 'nobody' });
    await main().getByText('No agent has this id or name.').waitFor();
    await press(page, 'Who would get it?');
    await page.getByRole('heading', { name: 'Nobody gets it' }).waitFor();
    await policies.getByText('one', { exact: true }).waitFor();
    expect(await policies.getByText('nobody', { exact: true }).count()).toBe(0);
    expect(await main().getByRole('link', { name: 'nobody', exact: true }).count()).toBe(0);
    await fill(main(), { Organization: 'no-such' });
    await press(page, 'Who would get it?');
    await main().getByText('There is no organization of the id "no-such".').waitFor();
    await fill(main(), { Organization: '' });
    await hub.admin('PATCH', '/api/v1/agents/one', { enabled: false });
    await fill(main(), { Agent: 'one' });
    await press(page, 'Who would get it?');
    const closed = page.getByRole('list', { name: 'Not open to the caller' });
    await closed.getByText('It was disabled by an operator.').waitFor();
    await closed.getByRole('link', { name: 'one', exact: true }).waitFor();
    await hub.admin('PATCH', '/api/v1/agents/one', { enabled: true });
    expect(one.calls.length + two.calls.length).toBe(before);
  });

  it('says of a refused message what became of each rule, whatever that is called', async () => {
    const name = 'Odd: decides. <b>x</b>';
    const conditions = { text: { pattern: 'oddities' } };
    await hub.admin('POST', RULES, { id: 'odd', name, conditions, target: { reject: 'No.' } });
    await own.goTo('routing/dry-run', 'Routing');
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.fill('oddities');
    await fill(main(), { Agent: '' });
    await press(page, 'Who would get it?');
    const reports = page.getByRole('list', { name: 'What became of each rule' });
    const odd = reports.getByRole('listitem').filter({ hasText: name });
    await odd.getByText('decides', { exact: true }).waitFor();
    await odd.getByRole('link', { name, exact: true }).waitFor();
    await hub.admin('DELETE', `${RULES}/odd`);
    await text.fill('an invoice');
  });

  it('says of a refused message, too, how many agents the caller may not use', async () => {
    const spare = Array.from({ length: 52 }, (_, i) => `spare-${i}`);
    const tags = ['spare'];
    for (const id of spare) await hub.registerAgent(one.url, { id, tags, enabled: false });
    await hub.registerAgent(one.url, { id: 'theirs', tags, organizations: ['other'] });
    await own.goTo('routing/dry-run', 'Routing');
    // The page is the one of the test before, with what was typed there.
    await fill(main(), { Agent: '', 'Skill tags': 'spare' });
    await press(page, 'Who would get it?');
    await page.getByRole('heading', { name: 'Nobody gets it' }).waitFor();
    const closed = page.getByRole('list', { name: 'Not open to the caller' });
    await closed.getByRole('link', { name: 'spare-0', exact: true }).waitFor();
    await closed.getByText('and 2 more', { exact: true }).waitFor();
    await closed
      .getByText('1 agent that would fit is restricted to other organizations.')
      .waitFor();
    for (const id of [...spare, 'theirs']) await hub.admin('DELETE', `/api/v1/agents/${id}`);
  });
});

describe('composite skills', () => {
  it('are made of steps, and run', async () => {
    await own.goTo('routing/composite-skills/new', 'New composite skill');
    await main().getByLabel('Name', { exact: true }).first().fill('Two steps');
    await fill(main(), {
      Id: 'two-steps',
      Description: 'First the one, then the other.',
    });
    await fill(main(), { Tags: 'both' });
    while ((await page.getByRole('group', { name: /^Step / }).count()) < 2) {
      await press(page, 'Add a step');
    }
    const step = (index: number) => page.getByRole('group', { name: /^Step / }).nth(index);
    await fill(step(0), { Name: 'begin', Agent: 'one' });
    await fill(step(1), {
      Name: 'go-on',
      Agent: 'two',
      'Takes, in this order': 'begin',
    });
    await page.getByText('can be saved').waitFor();
    await press(page, 'Make the composite skill');
    await page.getByRole('heading', { name: 'Two steps', level: 1 }).waitFor();
    await hubHas(hub, COMPOSITE, {
      name: 'Two steps',
      tags: ['both'],
      version: 1,
      steps: [
        { name: 'begin', agentId: 'one' },
        { name: 'go-on', agentId: 'two', inputs: ['begin'] },
      ],
    });
    await eventually(async () => {
      const { body } = await hub.admin('POST', '/api/v1/routes:dry-run', {
        skillId: 'composite.two-steps',
      });
      expect(JSON.stringify(body)).toContain('go-on');
    }, WAIT_MS);
  });

  it('are changed: the next version', async () => {
    await own.goTo('routing/composite-skills/two-steps', 'Two steps');
    await page.getByRole('tab', { name: 'Edit', exact: true }).click();
    await fill(main(), { Description: 'Another description.' });
    await press(page, 'Save as the next version');
    await page.getByText('Another description.').first().waitFor();
    await hubHas(hub, COMPOSITE, {
      description: 'Another description.',
      version: 2,
    });
  });

  it('are disabled, and deleted', async () => {
    await own.goTo('routing/composite-skills/two-steps', 'Two steps');
    await choose(page, 'Actions of Two steps', 'Disable');
    await hubHas(hub, COMPOSITE, { enabled: false });
    await choose(page, 'Actions of Two steps', 'Delete');
    await confirm(page, 'Delete “Two steps”?', 'Delete the composite skill');
    await hubAnswers(hub, COMPOSITE, 404);
  });
});
