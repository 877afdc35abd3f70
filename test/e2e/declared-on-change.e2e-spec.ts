import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { createApp } from '../../src/bootstrap.js';
import { Log } from '../../src/common/logger.js';
import { ConfigError, ProcessConfigSource } from '../../src/config/index.js';
import { ADMIN_KEY, Hub } from '../support/app.js';
import { artifactTexts } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const RULES = '/api/v1/routes/rules';
const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-declared-'));
const file = join(folder, 'hub.yaml');
const environment = (database: string): Record<string, string> => ({
  A2A_HUB_CONFIG: file,
  A2A_HUB__SERVER__PORT: '0',
  A2A_HUB__DATABASE__URL: `sqlite:${join(folder, database)}`,
  A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
  A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
  A2A_HUB__LOG__LEVEL: 'silent',
});
const declare = (content: object): void => writeFileSync(file, stringify(content));

let hub: Hub;
const errors: unknown[] = [];
const nothing = (): void => undefined;
const log: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: (fields) => errors.push(fields),
};
const agents: ScriptedAgent[] = [];

/** An agent that answers with its own name. */
async function agentCalled(name: string): Promise<string> {
  const agent = await ScriptedAgent.start({
    name,
    streaming: false,
    handlers: {
      '*': (call) =>
        call.result({ message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: name }] } }),
    },
  });
  agents.push(agent);
  return agent.url;
}

beforeAll(async () => {
  declare({ rules: [{ name: 'First', target: { agentId: 'one' } }] });
  const config = new ProcessConfigSource(environment('hub.db'));
  const providers = [{ provide: Log, useValue: log }];
  const app = await createApp({ config, providers });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  hub = new Hub(`http://127.0.0.1:${port}`, app, '', folder);
  for (const id of ['one', 'two']) await hub.registerAgent(await agentCalled(id), { id });
});

afterAll(async () => {
  await hub?.close();
  for (const agent of agents) await agent.close();
  rmSync(folder, { recursive: true, force: true });
});

async function answerer(): Promise<string> {
  const { message } = (await hub.send('hello')) as { message: { parts: { text: string }[] } };
  return message.parts[0]!.text;
}

const listed = async (): Promise<string[]> => {
  const { body } = await hub.admin('GET', RULES);
  return (body.items as { id: string; position: number; source: string }[]).map(
    ({ id, position, source }) => `${position} ${id} ${source}`,
  );
};

it('keeps declared rules before those of the API, which cannot change them', async () => {
  expect(await answerer()).toBe('one');
  const made = await hub.admin('POST', RULES, { name: 'Second', target: { agentId: 'two' } });
  expect(made.body).toMatchObject({ position: 2 });
  expect(await listed()).toEqual(['1 first config', '2 second api']);
  expect(await answerer()).toBe('one');
  for (const [method, path, body] of [
    ['PATCH', `${RULES}/first`, { enabled: false }],
    ['DELETE', `${RULES}/first`, undefined],
    ['POST', RULES, { id: 'first', name: 'x', target: { agentId: 'two' } }],
  ] as const) {
    const answer = await hub.admin(method, path, body);
    expect([answer.status, answer.body.detail]).toEqual([
      409,
      'The rule first is declared in the configuration (rules); change it there.',
    ]);
  }
  const front = await hub.admin('PATCH', `${RULES}/second`, { position: 1 });
  expect([front.status, front.text]).toEqual([400, expect.stringContaining('come first')]);
});

it('follows the file while it runs, and stays with what it had when the file is wrong', async () => {
  declare({ rules: [{ name: 'Off', enabled: false, target: { agentId: 'one' } }] });
  await eventually(async () => {
    expect(await listed()).toEqual(['1 off config', '2 second api']);
  }, 10_000);
  expect(await answerer()).toBe('two');
  declare({ rules: [{ name: 'Wrong', target: {} }] });
  await eventually(() => expect(errors).toHaveLength(1), 10_000);
  expect(errors).toEqual([
    expect.objectContaining({ problems: [expect.objectContaining({ key: 'rules[0].target' })] }),
  ]);
  expect(await listed()).toEqual(['1 off config', '2 second api']);
  declare({ rules: [{ id: 'second', name: 'Instead', target: { agentId: 'one' } }] });
  await eventually(async () => expect(await listed()).toEqual(['1 second config']), 10_000);
  expect(await answerer()).toBe('one');
  declare({});
  await eventually(async () => expect(await listed()).toEqual(['1 second api']), 10_000);
});

