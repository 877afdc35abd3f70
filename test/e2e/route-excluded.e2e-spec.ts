import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

/** Agents that the caller may not know of; each has the skill that it asks for. */
const HIDDEN = ['drained', 'theirs', 'forbidden'];

let hub: Hub;
let agent: ScriptedAgent;
/** A client of acme that reads the tasks of its organization. */
let key: string;
let reader: string;

beforeAll(async () => {
  [hub, agent] = await Promise.all([
    startHub(),
    ScriptedAgent.start({ skills: [{ id: 'sums', tags: ['numbers'] }] }),
  ]);
  const umbrella = { organizations: ['umbrella'], tags: ['closed'] };
  await hub.registerAgent(agent.url, { id: 'open' });
  await hub.registerAgent(agent.url, { id: 'drained', tags: ['closed'], enabled: false });
  await hub.registerAgent(agent.url, { id: 'theirs', ...umbrella });
  await hub.registerAgent(agent.url, { id: 'theirs-drained', enabled: false, ...umbrella });
  await hub.registerAgent(agent.url, { id: 'forbidden' });
  const text =
    'forbid(principal in Organization::"acme", action == Action::"SendMessage", resource in Agent::"forbidden");';
  const saved = await hub.admin('POST', '/api/v1/policies', { id: 'not-for-acme', text });
  expect(saved.status).toBe(201);
  key = await hub.createKey({ organization: 'acme', scopes: ['a2a', 'tasks:organization'] });
  reader = await hub.createKey({ scopes: ['tasks:all'] });
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

const EXPECTED = [
  { agentId: 'drained', skillId: 'sums', why: 'It was disabled by an operator.' },
  { agentId: 'forbidden', skillId: 'sums', why: 'It is forbidden by the policy not-for-acme.' },
];

async function sent(metadata: JsonObject): Promise<string> {
  return String((await hub.submit('go', { message: { metadata } }, { key }))['id']);
}
async function read(path: string, by?: string): Promise<Json> {
  const { status, body } = await hub.admin('GET', path, undefined, by);
  expect(status).toBe(200);
  return body;
}
const dryRun = (body: JsonObject, by?: string) =>
  hub.admin('POST', '/api/v1/routes:dry-run', body, by);

/** What a refusal tells of the agents that are excluded. */
function inRefusal(body: Json): unknown {
  return JSON.parse(body.metadata.excluded);
}

function expectNoneHidden(shown: unknown): void {
  const text = JSON.stringify(shown);
  for (const id of [...HIDDEN, 'not-for-acme', 'excluded']) expect(text).not.toContain(id);
}

describe('agents that a caller may not use', () => {
  it.each([[{ skillId: 'sums' }], [{ skillTags: ['numbers'] }]])(
    'are named with the reason in the route of %j and its story, for those who read the tasks of everybody',
    async (asked) => {
      const id = await sent(asked);
      const { route } = await read(`/api/v1/tasks/${id}`, reader);
      expect(route).toMatchObject({ chosen: [{ agentId: 'open' }], skipped: [] });
      expect(route['excluded']).toEqual(EXPECTED);
      // Agents of other organizations are not stored with each task.
      expect(route).toMatchObject({ excludedElsewhere: 2 });
      expect(JSON.stringify(route)).not.toContain('theirs');
      const story = JSON.stringify(await read(`/api/v1/tasks/${id}/explain`, reader));
      expect(story).toContain(
        'The agent drained (skill sums) could not be used by this caller: It was disabled by an operator.',
      );
      expect(story).toContain('forbidden by the policy not-for-acme');
      expect(story).toContain('2 agents that would fit are restricted to other organizations.');
    },
  );

  it('are shown in nothing that the caller and its organization read', async () => {
    const id = await sent({ skillId: 'sums' });
    const task = await hub.rpc('GetTask', { id }, { key });
    expectNoneHidden(task);
    expectNoneHidden(await read(`/api/v1/tasks/${id}`, key));
    expectNoneHidden(await read(`/api/v1/tasks/${id}/explain`, key));
    expectNoneHidden((await dryRun({ skillId: 'sums' }, key)).body);
    expectNoneHidden((await dryRun({ agentId: 'nothing' }, key)).body);
  });

  it('are named by a dry run for the caller, of a refusal too', async () => {
    const caller = { organization: 'acme' };
    expect((await dryRun({ skillId: 'sums', caller })).body).toMatchObject({
      chosen: [{ agentId: 'open' }],
      excluded: EXPECTED,
    });
    const refused = await dryRun({ agentId: 'forbidden', caller });
    expect(refused.status).toBe(422);
    const why = 'It is forbidden by the policy not-for-acme.';
    expect(inRefusal(refused.body)).toEqual({ excluded: [{ agentId: 'forbidden', why }] });
    const tagged = await dryRun({ tags: ['closed'], caller });
    expect(tagged.status).toBe(422);
    expect(inRefusal(tagged.body)).toEqual({
      excluded: [{ ...EXPECTED[0] }],
      excludedElsewhere: 2,
    });
    const named = await dryRun({ agentId: 'theirs', caller });
    expect(inRefusal(named.body)).toEqual({
      excluded: [{ agentId: 'theirs', why: 'It is restricted to other organizations.' }],
    });
    const theirs = await dryRun({ agentId: 'forbidden' }, key);
    expect(theirs.body).toMatchObject({ status: 422 });
    expect(theirs.text).not.toContain('not-for-acme');
  });

  it('are named where a rule leads to them', async () => {
    const rule = { name: 'Sums', target: { agentId: 'drained' }, conditions: {} };
    const made = await hub.admin('POST', '/api/v1/routes/rules', rule);
    expect(made.status).toBe(201);
    const other = { name: 'Else', target: { agentId: 'open' }, conditions: {} };
    expect((await hub.admin('POST', '/api/v1/routes/rules', other)).status).toBe(201);
    const id = await sent({});
    const { route } = await read(`/api/v1/tasks/${id}`, reader);
    expect(route).toMatchObject({
      reason: 'rule',
      passedRules: [{ name: 'Sums' }],
      excluded: [
        {
          agentId: 'drained',
          why: 'The rule "Sums" leads to it. It was disabled by an operator.',
        },
      ],
    });
    const { body } = await dryRun({ caller: { organization: 'acme' } });
    expect(body).toMatchObject({ excluded: [{ agentId: 'drained' }] });
  });
});
