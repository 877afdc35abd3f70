import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpAnswer, type Hub, RpcError, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const RULES = '/api/v1/routes/rules';
const DRY_RUN = '/api/v1/routes:dry-run';

let hub: Hub;
const agents: ScriptedAgent[] = [];

/** Agents that answer with their own name. */
async function addAgent(id: string, tags: string[], fields: JsonObject = {}): Promise<void> {
  const agent = await ScriptedAgent.start({
    name: id,
    streaming: false,
    skills: [{ id: 'work', tags }],
    handlers: {
      '*': (call) =>
        call.result({ message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: id }] } }),
    },
  });
  agents.push(agent);
  await hub.registerAgent(agent.url, { id, ...fields });
}

beforeAll(async () => {
  hub = await startHub({ config: { routing: { defaultAgent: 'desk' } } });
  await addAgent('desk', ['desk']);
  await addAgent('billing', ['money']);
  await addAgent('vision', ['pictures']);
  await addAgent('inner', ['secret'], { organizations: ['acme'] });
});

afterAll(async () => {
  await hub?.close();
  for (const agent of agents) await agent.close();
});

afterEach(async () => {
  const { body } = await hub.admin('GET', `${RULES}?limit=200`);
  for (const { id } of body.items as { id: string }[]) await hub.admin('DELETE', `${RULES}/${id}`);
});

async function addRule(fields: JsonObject): Promise<JsonObject> {
  const answer = await hub.admin('POST', RULES, { name: 'Rule', ...fields });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body as JsonObject;
}

/** The name of the agent that answers a message sent through the A2A binding. */
async function answerer(text: string, message: JsonObject = {}, key?: string): Promise<string> {
  const result = await hub.send(text, { message }, key === undefined ? {} : { key });
  const answer = result['message'] as { parts: { text: string }[] };
  return answer.parts[0]!.text;
}

const orderOf = ({ body }: HttpAnswer): string[] =>
  (body.items as { id: string }[]).map(({ id }) => id);