it.each([
  [
    '/api/v1/limits',
    (id: string, organization: string) => ({ id, organization, openTasks: 5 }),
    (...declared: JsonObject[]) => ({ limits: { declared } }),
  ],
  [
    '/api/v1/policies',
    (id: string, organization: string) => ({
      ...{ id, organization },
      text: 'forbid(principal, action, resource in Tag::"secret");',
    }),
    (...declared: JsonObject[]) => ({ policies: { declared } }),
  ],
])(
  'declared ones take the place of those of the API with their id (%s)',
  async (path, one, all) => {
    const make = async (id: string, organization: string): Promise<number> => {
      const written = one(id, organization);
      const { id: _, ...limit } = written;
      const made = path.endsWith('limits')
        ? await hub.admin('PUT', `${path}/${id}`, limit)
        : await hub.admin('POST', path, written);
      return made.status;
    };
    const pages = async (): Promise<string[]> => {
      const found: string[] = [];
      let cursor = '';
      do {
        const { body } = await hub.admin('GET', `${path}?limit=1${cursor}`);
        const [{ id, source, organization }] = body.items as [Record<string, string>];
        found.push(`${id} ${source} ${organization}`);
        cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor as string}`;
      } while (cursor !== '' && found.length < 9);
      return found;
    };
    expect([await make('p', 'mine'), await make('q', 'mine-too')]).toEqual([201, 201]);
    declare(all(one('p', 'declared')));
    await eventually(
      async () => expect(await pages()).toEqual(['p config declared', 'q api mine-too']),
      10_000,
    );
    declare({});
    await eventually(
      async () => expect(await pages()).toEqual(['p api mine', 'q api mine-too']),
      10_000,
    );
    declare(all(one('p', 'declared')));
    await eventually(async () => expect((await pages())[0]).toBe('p config declared'), 10_000);
    expect((await hub.admin('DELETE', `${path}/p`)).status).toBe(204);
    expect((await hub.admin('DELETE', `${path}/p`)).status).toBe(409);
    expect((await hub.admin('DELETE', `${path}/q`)).status).toBe(204);
    expect(await pages()).toEqual(['p config declared']);
    declare({});
    await eventually(
      async () => expect((await hub.admin('GET', path)).body).toMatchObject({ items: [] }),
      10_000,
    );
  },
);

it('adds, changes and removes declared agents with the file', async () => {
  const cardUrl = agents[0]!.url;
  const tagsOf = async (id: string): Promise<unknown> => {
    const { status, body } = await hub.admin('GET', `/api/v1/agents/${id}`);
    return status === 200 ? (body.tags as string[]) : status;
  };
  const expectTags = (id: string, expected: unknown): Promise<void> =>
    eventually(async () => expect(await tagsOf(id)).toEqual(expected), 10_000);
  declare({ agents: { declared: [{ id: 'three', cardUrl, tags: ['a'] }] } });
  await expectTags('three', ['a']);
  // Credentials for one organization are of the API, and stay while the agent is declared.
  const path = '/api/v1/agents/three/credentials/red';
  const credentials = { authorization: 'Bearer of the red team' };
  expect((await hub.admin('PUT', path, { credentials })).status).toBe(201);
  const key = await hub.createKey({ organization: 'red' });
  const sentAs = async (options: object): Promise<string | undefined> => {
    await hub.send('hi', { tenant: 'three' }, options);
    return agents[0]!.calls.at(-1)!.headers.authorization;
  };
  expect([await sentAs({ key }), await sentAs({})]).toEqual([credentials.authorization, undefined]);
  declare({
    agents: {
      declared: [
        { id: 'three', cardUrl, tags: ['b'] },
        { id: 'four', cardUrl },
      ],
    },
  });
  await expectTags('three', ['b']);
  await expectTags('four', []);
  expect([await sentAs({ key }), await sentAs({})]).toEqual([credentials.authorization, undefined]);
  declare({ agents: { declared: [{ id: 'four', cardUrl }] } });
  await expectTags('three', 404);
  expect((await hub.admin('GET', path)).status).toBe(404);
  expect(await tagsOf('four')).toEqual([]);
  expect(await tagsOf('one')).toEqual([]);
});

it('adds, changes and removes declared composite skills with the file', async () => {
  const path = '/api/v1/composite-skills/both';
  const both = {
    id: 'both',
    name: 'Both',
    description: 'Asks one, then two',
    steps: [
      { name: 'first', agentId: 'one' },
      { name: 'second', agentId: 'two' },
    ],
  };
  const read = async (): Promise<unknown> => {
    const { status, body } = await hub.admin('GET', path);
    return status === 200 ? [body.version, body.source, body.name] : status;
  };
  const expectRead = (expected: unknown): Promise<void> =>
    eventually(async () => expect(await read()).toEqual(expected), 10_000);
  declare({ compositeSkills: [both] });
  await expectRead([1, 'config', 'Both']);
  expect((await hub.get('/.well-known/agent-card.json')).text).toContain('"composite.both"');
  for (const [method, body] of [
    ['PATCH', { enabled: false }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await hub.admin(method, path, body);
    expect([answer.status, answer.body.detail]).toEqual([
      409,
      'both is declared in the configuration; change it there.',
    ]);
  }
  const metadata = { skillId: 'composite.both' };
  const { task } = await hub.send('hello', { message: { metadata } });
  expect(artifactTexts(task as JsonObject)).toEqual(['two']);

  declare({
    compositeSkills: [{ ...both, name: 'Two', steps: [{ name: 'a', agentId: 'absent' }] }],
  });
  await expectRead([2, 'config', 'Two']);
  await expect(hub.send('hello', { message: { metadata } })).rejects.toThrow(
    'No agent offers the skill "composite.both"',
  );
  errors.splice(0);
  declare({
    compositeSkills: [{ ...both, steps: [{ name: 'a', agentId: 'one', inputs: ['b'] }] }],
  });
  await eventually(() => expect(errors).toHaveLength(1), 10_000);
  expect(errors).toEqual([
    expect.objectContaining({
      problems: [expect.objectContaining({ key: 'compositeSkills[0].steps[0].inputs[0]' })],
    }),
  ]);
  expect(await read()).toEqual([2, 'config', 'Two']);
  declare({});
  await expectRead(404);
  expect((await hub.admin('GET', `${path}/versions/1`)).body).toMatchObject(both);
});

it('does not start with a composite skill that is wrong, and says everything', async () => {
  const steps = [
    { name: 'a', agentId: 'one', inputs: ['b'] },
    { name: 'b', agentId: 'one', speed: 'high' },
  ];
  declare({
    compositeSkills: [
      {
        id: 'x',
        name: 'X',
        description: 'x',
        steps: [{ ...steps[0] }, { name: 'b', agentId: 'one' }],
      },
      { id: 'y', name: 'Y', steps },
      { id: 'No' },
      { id: 'z', name: 'Z', description: 'z', steps: [{ name: 'a', agentId: 'one' }] },
      { id: 'z', name: 'Z', description: 'z', steps: [{ name: 'a', agentId: 'one' }] },
    ],
  });
  const app = await createApp({ config: new ProcessConfigSource(environment('third.db')) });
  const refused = await app.init().catch((error: unknown) => error);
  await app.close();
  expect(refused).toBeInstanceOf(ConfigError);
  const { message } = refused as Error;
  expect(message).toContain('compositeSkills[0].steps (file): wait for each other: a -> b -> a');
  expect(message).toContain('compositeSkills[1].description');
  expect(message).toContain('compositeSkills[1].steps[1].speed');
  expect(message).toContain('compositeSkills[2].id (file): must be 1 to 63 of a-z, 0-9 and -');
  expect(message).toContain('compositeSkills[2].name');
  expect(message).toContain(
    'compositeSkills[4].id (file): is the id of a composite skill before it',
  );

  declare({ compositeSkills: ['skill'] });
  const load = (): unknown => new ProcessConfigSource(environment('third.db')).load();
  expect(load).toThrow(/\[0\]: is not a mapping/);
});

it('does not start with a rule that is wrong, and says which', async () => {
  declare({ rules: [{ name: 'Wrong', target: { agentId: 'one', colour: 'red' } }] });
  const config = new ProcessConfigSource(environment('other.db'));
  const app = await createApp({ config });
  const refused = await app.init().catch((error: unknown) => error);
  await app.close();
  expect(refused).toBeInstanceOf(ConfigError);
  expect((refused as Error).message).toContain('rules[0].target.colour');
});
