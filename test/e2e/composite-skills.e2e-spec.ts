import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpAnswer, type Hub, type RpcError, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import type { Json, JsonObject } from '../support/json.js';

const PATH = '/api/v1/composite-skills';
const ROUTING = 'urn:a2a-hub:routing:v1';
let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
  await addAgent('extractor', 'extract', ['pdf']);
  await addAgent('translator', 'translate', ['french']);
  await addAgent('second', 'translate', ['french']);
  await addAgent('merger', 'merge', ['merge']);
  await addAgent('secret', 'audit', ['audit'], { organizations: ['acme'] });
});

afterAll(async () => {
  await hub?.close();
});

async function addAgent(
  id: string,
  skill: string,
  tags: string[],
  fields: JsonObject = {},
): Promise<void> {
  const added = await hub.admin('POST', '/api/v1/agents', {
    id,
    ...fields,
    card: {
      name: id,
      description: id,
      version: '1.0.0',
      supportedInterfaces: [
        { url: `http://127.0.0.1:9/${id}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: skill, name: skill, description: skill, tags }],
    },
  });
  expect(added.status).toBe(201);
}

/** A composite skill in its shortest form, changed as the test needs it. */
const composite = (id: string, changes: JsonObject = {}): JsonObject => ({
  id,
  name: 'Contract review',
  description: 'Extracts, translates and merges',
  steps: [
    { name: 'extract', agentId: 'extractor' },
    { name: 'translate', tags: ['french'], strategy: 'first' },
    { name: 'merge', skillId: 'merger.merge' },
  ],
  ...changes,
});

const post = (body: unknown): Promise<HttpAnswer> => hub.admin('POST', PATH, body);
const get = (path: string): Promise<HttpAnswer> => hub.admin('GET', `${PATH}${path}`);
const ifMatch = (method: string, id: string, tag: string, body?: unknown): Promise<HttpAnswer> =>
  hub.rest(method, `${PATH}/${id}`, body, { key: hub.adminKey, headers: { 'if-match': tag } });
const fieldsOf = ({ body }: HttpAnswer): string[] =>
  body.errors.map(({ field }: { field: string }) => field);

async function made(id: string, changes: JsonObject = {}): Promise<void> {
  expect((await post(composite(id, changes))).status).toBe(201);
}

describe('what is no composite skill', () => {
  it('has a name or a text that cannot be shown, or says nothing', async () => {
    const hidden = { name: '\u202Eevil\0', description: '  ', examples: ['a\0'] };
    const answer = await post(composite('unclean', hidden));
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer).sort()).toEqual(['description', 'examples', 'name']);
    expect((await post(composite('lines', { description: 'One line.\nAnother.' }))).status).toBe(
      201,
    );
    expect((await post({ id: 'empty', name: ' x' })).body.detail).toBe(
      'description: is required; steps: is required',
    );
  });

  it('reaches for a prototype, and is told so', async () => {
    const answer = await hub.post(PATH, '{"__proto__":{"id":"x"}}', { key: hub.adminKey });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      type: 'urn:a2a-hub:error:invalid-params',
      detail: expect.stringContaining('"__proto__"'),
    });
  });
});

describe('the life of a composite skill', () => {
  it('begins with what was written and the defaults of the rest', async () => {
    const answer = await post(composite('life'));
    expect(answer.status).toBe(201);
    expect(answer.headers['etag']).toBe('"1"');
    expect(answer.body).toEqual({
      ...composite('life'),
      skillId: 'composite.life',
      version: 1,
      source: 'api',
      tags: [],
      examples: [],
      inputModes: [],
      outputModes: [],
      organizations: null,
      enabled: true,
      deadlineSeconds: null,
      maxCalls: null,
      problems: [],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: answer.body.createdAt,
    });
    expect((await get('/life')).body).toEqual(answer.body);
    expect((await get('')).body.items).toContainEqual(answer.body);
  });

  it('goes on in versions, each of which stays readable', async () => {
    await made('versions');
    const steps = [{ name: 'extract', agentId: 'extractor', deadlineSeconds: 2.5 }];
    const changed = await hub.admin('PATCH', `${PATH}/versions`, { steps, maxCalls: 3 });
    expect(changed.status).toBe(200);
    expect(changed.headers['etag']).toBe('"2"');
    expect(changed.body).toMatchObject({ version: 2, steps, maxCalls: 3, name: 'Contract review' });
    const back = await hub.admin('PATCH', `${PATH}/versions`, { maxCalls: null });
    expect(back.body).toMatchObject({ version: 3, maxCalls: null });

    const versions = await get('/versions/versions?limit=2');
    expect(versions.body.items.map((each: Json) => each.version)).toEqual([3, 2]);
    const rest = await get(`/versions/versions?limit=2&cursor=${versions.body.nextCursor}`);
    expect(rest.body).toMatchObject({ items: [{ version: 1 }], nextCursor: null });
    expect((await get('/versions/versions/1')).body).toMatchObject(composite('versions'));
    expect((await get('/versions/versions/2')).body).toMatchObject({ steps, maxCalls: 3 });
  });

  it('makes no version of a change that changes nothing', async () => {
    await made('same');
    const { name, steps } = composite('same');
    const same = await hub.admin('PATCH', `${PATH}/same`, { steps, name, tags: [], enabled: true });
    expect(same.body).toMatchObject({ version: 1 });
  });

  it('changes only the version that If-Match names', async () => {
    await made('guarded');
    const stale = await ifMatch('PATCH', 'guarded', '"2"', { enabled: false });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ metadata: { version: '1' } });
    expect((await ifMatch('PATCH', 'guarded', '"1"', { enabled: false })).status).toBe(200);
    expect((await ifMatch('DELETE', 'guarded', '"1"')).status).toBe(409);
    expect(fieldsOf(await ifMatch('DELETE', 'guarded', 'two'))).toEqual(['If-Match']);
    expect((await ifMatch('DELETE', 'guarded', '"2"')).status).toBe(204);
  });

  it('ends with a deletion that leaves its versions; the next of its id counts on', async () => {
    await made('gone');
    expect((await hub.admin('DELETE', `${PATH}/gone`)).status).toBe(204);
    for (const path of ['/gone', '/nobody', '/nobody/versions', '/gone/versions/9']) {
      expect((await get(path)).status).toBe(404);
    }
    for (const version of ['0', 'x', '1e3', '99999999999']) {
      expect((await get(`/gone/versions/${version}`)).status).toBe(404);
    }
    expect((await hub.admin('DELETE', `${PATH}/gone`)).status).toBe(404);
    expect((await hub.admin('PATCH', `${PATH}/gone`, { maxCalls: 1 })).status).toBe(404);
    expect((await get('/gone/versions/1')).body).toMatchObject({ version: 1 });
    expect((await post(composite('gone'))).body).toMatchObject({ version: 2 });
    expect((await post(composite('gone'))).status).toBe(409);
  });

  it('can be disabled although its agent has gone, and not enabled again', async () => {
    await addAgent('leaving', 'leave', ['leave']);
    await made('orphan', { steps: [{ name: 'only', agentId: 'leaving' }] });
    await hub.admin('DELETE', '/api/v1/agents/leaving');
    const orphan = await hub.admin('PATCH', `${PATH}/orphan`, { enabled: false });
    expect([orphan.status, orphan.body.problems]).toEqual([
      200,
      [{ field: 'steps[0].agentId', description: '"leaving" is no agent here' }],
    ]);
    const enabled = await hub.admin('PATCH', `${PATH}/orphan`, { enabled: true });
    expect(fieldsOf(enabled)).toEqual(['steps[0].agentId']);
  });

  it('is for those with the scope for agents', async () => {
    const key = await hub.createKey({ scopes: ['a2a'] });
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['POST', `${PATH}:validate`],
      ['DELETE', `${PATH}/life`],
    ] as const) {
      const body = method === 'POST' ? composite('x') : undefined;
      expect((await hub.admin(method, path, body, key)).status).toBe(403);
    }
  });
});

describe('a composite skill that cannot be', () => {
  it('is told everything that is wrong with its form', async () => {
    const answer = await post({
      id: 'Bad Id',
      name: '',
      tags: ['a\u0007'],
      inputModes: ['text'],
      organizations: [],
      enabled: null,
      maxCalls: 1.5,
      deadlineSeconds: -1,
      steps: [
        { name: 'Über', strategy: 'chain', inputs: [], after: [{ step: 'x', outcome: 'late' }] },
        { name: 'b', quorum: 'two', tags: [], optional: 'yes', target: 'x' },
        'step',
      ],
      workflow: true,
    });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    const fields = new Set(fieldsOf(answer));
    for (const field of [
      ...['id', 'name', 'description', 'tags', 'inputModes', 'organizations', 'enabled'],
      ...['maxCalls', 'deadlineSeconds', 'workflow', 'steps[0].name', 'steps[0].strategy'],
      ...['steps[0].inputs', 'steps[0].after[0].outcome', 'steps[1].quorum', 'steps[1].tags'],
      ...['steps[1].optional', 'steps[1].target'],
    ]) {
      expect(fields).toContain(field);
    }
  });

  it.each([
    ['no body', undefined],
    ['no steps', composite('bad', { steps: [] })],
    ['steps that are none', composite('bad', { steps: { a: 1 } })],
    ['a null step', composite('bad', { steps: [null] })],
    [
      'too many steps',
      composite('bad', { steps: Array(21).fill({ name: 'a', agentId: 'merger' }) }),
    ],
    ['an endless name', composite('bad', { name: 'x'.repeat(201) })],
    ['an id that is a path', composite('../bad')],
  ])('is refused with %s', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).not.toBe('');
  });

  it('is told everything that is wrong with its plan and its agents at once', async () => {
    const steps = [
      { name: 'extract', agentId: 'nobody', inputs: ['merge'] },
      { name: 'merge', tags: ['klingon'], inputs: ['extract', 'review'] },
    ];
    const answer = await post(composite('bad', { steps }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      {
        field: 'steps[1].inputs[1]',
        description: '"review" is no step here; there are extract, merge',
      },
      { field: 'steps', description: 'wait for each other: extract -> merge -> extract' },
      { field: 'steps[0].agentId', description: '"nobody" is no agent here' },
      { field: 'steps[1].tags', description: 'no skill carries all of klingon' },
    ]);
    expect((await get('/bad')).status).toBe(404);
  });

  it('leaves the one there is as it was', async () => {
    await made('steady');
    const steps = [{ name: 'a', agentId: 'nobody' }];
    const refused = await hub.admin('PATCH', `${PATH}/steady`, { steps, name: 'Other' });
    expect(fieldsOf(refused)).toEqual(['steps[0].agentId']);
    for (const body of [{ name: null }, { steps: [] }, { id: 'other' }, { version: 7 }]) {
      expect((await hub.admin('PATCH', `${PATH}/steady`, body)).status).toBe(400);
    }
    expect((await get('/steady')).body).toMatchObject({ ...composite('steady'), version: 1 });
  });

  it('can be tried without saving it', async () => {
    const validate = (body: JsonObject, query = ''): Promise<HttpAnswer> =>
      hub.admin('POST', `${PATH}:validate${query}`, body);
    const good = await validate(composite('tried'));
    expect(good.status).toBe(200);
    expect(good.body).toMatchObject({ valid: true, problems: [], refusal: null });
    expect(
      good.body.steps.map((step: Json) => [
        step.name,
        step.chosen.map(({ agentId }: { agentId: string }) => agentId),
      ]),
    ).toEqual([
      ['extract', ['extractor']],
      ['translate', ['second', 'translator']],
      ['merge', ['merger']],
    ]);
    const bad = await validate(composite('tried', { steps: [{ name: 'a', agentId: 'nobody' }] }));
    expect(bad.body).toMatchObject({
      valid: false,
      problems: [{ field: 'steps[0].agentId' }],
      refusal: expect.stringContaining('Composite skill "tried": Step "a": No agent "nobody"'),
      steps: [],
    });
    const secret = composite('tried', { steps: [{ name: 'a', agentId: 'secret' }] });
    expect((await validate(secret)).body).toMatchObject({ valid: true, steps: [] });
    expect((await validate(secret, '?organization=acme')).body).toMatchObject({
      refusal: null,
      steps: [{ chosen: [{ agentId: 'secret' }] }],
    });
    expect((await get('/tried')).status).toBe(404);
  });
});

describe("a composite skill in the hub's card", () => {
  const skillsOf = async (path: string, version = '1.0'): Promise<JsonObject[]> => {
    const answer = await hub.rest('GET', path, undefined, { key: null, version });
    expect(answer.status).toBe(200);
    return answer.body.skills;
  };
  const extended = async (organization: string): Promise<string[]> => {
    const key = await hub.createKey({ organization });
    const card = await hub.rpc('GetExtendedAgentCard', {}, { key });
    return card.skills.map((skill: Json) => skill.id);
  };

  it('is a skill like any other, in every form', async () => {
    const before = await hub.rest('GET', '/.well-known/agent-card.json', undefined, { key: null });
    await made('shown', { tags: ['Legal'], examples: ['Review this'], outputModes: ['text/html'] });
    for (const path of [
      '/.well-known/agent-card.json',
      '/.well-known/agent.json',
      '/a2a/.well-known/agent-card.json',
      '/a2a/.well-known/agent.json',
    ]) {
      expect(await skillsOf(path)).toContainEqual({
        id: 'composite.shown',
        name: 'Contract review',
        description: 'Extracts, translates and merges',
        tags: ['Legal'],
        examples: ['Review this'],
        inputModes: ['text/plain'],
        outputModes: ['text/html'],
      });
    }
    const after = await hub.rest('GET', '/.well-known/agent-card.json', undefined, { key: null });
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
  });

  it('goes when it is disabled or deleted, and the ETag with it', async () => {
    await made('passing');
    const etag = async (): Promise<unknown> =>
      (await hub.rest('GET', '/.well-known/agent-card.json', undefined, { key: null })).headers[
        'etag'
      ];
    const tags = [await etag()];
    await hub.admin('PATCH', `${PATH}/passing`, { enabled: false });
    tags.push(await etag());
    expect(await extended('tests')).not.toContain('composite.passing');
    await hub.admin('PATCH', `${PATH}/passing`, { enabled: true, name: 'Passing' });
    tags.push(await etag());
    expect(await extended('tests')).toContain('composite.passing');
    await hub.admin('DELETE', `${PATH}/passing`);
    tags.push(await etag());
    expect(tags[3]).toBe(tags[1]);
    expect(new Set(tags).size).toBe(3);
  });

  it('is for its organizations alone, on the card and for a message', async () => {
    await made('ours', { organizations: ['acme'] });
    await made('audited', { steps: [{ name: 'audit', agentId: 'secret' }] });
    expect(await extended('acme')).toEqual(
      expect.arrayContaining(['composite.ours', 'composite.audited']),
    );
    const others = await extended('others');
    expect(others).not.toContain('composite.ours');
    expect(others).not.toContain('composite.audited');
    const open = (await skillsOf('/.well-known/agent-card.json')).map(({ id }) => id);
    expect(open).not.toContain('composite.ours');
    expect(open).not.toContain('composite.audited');

    const send = async (organization: string, skillId: string): Promise<RpcError> => {
      const key = await hub.createKey({ organization });
      const metadata = { [ROUTING]: { skillId } };
      const sent = hub.rpc('SendMessage', { message: userMessage('hi', { metadata }) }, { key });
      return sent.then(
        (taken: unknown) => Promise.reject(new Error(JSON.stringify(taken))),
        (error: RpcError) => error,
      );
    };
    const stranger = await send('others', 'composite.ours');
    const unknown = await send('others', 'composite.none');
    expect(stranger.message.replaceAll('ours', 'none')).toBe(unknown.message);
    const stepless = await send('others', 'composite.audited');
    expect(stepless.message.replaceAll('audited', 'none')).toBe(unknown.message);
  });

  it('shares its id with no agent', async () => {
    const taken = await hub.admin('POST', '/api/v1/agents', { id: 'composite', card: {} });
    expect(fieldsOf(taken)).toEqual(['id']);
  });
});
