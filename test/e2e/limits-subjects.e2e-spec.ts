import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { LogLines } from '../support/log-lines.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const PATH = '/api/v1/limits';
const WARNING =
  'limits name principals, organizations, agents or skills that do not exist: they have no effect until these come';

const log = new LogLines();
let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  agent = await ScriptedAgent.start({ skills: [{ id: 'read', tags: ['books'] }] });
  const declared = [
    { id: 'mistyped', agent: 'boks', openTasks: 3 },
    { id: 'coming', agent: 'coming', openTasks: 3 },
    { id: 'default', organization: 'default', openTasks: 3 },
    { id: 'admin', principal: 'admin', openTasks: 3 },
  ];
  const prices = [
    { unit: 'EUR', perTask: 1 },
    { agent: 'boks', unit: 'EUR', perTask: 2 },
    { agent: 'coming', unit: 'EUR', perTask: 2 },
    { skill: 'boks.read', unit: 'tokens', perTask: 2 },
  ];
  const coming = { id: 'coming', cardUrl: 'http://127.0.0.1:9/card.json' };
  hub = await startHub({
    config: { limits: { declared, prices }, agents: { declared: [coming] } },
    providers: log.providers,
  });
});
afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

async function put(id: string, limit: JsonObject): Promise<unknown> {
  const { body } = await hub.admin('PUT', `${PATH}/${id}`, { openTasks: 1, ...limit });
  return body.problems;
}

const problemsOf = async (id: string): Promise<unknown> =>
  (await hub.admin('GET', `${PATH}/${id}`)).body.problems;

it('a declared limit of an agent that does not exist keeps no hub from starting, and is told of', async () => {
  const problems = [{ field: 'agent', description: 'is not registered' }];
  expect(log.of(WARNING, 'warn')).toEqual([{ limits: [{ id: 'mistyped', problems }], count: 1 }]);
  const { body } = await hub.admin('GET', PATH);
  expect(body.items.map((each: JsonObject) => [each['id'], each['problems']])).toEqual([
    ['mistyped', problems],
    ['coming', []],
    ['default', []],
    ['admin', []],
  ]);
});

it('a limit tells what it names and does not exist, until that does', async () => {
  const before = log.of(WARNING).length;
  expect(await put('p', { principal: 'who' })).toEqual([
    { field: 'principal', description: 'does not exist' },
  ]);
  expect(await put('o', { organization: 'acme', agent: 'books' })).toEqual([
    { field: 'organization', description: 'does not exist' },
    { field: 'agent', description: 'is not registered' },
  ]);
  expect(await put('s', { skill: 'books.read' })).toEqual([
    { field: 'skill', description: 'is of an agent that is not registered: books' },
  ]);
  expect(await put('t', { skill: 'books.write' })).toHaveLength(1);
  expect(log.of(WARNING)).toHaveLength(before + 4);
  expect(log.of(WARNING).at(-1)).toMatchObject({ limits: [{ id: 't' }], count: 1 });

  await hub.registerAgent(agent.url, { id: 'books' });
  const principal = { id: 'who', organization: 'acme' };
  expect((await hub.admin('POST', '/api/v1/principals', principal)).status).toBe(201);
  for (const id of ['p', 'o', 's']) expect(await problemsOf(id)).toEqual([]);
  expect(await problemsOf('t')).toEqual([
    { field: 'skill', description: 'is none of the agent books' },
  ]);
  expect(await put('p', { principal: 'who', openTasks: 2 })).toEqual([]);
  expect(log.of(WARNING)).toHaveLength(before + 4);
});

it('prices of agents and skills that do not exist are told of', () => {
  const warning =
    'limits.prices names agents or skills that do not exist: these prices have no effect until they come';
  const wrong = { agent: null, skill: null };
  expect(log.of(warning, 'warn')).toEqual([
    {
      count: 2,
      prices: [
        {
          ...{ ...wrong, agent: 'boks', unit: 'EUR' },
          problems: [{ field: 'agent', description: 'is not registered' }],
        },
        {
          ...{ ...wrong, skill: 'boks.read', unit: 'tokens' },
          problems: [
            { field: 'skill', description: 'is of an agent that is not registered: boks' },
          ],
        },
      ],
    },
  ]);
});