describe('the API of rules', () => {
  it('makes, shows, changes, moves and deletes a rule', async () => {
    const made = await addRule({
      name: 'Invoices & refunds',
      conditions: { text: { pattern: 'invoice' } },
      target: { agentId: 'billing' },
    });
    expect(made).toMatchObject({
      id: 'invoices-refunds',
      position: 1,
      enabled: true,
      source: 'api',
      problem: null,
      conditions: { text: { pattern: 'invoice' } },
      target: { agentId: 'billing' },
    });
    const path = `${RULES}/invoices-refunds`;
    expect((await hub.admin('GET', path)).body).toEqual(made);
    await addRule({ id: 'second', target: { tags: ['pictures'], strategy: 'all' } });
    await addRule({ id: 'first', position: 1, target: { reject: 'No.' } });
    const patched = await hub.admin('PATCH', path, { enabled: false, position: 3, name: 'Money' });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({ enabled: false, position: 3, name: 'Money' });
    expect(patched.body).toMatchObject({ target: { agentId: 'billing' } });
    expect(orderOf(await hub.admin('GET', RULES))).toEqual(['first', 'second', 'invoices-refunds']);
    const ids = ['second', 'invoices-refunds', 'first'];
    expect(orderOf(await hub.admin('POST', `${RULES}:reorder`, { ids }))).toEqual(ids);
    const page = await hub.admin('GET', `${RULES}?limit=2`);
    expect(orderOf(page)).toEqual(['second', 'invoices-refunds']);
    const rest = await hub.admin('GET', `${RULES}?limit=2&cursor=${page.body.nextCursor}`);
    expect(orderOf(rest)).toEqual(['first']);
    expect(rest.body.nextCursor).toBeNull();
    expect((await hub.admin('DELETE', path)).status).toBe(204);
    expect((await hub.admin('DELETE', path)).status).toBe(404);
    expect((await hub.admin('GET', path)).status).toBe(404);
    expect((await hub.admin('PATCH', path, { name: 'x' })).status).toBe(404);
  });

  const target = { agentId: 'billing' };
  it.each<[JsonObject, string]>([
    [{ target: {} }, 'target'],
    [{}, 'target'],
    [{ target: 'billing' }, 'target'],
    [{ target: { agentId: 'billing', reject: 'No.' } }, 'target'],
    [{ target: { agentId: 'biling' } }, 'target.agentId'],
    [{ target: { skillId: 'billing.walk' } }, 'target.skillId'],
    [{ target: { composite: 'nothing' } }, 'target.composite'],
    [{ target: { tags: ['a'], strategy: 'chain' } }, 'target.strategy'],
    [{ target: { tags: ['a'], quorum: 2 } }, 'target.quorum'],
    [{ target: { reject: 'x'.repeat(501) } }, 'target.reject'],
    [{ target: { reject: 'a\nb' } }, 'target.reject'],
    [{ target, name: '' }, 'name'],
    [{ target, name: 'safe\u202Eevil' }, 'name'],
    [{ target, id: 'No spaces' }, 'id'],
    [{ target, position: 0 }, 'position'],
    [{ target, position: 7 }, 'position'],
    [{ target, enabled: 'yes' }, 'enabled'],
    [{ target, conditions: [] }, 'conditions'],
    [{ target, conditions: null }, 'conditions'],
    [{ target, conditions: { colour: 'red' } }, 'conditions.colour'],
    [{ target, conditions: { organizations: [] } }, 'conditions.organizations'],
    [{ target, conditions: { organizations: 'acme' } }, 'conditions.organizations'],
    [{ target, conditions: { scopes: ['root'] } }, 'conditions.scopes'],
    [{ target, conditions: { inputTypes: ['image'] } }, 'conditions.inputTypes'],
    [{ target, conditions: { tagMatch: 'all' } }, 'conditions.tagMatch'],
    [{ target, conditions: { text: 'invoice' } }, 'conditions.text'],
    [{ target, conditions: { text: { pattern: '(' } } }, 'conditions.text.pattern'],
    [{ target, conditions: { text: { pattern: '(?=x)' } } }, 'conditions.text.pattern'],
    [{ target, conditions: { text: { pattern: '\\pL{999}' } } }, 'conditions.text.pattern'],
    [{ target, conditions: { text: { pattern: 'a'.repeat(501) } } }, 'conditions.text.pattern'],
    [{ target, conditions: { text: { pattern: 7 } } }, 'conditions.text.pattern'],
    [{ target, conditions: { metadata: {} } }, 'conditions.metadata'],
    [{ target, conditions: { metadata: { a: { b: 1 } } } }, 'conditions.metadata'],
    [{ target, conditions: { metadata: { a: [null] } } }, 'conditions.metadata'],
    [{ target, more: 1 }, 'more'],
  ])('refuses %j, naming the field', async (fields, field) => {
    const { status, body } = await hub.admin('POST', RULES, { name: 'Rule', ...fields });
    expect(status).toBe(400);
    const named = (body.errors as { field: string }[]).map((error) => error.field);
    expect(named).toContain(field);
    expect(orderOf(await hub.admin('GET', RULES))).toEqual([]);
  });

  it('says what is near a target that is not there, and why a pattern is wrong', async () => {
    const agent = await hub.admin('POST', RULES, { name: 'r', target: { agentId: 'biling' } });
    expect(agent.body.detail).toContain('near it: "billing"');
    const conditions = { text: { pattern: 'a(b' } };
    const pattern = await hub.admin('POST', RULES, { name: 'r', conditions, target });
    expect(pattern.body.detail).toContain('missing closing )');
  });

  it('refuses a taken id, an incomplete order, a foreign cursor and a colon too many', async () => {
    await addRule({ id: 'one', target });
    const again = await hub.admin('POST', RULES, { id: 'one', name: 'r', target });
    expect(again.status).toBe(409);
    const order = await hub.admin('POST', `${RULES}:reorder`, { ids: ['one', 'two'] });
    expect([order.status, order.body.errors[0].field]).toEqual([400, 'ids']);
    expect((await hub.admin('GET', `${RULES}?cursor=abc`)).status).toBe(400);
    expect((await hub.admin('POST', `${RULES}:delete`, {})).status).toBe(404);
    expect((await hub.admin('PATCH', `${RULES}/one`, { id: 'two' })).status).toBe(400);
  });

  it('is for those who manage routing', async () => {
    const key = await hub.createKey();
    expect((await hub.admin('GET', RULES, undefined, key)).status).toBe(403);
    expect((await hub.admin('POST', RULES, { name: 'r', target }, key)).status).toBe(403);
    const agents = await hub.createKey({ scopes: ['agents'] });
    expect((await hub.admin('GET', RULES, undefined, agents)).status).toBe(403);
    const operator = await hub.createKey({ scopes: ['routing'] });
    expect((await hub.admin('GET', RULES, undefined, operator)).status).toBe(200);
    expect((await fetch(hub.url + RULES)).status).toBe(401);
  });
});

