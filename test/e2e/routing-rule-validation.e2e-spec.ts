import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { FileHub } from '../support/file-hub.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const RULES = '/api/v1/routes/rules';
let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start({ streaming: false })]);
  await hub.registerAgent(agent.url, { id: 'billing' });
  await hub.registerAgent(agent.url, { id: 'resting' });
  await hub.admin('PATCH', '/api/v1/agents/resting', { enabled: false });
  const present = { id: 'present', name: 'Present', target };
  expect((await hub.admin('POST', RULES, present)).status).toBe(201);
});
afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

const target = { agentId: 'billing' };
const validate = (fields: JsonObject, query = '', key = hub.adminKey): Promise<HttpAnswer> =>
  hub.admin('POST', `${RULES}:validate${query}`, { name: 'Rule', ...fields }, key);
const create = (fields: JsonObject): Promise<HttpAnswer> =>
  hub.admin('POST', RULES, { name: 'Rule', ...fields });
const problemsOf = ({ body }: HttpAnswer): string[] =>
  (body.problems as { field: string }[]).map(({ field }) => field);

describe('the validation of a rule', () => {
  it('says that it could be saved, and saves nothing', async () => {
    const before = (await hub.admin('GET', RULES)).text;
    const revision = (await hub.admin('GET', '/api/v1/audit?limit=1')).body.items[0]?.id;
    const answer = await validate({ id: 'fresh', target, position: 1 });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ valid: true, problems: [], problem: null });
    expect((await hub.admin('GET', RULES)).text).toBe(before);
    expect((await hub.admin('GET', `${RULES}/fresh/versions`)).status).toBe(404);
    const newest = (await hub.admin('GET', '/api/v1/audit?limit=1')).body.items[0]?.id;
    expect(newest).toBe(revision);
    expect((await create({ id: 'fresh', target })).status).toBe(201);
    expect((await hub.admin('DELETE', `${RULES}/fresh`)).status).toBe(204);
  });

  it('names everything that is wrong at once', async () => {
    const answer = await validate({
      id: 'present',
      position: 9,
      conditions: { tagMatch: 'all', text: { pattern: '(' } },
      target: { agentId: 'biling' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ valid: false, problem: null });
    expect(answer.body.problems).toEqual([
      { field: 'id', description: 'is the id of another rule' },
      { field: 'conditions.text.pattern', description: expect.any(String) },
      { field: 'conditions.tagMatch', description: 'needs tags' },
      {
        field: 'target.agentId',
        description: 'is not the id of a registered agent; near it: "billing"',
      },
      { field: 'position', description: 'must be from 1 to 2' },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['nothing wrong', { target }],
    ['two targets', { target: { agentId: 'billing', reject: 'No.' } }],
    ['no agent', { target: { agentId: 'nobody' } }],
    ['no skill', { target: { skillId: 'billing.nothing' } }],
    ['no composite skill', { target: { composite: 'nothing' } }],
    ['tags of nobody yet', { target: { tags: ['later'] } }],
    ['no such place', { target, position: 3 }],
    ['a place', { target, position: 2 }],
    ['a taken id', { target, id: 'present' }],
    ['a quorum of nothing', { target: { tags: ['a'], quorum: 2 } }],
    ['a costly pattern', { target, conditions: { text: { pattern: 'a.{300}' } } }],
  ])('says what saving does of one with %s', async (_, fields) => {
    const { body } = await validate(fields);
    const saved = await create(fields);
    expect(saved.status === 201).toBe(body.valid);
    if (saved.status === 201) await hub.admin('DELETE', `${RULES}/${saved.body.id}`);
  });

  it('counts the patterns of the others', async () => {
    const text = (letter: string) => ({ text: { pattern: `${letter}.{200}` } });
    for (const id of ['p', 'q']) {
      expect((await create({ id, target, conditions: text(id) })).status).toBe(201);
    }
    const third = { target, conditions: text('r') };
    const answer = await validate(third);
    expect(problemsOf(answer)).toEqual(['conditions.text.pattern']);
    expect(answer.body.problems[0].description).toContain('with the patterns of the other rules');
    // In the place of one of them, or out of force, it is taken.
    expect((await validate({ ...third, id: 'p' }, '?replaces=p')).body.valid).toBe(true);
    expect((await validate({ ...third, enabled: false })).body.valid).toBe(true);
    for (const id of ['p', 'q']) await hub.admin('DELETE', `${RULES}/${id}`);
  });

  it('tells why messages would skip it', async () => {
    const { body } = await validate({ target: { agentId: 'resting' } });
    expect(body).toMatchObject({
      valid: true,
      problem: expect.stringMatching(/It is disabled\.$/),
    });
  });

  it('is of a change where it says which rule it replaces', async () => {
    const valid = { valid: true, problems: [], problem: null };
    const changed = await validate({ id: 'present', target, position: 1 }, '?replaces=present');
    expect(changed.body).toEqual(valid);
    expect((await validate({ target }, '?replaces=present')).body).toEqual(valid);
    const moved = await validate({ target, position: 2 }, '?replaces=present');
    expect(problemsOf(moved)).toEqual(['position']);
    const renamed = await validate({ id: 'other', target }, '?replaces=present');
    expect(renamed.body.problems).toEqual([
      { field: 'id', description: 'cannot be changed: it is present' },
    ]);
    expect((await validate({ target }, '?replaces=nobody')).status).toBe(404);
    expect((await validate({ target }, '?replaces=No%20Id')).status).toBe(400);
    expect((await validate({ target }, '?organization=acme')).status).toBe(400);
  });

  it.each<[JsonObject, string]>([
    [{}, 'target'],
    [{ target: null }, 'target'],
    [{ target: 'billing' }, 'target'],
    [{ target: ['billing'] }, 'target'],
    [{ target: { agentId: 7 } }, 'target.agentId'],
    [{ target: { agentId: 'x'.repeat(64) } }, 'target.agentId'],
    [{ target: { reject: 'a\nb' } }, 'target.reject'],
    [{ target, name: '' }, 'name'],
    [{ target, name: ['Rule'] }, 'name'],
    [{ target, name: 'safe\u202Eevil' }, 'name'],
    [{ target, id: '../present' }, 'id'],
    [{ target, enabled: 'yes' }, 'enabled'],
    [{ target, position: '1' }, 'position'],
    [{ target, position: 1.5 }, 'position'],
    [{ target, conditions: [] }, 'conditions'],
    [{ target, conditions: { metadata: { a: { b: 1 } } } }, 'conditions.metadata'],
    [{ target, conditions: { text: { pattern: 'a'.repeat(501) } } }, 'conditions.text.pattern'],
    [{ target, version: 1 }, 'version'],
    [{ target, source: 'config' }, 'source'],
  ])('refuses what has not the form of a rule: %j', async (fields, field) => {
    const { status, body } = await validate(fields);
    expect(status).toBe(400);
    expect((body.errors as { field: string }[]).map((error) => error.field)).toContain(field);
  });

  it('refuses what is no JSON object, or reaches for a prototype', async () => {
    const { adminKey: key } = hub;
    for (const body of ['', '[]', '7', '{', '{"__proto__":{"target":{"agentId":"billing"}}}']) {
      expect((await hub.post(`${RULES}:validate`, body, { key })).status).toBe(400);
    }
  });

  it('is for those who may make one, of whatever organization', async () => {
    for (const scopes of [['a2a'], ['agents', 'access', 'audit'], ['agents:organization']]) {
      const key = await hub.createKey({ scopes, organization: 'acme' });
      expect((await validate({ target }, '', key)).status).toBe(403);
      expect((await hub.admin('POST', RULES, { name: 'Rule', target }, key)).status).toBe(403);
    }
    const key = await hub.createKey({ scopes: ['routing'], organization: 'acme' });
    expect((await validate({ target }, '', key)).body).toMatchObject({ valid: true });
    expect((await fetch(`${hub.url}${RULES}:validate`, { method: 'POST' })).status).toBe(401);
    expect((await hub.admin('GET', `${RULES}:validate`)).status).toBe(405);
  });
});

describe('the validation beside rules that the file declares', () => {
  const files = new FileHub();
  afterAll(() => files.remove());

  it('knows that these are changed there, and come first', async () => {
    files.write({ rules: [{ id: 'fixed', name: 'Fixed', target: { reject: 'No.' } }] });
    const inFile = await files.start();
    try {
      const answer = async (fields: JsonObject, query = ''): Promise<string[]> =>
        problemsOf(
          await inFile.admin('POST', `${RULES}:validate${query}`, {
            name: 'Rule',
            target: { reject: 'No.' },
            ...fields,
          }),
        );
      expect(await answer({ position: 2 })).toEqual([]);
      expect(await answer({ position: 1 })).toEqual(['position']);
      expect(await answer({ id: 'fixed' })).toEqual(['id']);
      expect(await answer({}, '?replaces=fixed')).toEqual(['id']);
    } finally {
      await inFile.close();
    }
  });
});