describe('a message that names no agent', () => {
  it('goes where the first rule says that applies, by each condition', async () => {
    await addRule({
      conditions: { text: { pattern: '\\binvoice' } },
      target: { agentId: 'billing' },
    });
    await addRule({ conditions: { inputTypes: ['image/*'] }, target: { skillId: 'vision.work' } });
    await addRule({
      conditions: { metadata: { 'customer.tier': ['gold', 'platinum'] } },
      target: { tags: ['pictures'] },
    });
    await addRule({ conditions: { organizations: ['acme'] }, target: { agentId: 'inner' } });
    await addRule({ conditions: { tags: ['accounting'] }, target: { tags: ['money'] } });
    await addRule({
      conditions: { scopes: ['tasks:organization'] },
      target: { agentId: 'vision' },
    });
    expect(await answerer('hello')).toBe('desk');
    expect(await answerer('my invoice, please')).toBe('billing');
    expect(await answerer('invoices are not myinvoice')).toBe('billing');
    const picture = { url: 'https://x.example/a.png', mediaType: 'image/png' };
    expect(await answerer('', { parts: [{ text: 'what is it?' }, picture] })).toBe('vision');
    const metadata = { customer: { tier: 'gold' } };
    expect(await answerer('hello', { metadata })).toBe('vision');
    expect(await answerer('hello', { metadata: { skillTags: ['accounting'] } })).toBe('billing');
    expect(await answerer('hello', { metadata: { tags: ['Accounting'] } })).toBe('billing');
    const acme = await hub.createKey({ organization: 'acme' });
    expect(await answerer('hello', {}, acme)).toBe('inner');
    const reader = await hub.createKey({ scopes: ['a2a', 'tasks:organization'] });
    expect(await answerer('hello', {}, reader)).toBe('vision');
  });

  it('meets no rule when it names where it goes, nor one about other things when its tags fail', async () => {
    await addRule({ target: { agentId: 'billing' } });
    expect(await answerer('x', { metadata: { agentId: 'desk' } })).toBe('desk');
    expect(await answerer('x', { metadata: { skillTags: ['pictures'] } })).toBe('vision');
    const unknown = answerer('x', { metadata: { skillTags: ['unheard-of'] } });
    await expect(unknown).rejects.toThrow(/No skill carries all of the tags unheard-of/);
  });

  it('meets the rules in their order, and the new order at once', async () => {
    await addRule({ id: 'a', target: { agentId: 'billing' } });
    await addRule({ id: 'b', target: { agentId: 'vision' } });
    expect(await answerer('x')).toBe('billing');
    await hub.admin('POST', `${RULES}:reorder`, { ids: ['b', 'a'] });
    expect(await answerer('x')).toBe('vision');
    await hub.admin('PATCH', `${RULES}/b`, { enabled: false });
    expect(await answerer('x')).toBe('billing');
    await hub.admin('DELETE', `${RULES}/a`);
    expect(await answerer('x')).toBe('desk');
  });

  it("is refused in the operator's words", async () => {
    const reject = 'Payroll questions go to payroll@acme.example.';
    await addRule({
      name: 'Payroll',
      conditions: { text: { pattern: 'salary' } },
      target: { reject },
    });
    const refused = await answerer('my salary').catch((error: unknown) => error as RpcError);
    expect(refused).toBeInstanceOf(RpcError);
    expect(JSON.stringify([(refused as RpcError).message, (refused as RpcError).data])).toContain(
      reject,
    );
  });

  it('passes over a rule whose agent is gone, which the rule and the route tell', async () => {
    await addAgent('passing', ['passing']);
    const { id } = await addRule({ name: 'To passing', target: { agentId: 'passing' } });
    expect(await answerer('x')).toBe('passing');
    await hub.admin('PATCH', '/api/v1/agents/passing', { enabled: false });
    expect((await hub.admin('GET', `${RULES}/${id as string}`)).body.problem).toBe(
      'No agent "passing" is available. It is disabled.',
    );
    await hub.admin('DELETE', '/api/v1/agents/passing');
    expect((await hub.admin('GET', `${RULES}/${id as string}`)).body.problem).toBe(
      'No agent "passing" is available.',
    );
    expect(await answerer('x')).toBe('desk');
    const { body } = await hub.admin('POST', DRY_RUN, { message: { parts: [{ text: 'x' }] } });
    expect(body.passedRules).toEqual([
      {
        id,
        name: 'To passing',
        why: 'Rule "To passing" (no. 1) applies, but no agent "passing" is available.',
      },
    ]);
    // It may be renamed all the same, but not led there again.
    const renamed = await hub.admin('PATCH', `${RULES}/${id as string}`, { name: 'Passing' });
    expect(renamed.status).toBe(200);
    const led = await hub.admin('PATCH', `${RULES}/${id as string}`, {
      target: { agentId: 'passing' },
    });
    expect(led.status).toBe(400);
  });

  it('is not led to an agent that is closed to its organization', async () => {
    await addRule({ target: { agentId: 'inner' } });
    expect(await answerer('x')).toBe('desk');
    expect(await answerer('x', {}, await hub.createKey({ organization: 'acme' }))).toBe('inner');
  });

  it('cannot be made so costly, with the others, that it holds the hub up', async () => {
    const costly = ['a', 'b', 'd'].map((name) => {
      const conditions = { text: { pattern: `${name}.{200}c` } };
      return { name, conditions, target: { agentId: 'billing' } };
    });
    await addRule(costly[0]!);
    await addRule(costly[1]!);
    await addRule({ ...costly[2], enabled: false });
    const answers = [
      await hub.admin('POST', RULES, costly[2]),
      await hub.admin('PATCH', `${RULES}/d`, { enabled: true }),
      await hub.admin('POST', DRY_RUN, { rule: costly[2] }),
    ];
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([400, expect.stringContaining('makes 612 instructions')]);
    }
  });
});

describe('a dry run of rules', () => {
  const message = { parts: [{ text: 'my invoice' }] };
  const tried = (body: object, key?: string): Promise<HttpAnswer> =>
    hub.admin('POST', DRY_RUN, { message, ...body }, key);

  it('tells which rule decides, why, and why each before it does not', async () => {
    await addRule({
      id: 'acme',
      conditions: { organizations: ['acme'], text: { pattern: 'x' } },
      target: { agentId: 'inner' },
    });
    await addRule({ id: 'off', enabled: false, target: { reject: 'No.' } });
    await addRule({
      id: 'money',
      name: 'Money',
      conditions: { text: { pattern: 'INVOICE', ignoreCase: true } },
      target: { agentId: 'billing', deadlineSeconds: 60 },
    });
    await addRule({ id: 'rest', target: { agentId: 'vision' } });
    const { status, body } = await tried({});
    expect(status).toBe(200);
    const why = 'Rule "Money" (no. 3): the text has "invoice".';
    expect(body).toMatchObject({
      reason: 'rule',
      rule: { id: 'money', name: 'Money' },
      deadlineMs: 60_000,
      chosen: [{ agentId: 'billing', why: expect.stringContaining(why) }],
    });
    expect(body.rules).toEqual([
      {
        id: 'acme',
        name: 'Rule',
        position: 1,
        outcome: 'does-not-apply',
        why: 'The organization is "default", not acme; the text does not match /x/.',
      },
      { id: 'off', name: 'Rule', position: 2, outcome: 'does-not-apply', why: 'It is disabled.' },
      { id: 'money', name: 'Money', position: 3, outcome: 'decides', why },
      {
        id: 'rest',
        name: 'Rule',
        position: 4,
        outcome: 'not-evaluated',
        why: 'Rule no. 3 decides.',
      },
    ]);
  });

  it('tries a rule before it is saved, at its place among the others or in the place of one', async () => {
    await addRule({ id: 'rest', target: { agentId: 'vision' } });
    const rule = { name: 'New', target: { agentId: 'billing' } };
    expect((await tried({ rule })).body).toMatchObject({ rule: { id: 'rest' } });
    expect((await tried({ rule: { ...rule, position: 1 } })).body).toMatchObject({
      rule: { id: 'new', name: 'New' },
      rules: [{ id: 'new' }, { id: 'rest', outcome: 'not-evaluated' }],
    });
    expect((await tried({ rule: { ...rule, id: 'rest' } })).body).toMatchObject({
      chosen: [{ agentId: 'billing' }],
      rules: [{ id: 'rest', name: 'New' }],
    });
    expect(orderOf(await hub.admin('GET', RULES))).toEqual(['rest']);
    expect(await answerer('my invoice')).toBe('vision');
  });

  it('tries other rules in the place of all, for another caller', async () => {
    await addRule({ target: { agentId: 'vision' } });
    const rules = [
      { name: 'Inner', conditions: { organizations: ['acme'] }, target: { agentId: 'inner' } },
      { name: 'Gone', target: { agentId: 'nobody' } },
      { name: 'Never', target: { reject: 'Not here.' } },
    ];
    const acme = await tried({ rules, caller: { organization: 'acme' } });
    expect(acme.body).toMatchObject({ rule: { name: 'Inner' }, chosen: [{ agentId: 'inner' }] });
    const { status, body } = await tried({ rules });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: 'Not here.' });
    expect(body.metadata.rules.split('\n')).toEqual([
      '1. Inner: does-not-apply. The organization is "default", not acme.',
      '2. Gone: passed-over. It applies, but no agent "nobody" is available.',
      '3. Never: decides. Rule "Never" (no. 3): it has no conditions.',
    ]);
    expect(JSON.parse(body.metadata.ruleReports)).toMatchObject([
      { name: 'Inner', position: 1, outcome: 'does-not-apply' },
      { name: 'Gone', position: 2, outcome: 'passed-over' },
      { name: 'Never', position: 3, outcome: 'decides' },
    ]);
    expect((await tried({ rules: [] })).body).toMatchObject({ reason: 'default', rules: [] });
  });

  it('warns of an organization that there is not, whether the message is refused or not', async () => {
    await hub.createKey({ organization: 'umbrella' });
    const known = await tried({ caller: { organization: 'umbrella' } });
    expect([known.status, known.body.warnings]).toEqual([200, undefined]);
    for (const organization of ['no-such', 'Umbrella']) {
      const caller = { organization };
      const warning = `There is no organization of the id "${organization}".`;
      expect((await tried({ caller })).body.warnings).toEqual([warning]);
      const refused = await tried({
        rules: [{ name: 'Never', target: { reject: 'No.' } }],
        caller,
      });
      expect([refused.status, refused.body.metadata.warnings]).toEqual([422, warning]);
    }
  });

  it.each<[object, string]>([
    [{ rules: [{ name: 'r', target: {} }] }, 'rules[0].target'],
    [{ rules: [{ name: 'r' }] }, 'rules[0].target'],
    [{ rules: [{ name: 'r', position: 1, target: { reject: 'x' } }] }, 'rules[0].position'],
    [
      { rule: { name: 'r', conditions: { text: { pattern: '[' } }, target: { reject: 'x' } } },
      'rule.conditions.text.pattern',
    ],
    [{ rule: { name: 'r', target: { reject: 'x' } }, rules: [] }, 'rule'],
    [{ rules: null }, 'rules'],
    [{ caller: { scopes: ['root'] } }, 'caller.scopes'],
  ])('refuses %j, naming the field', async (body, field) => {
    const answer = await tried(body);
    expect(answer.status).toBe(400);
    const named = (answer.body.errors as { field: string }[]).map((error) => error.field);
    expect(named).toContain(field);
  });

  it('shows rules, and lets them be tried, to those who manage them only', async () => {
    await addRule({ conditions: { organizations: ['acme'] }, target: { agentId: 'inner' } });
    const key = await hub.createKey();
    expect((await tried({}, key)).text).not.toContain('acme');
    await addRule({ name: 'Restructuring', target: { agentId: 'inner' } });
    const conditions = { text: { pattern: 'invoice|redundan' } };
    await addRule({ name: 'Layoffs', conditions, target: { agentId: 'billing' } });
    const ruled = await tried({}, key);
    expect(ruled.body.chosen[0].why).toMatch(/^By a rule of the operator\./);
    expect(ruled.text).not.toMatch(/layoffs|restructuring|redundan|inner/i);
    for (const body of [{ rules: [] }, { caller: { organization: 'acme' } }]) {
      expect((await tried(body, key)).status).toBe(403);
    }
  });
});
