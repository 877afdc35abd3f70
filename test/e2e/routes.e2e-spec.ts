import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';

const PATH = '/api/v1/routes:dry-run';
let hub: Hub;

async function register(
  at: Hub,
  id: string,
  fields: JsonObject,
  skill: JsonObject,
  place: JsonObject = {},
): Promise<void> {
  const added = await at.admin('POST', '/api/v1/agents', {
    id,
    ...fields,
    card: cardOf(id, skill, place),
  });
  expect(added.status).toBe(201);
}

function cardOf(name: string, skill: JsonObject, place: JsonObject = {}): JsonObject {
  return {
    name,
    description: name,
    version: '1.0.0',
    supportedInterfaces: [
      {
        url: `http://127.0.0.1:9/${name}`,
        protocolBinding: 'JSONRPC',
        protocolVersion: '1.0',
        ...place,
      },
    ],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name: 'Work', description: 'Works', tags: [], ...skill }],
  };
}

const says = (text: string): JsonObject => ({
  messageId: 'm',
  role: 'ROLE_USER',
  parts: [{ text }],
});

beforeAll(async () => {
  hub = await startHub();
  await register(hub, 'csv', {}, { tags: ['csv', 'data'] });
  await register(hub, 'code', { priority: 5 }, { tags: ['code', 'data'] });
});

afterAll(async () => {
  await hub?.close();
});

const inMetadata = (directive: JsonObject): JsonObject => ({
  metadata: { 'urn:a2a-hub:routing:v1': { tags: ['data'], ...directive } },
});

const dryRun = (body: unknown): Promise<HttpAnswer> => hub.admin('POST', PATH, body);

describe('a dry run of the routing', () => {
  it('answers the route of bare routing options, with its reasons', async () => {
    const { status, body } = await dryRun({ tags: ['DATA'], strategy: 'all', deadlineSeconds: 2 });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        reason: 'tags',
        strategy: 'all',
        require: 'all',
        deadlineMs: 2000,
        chosen: [
          { agentId: 'code', skillId: 'work', why: 'Its skill "work" carries data. Priority 5.' },
          { agentId: 'csv', skillId: 'work', why: 'Its skill "work" carries data.' },
        ],
        skipped: [],
      },
    });
  });

  it('answers the route of a message as it would be sent', async () => {
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'hello' }],
      metadata: { 'urn:a2a-hub:routing:v1': { skillId: 'csv.work' } },
    };
    const { body } = await dryRun({ message, metadata: { agentId: 'csv' } });
    expect(body).toMatchObject({ reason: 'agent', chosen: [{ agentId: 'csv', skillId: 'work' }] });
  });

  it('answers for the address and for the agents of a context', async () => {
    expect((await dryRun({ tenant: 'csv' })).body).toMatchObject({ chosen: [{ agentId: 'csv' }] });
    expect((await dryRun({ affinity: ['code'] })).body).toMatchObject({
      reason: 'affinity',
      chosen: [{ agentId: 'code' }],
    });
  });

  it('takes null for what is not given, as the registration of an agent does', async () => {
    const nulls = (...names: string[]): JsonObject =>
      Object.fromEntries(names.map((name) => [name, null]));
    const agent = {
      ...nulls('id', 'cardUrl', 'cardHeaders', 'credentials', 'authentication', 'cardKeys'),
      ...nulls('endpointOverride', 'protocolBinding', 'protocolVersion', 'budgets', 'switches'),
      ...nulls('tags', 'priority', 'weight', 'maxConcurrent', 'maxQueue', 'organizations'),
      ...nulls('enabled', 'probe', 'probeText', 'probeTimeoutMs'),
      card: cardOf('nulls', { tags: ['nulls'] }),
    };
    const checked = await hub.admin('POST', '/api/v1/agents:check', { ...agent, probe: true });
    expect(checked).toMatchObject({ status: 200, body: { probe: { outcome: 'unreachable' } } });
    expect(await hub.admin('POST', '/api/v1/agents', agent)).toMatchObject({
      status: 201,
      body: { id: 'nulls', weight: 1, priority: 0, enabled: true, organizations: null },
    });
    const message = {
      ...nulls('message', 'metadata', 'acceptedOutputModes', 'extensions', 'tenant', 'affinity'),
      ...nulls('agentId', 'skillId', 'tags', 'match', 'strategy', 'require', 'quorum'),
      ...nulls('deadlineSeconds', 'maxAgents', 'maxCalls', 'steps', 'synthesizer'),
    };
    expect((await dryRun({ ...message, tags: ['nulls'] })).body).toMatchObject({
      reason: 'tags',
      chosen: [{ agentId: 'nulls' }],
    });
    const named = { agentId: 'csv', skillId: 'work' };
    expect(await dryRun({ ...message, ...named })).toMatchObject({
      status: 200,
      body: (await dryRun(named)).body,
    });
    await hub.admin('DELETE', '/api/v1/agents/nulls');
  });

  it('rejects what has no route, listing the skills there are', async () => {
    const { status, body } = await dryRun({ tags: ['music'] });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).toContain('code.work, csv.work');
  });

  it.each<[object, string]>([
    [{ tags: [] }, 'tags'],
    [{ tags: 5 }, 'tags'],
    [{ tags: 'csv,,x' }, 'tags'],
    [{ strategy: 'random' }, 'strategy'],
    [{ maxAgents: 0 }, 'maxAgents'],
    [{ deadlineSeconds: -1 }, 'deadlineSeconds'],
    [{ message: 'hello' }, 'message'],
    [{ message: { parts: [null] } }, 'message.parts[0]'],
    [{ message: { parts: { text: 'x' } } }, 'message.parts'],
    [{ message: { parts: [{ raw: 5 }] } }, 'message.parts[0].raw'],
    [{ message: { parts: [{ text: { toString: 5 } }] } }, 'message.parts[0].text'],
    [{ message: { metadata: 5 } }, 'message.metadata'],
    [{ message: { extensions: [null] } }, 'message.extensions'],
    [{ unknown: 1 }, 'unknown'],
    [{ metadata: { 'urn:a2a-hub:routing:v1': { match: 'some' } } }, 'match'],
    [{ strategy: 'chain' }, 'strategy'],
    [{ steps: [{ agentId: 'csv' }] }, 'steps'],
    [{ strategy: 'chain', steps: [''] }, 'steps[0].skillId'],
    [{ strategy: 'chain', steps: [5] }, 'steps'],
    [{ strategy: 'chain', steps: [{ agentId: 'csv', skillId: 'code.work' }] }, 'steps[0].skillId'],
    [{ strategy: 'chain', steps: [{ agent: 'csv' }] }, 'steps'],
    [{ strategy: 'chain', steps: [{ match: 'any' }] }, 'steps[0]'],
    [{ strategy: 'synthesize', tags: ['data'], synthesizer: '' }, 'synthesizer'],
    [{ strategy: 'one', tags: ['data'], require: 'any' }, 'require'],
    [{ strategy: 'all', tags: ['data'], maxCalls: 1 }, 'maxCalls is 1, but 2 agents'],
    [{ strategy: 'all', tags: ['data'], require: 'quorum' }, 'require'],
    [{ strategy: 'all', tags: ['data'], require: 'quorum', quorum: 3 }, 'quorum'],
    [inMetadata({ strategy: 'all', require: 'quorum', quorum: 3 }), '].quorum'],
    [inMetadata({ strategy: 'all', max_calls: 1 }), '].max_calls'],
    [{ maxCalls: 0 }, 'maxCalls'],
  ])('refuses %j, naming the field', async (body, field) => {
    const answer = await dryRun(body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('refuses more agents at once than there are calls in the words of a send', async () => {
    const options = inMetadata({ strategy: 'all', maxCalls: 1 });
    const sent = await hub.rpcRaw('SendMessage', { message: says('hello'), ...options });
    const tried = await dryRun({ message: says('hello'), ...options });
    expect(sent.body).toMatchObject({ error: { code: -32602 } });
    const { message } = (sent.body as { error: { message: string } }).error;
    expect(message).toContain('is 1, but 2 agents are asked at once');
    expect(tried.body).toMatchObject({ detail: message });
  });

  it('is for callers of the hub only', async () => {
    const answer = await fetch(hub.url + PATH, { method: 'POST' });
    expect(answer.status).toBe(401);
  });
});

describe('a dry run that names more than a send may', () => {
  const many = (length: number): string[] => Array.from({ length }, (_, at) => `t${at}`);

  it.each([
    ['acceptedOutputModes', many(101), 'must have at most 100 entries'],
    ['acceptedOutputModes', ['a'.repeat(4097)], 'each must be at most 4096 characters long'],
    ['affinity', many(101), 'must have at most 100 entries'],
    ['affinity', ['a'.repeat(256)], 'each must be at most 255 characters long'],
    ['affinity', ['code', 'code'], 'must not have an entry twice'],
    ['extensions', ['a'.repeat(4097)], 'each must be at most 4096 characters long'],
    ['tenant', 'a'.repeat(256), 'must be at most 255 characters long'],
  ])('is refused: %s', async (field, value, description) => {
    const { status, body } = await dryRun({ [field]: value });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errors: [{ field, description }] },
    });
  });

  it('goes as far as a send', async () => {
    const modes = Array.from({ length: 100 }, (_, at) => `text/${at}`.padEnd(4096, 'x'));
    const { status } = await dryRun({
      agentId: 'code',
      acceptedOutputModes: modes,
      extensions: ['e'.repeat(4096)],
      affinity: many(100),
    });
    expect(status).toBe(200);
  });
});

describe('a dry run of a plan', () => {
  it('shows the steps of a chain with their agents', async () => {
    const { status, body } = await dryRun({
      strategy: 'chain',
      steps: [{ tags: ['data'] }, { skillId: 'csv.work' }],
      maxCalls: 7,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      strategy: 'chain',
      maxCalls: 7,
      plan: [
        { name: 'step-1', chosen: [{ agentId: 'code' }, { agentId: 'csv' }], isResult: false },
        { name: 'step-2', chosen: [{ agentId: 'csv' }], isResult: true },
      ],
    });
  });

  it('shows who gathers and who synthesizes', async () => {
    const { body } = await dryRun({
      tags: ['data'],
      strategy: 'synthesize',
      require: 'quorum',
      quorum: 2,
      synthesizer: { agentId: 'csv' },
    });
    expect(body).toMatchObject({
      quorum: 2,
      plan: [
        { name: 'gather', quorum: 2, chosen: [{ agentId: 'code' }, { agentId: 'csv' }] },
        { name: 'synthesize', chosen: [{ agentId: 'csv' }] },
      ],
    });
  });

  it('takes bare texts in the body as metadata does', async () => {
    const plan = [
      { name: 'gather', chosen: [{ agentId: 'code' }, { agentId: 'csv' }] },
      { name: 'synthesize', chosen: [{ agentId: 'csv' }] },
    ];
    const options = { tags: 'data', strategy: 'synthesize', synthesizer: 'csv.work' };
    expect((await dryRun(options)).body).toMatchObject({ plan });
    const chain = { strategy: 'chain', steps: [{ tags: 'data' }, 'csv.work'] };
    expect((await dryRun(chain)).body).toMatchObject({
      plan: [
        { chosen: [{ agentId: 'code' }, { agentId: 'csv' }] },
        { chosen: [{ agentId: 'csv' }] },
      ],
    });
  });

  it('names the step that nobody is found for', async () => {
    const answer = await dryRun({
      strategy: 'chain',
      steps: [{ tags: ['data'] }, { tags: ['fly'] }],
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      detail: expect.stringMatching(/^Step "step-2": .*csv\.work/),
    });
  });
});

describe('plain text', () => {
  const text = (words: string): Promise<HttpAnswer> => dryRun({ message: says(words) });

  it('finds the skill, and follows what is registered, changed and removed', async () => {
    expect((await text('Please forecast the weather')).status).toBe(422);
    await register(hub, 'sky', {}, { name: 'Weather forecast', examples: ['Will it rain?'] });
    expect((await text('Please forecast the weather')).body).toMatchObject({
      reason: 'text',
      chosen: [{ agentId: 'sky', skillId: 'work', score: expect.any(Number) }],
    });
    const changed = await hub.admin('PATCH', '/api/v1/agents/sky', { tags: ['astronomy'] });
    expect(changed.status).toBe(200);
    expect((await text('astronomy, tonight')).body).toMatchObject({ chosen: [{ agentId: 'sky' }] });
    const removed = await hub.admin('DELETE', '/api/v1/agents/sky');
    expect(removed.status).toBeLessThan(300);
    expect((await text('Please forecast the weather')).status).toBe(422);
  });

  it('does not find what is of another organization', async () => {
    await register(hub, 'secret', { organizations: ['elsewhere'] }, { name: 'Submarine plans' });
    const answer = await text('Show me the submarine plans');
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});

describe('a composite skill that needs agents of other organizations', () => {
  it('is not there: not by name, not by text, not by a rule, not in what is listed', async () => {
    const agent = { organizations: ['elsewhere'] };
    await register(hub, 'hidden', agent, { name: 'Something else' });
    const made = await hub.admin('POST', '/api/v1/composite-skills', {
      id: 'deal',
      name: 'Submarine deal',
      description: 'Makes a submarine deal',
      steps: [{ name: 'a', agentId: 'hidden' }],
    });
    expect(made.status).toBe(201);
    for (const body of [{ skillId: 'composite.deal' }, { message: says('submarine deal') }]) {
      const { status, body: refused } = await dryRun(body);
      expect(status).toBe(422);
      expect(JSON.stringify(refused)).not.toMatch(/hidden|Skills you may use:[^.]*composite\.deal/);
    }
    const rules = [{ name: 'Deals', conditions: {}, target: { composite: 'deal' } }];
    expect((await dryRun({ message: says('hello'), rules })).body).toMatchObject({
      detail: expect.stringContaining('names no agent'),
    });
  });
});

describe('an agent with a full queue', () => {
  let silent: HttpListener;

  beforeAll(async () => {
    silent = await listenOnLoopback(() => undefined);
  });

  afterAll(() => silent.close());

  it('is sent to by plain text until it is full; then every binding says so, and when to come back', async () => {
    const url = `${silent.url}/`;
    await register(
      hub,
      'digger',
      { maxConcurrent: 1, maxQueue: 1 },
      { name: 'Tunnel digger' },
      { url },
    );
    const params = { message: says('dig a tunnel'), configuration: { returnImmediately: true } };
    const send = (id: number): Promise<HttpAnswer> =>
      hub.rpcRaw('SendMessage', { ...params, message: { ...params.message, messageId: `m${id}` } });
    const answers = [await send(0)];
    expect(answers[0]!.status).toBe(200);
    while (answers.at(-1)!.status === 200 && answers.length < 5) {
      answers.push(await send(answers.length));
    }
    const refused = answers.at(-1)!;
    expect(refused).toMatchObject({ status: 503, body: { error: { code: -31503 } } });
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    const message = { ...params.message, messageId: 'rest' };
    const rest = await hub.rest('POST', '/a2a/message:send', { ...params, message });
    expect(rest).toMatchObject({ status: 503, body: { error: { status: 'UNAVAILABLE' } } });
    expect(rest.headers['retry-after']).toMatch(/^\d+$/);
    // The operator's own share of the queue is free.
    expect((await dryRun({ agentId: 'digger' })).status).toBe(200);
  });
});

describe('with an external router', () => {
  let routed: Hub;
  let router: HttpListener;
  let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;

  beforeAll(async () => {
    router = await listenOnLoopback((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => answer(request, response, body));
    });
    routed = await startHub({
      config: {
        routing: {
          enforceMediaTypes: true,
          external: { url: `${router.url}/route`, token: 'router-token', timeoutMs: 2000 },
        },
      },
    });
    await register(routed, 'csv', {}, { name: 'CSV cleaner', tags: ['csv'] });
    await register(routed, 'poet', {}, { name: 'Poems' });
  });

  afterAll(async () => {
    await routed?.close();
    await router?.close();
  });

  const ask = (body: JsonObject): Promise<HttpAnswer> => routed.admin('POST', PATH, body);
  const cleaning = { message: says('clean this csv') };

  it('shows it the candidates, authenticated, and takes its order', async () => {
    const seen: unknown[] = [];
    answer = (request, response, body) => {
      seen.push(request.url, request.headers.authorization, JSON.parse(body));
      response.end(JSON.stringify({ order: ['poet.work', 'nobody.s'], reason: 'Be kind' }));
    };
    expect((await ask(cleaning)).body).toMatchObject({
      reason: 'text',
      chosen: [
        { agentId: 'poet', skillId: 'work', why: expect.stringContaining('router: Be kind.') },
      ],
    });
    expect(seen).toEqual([
      '/route',
      'Bearer router-token',
      {
        organization: expect.any(String),
        message: {
          text: 'clean this csv',
          parts: [{ kind: 'text', mediaType: expect.any(String) }],
        },
        candidates: [
          expect.objectContaining({ id: 'csv.work', tags: ['csv'], score: expect.any(Number) }),
          expect.objectContaining({ id: 'poet.work', score: 0 }),
        ],
      },
    ]);
  });

  it('does not ask it about messages that name somebody', async () => {
    answer = () => {
      throw new Error('asked');
    };
    expect((await ask({ ...cleaning, agentId: 'poet' })).body).toMatchObject({ reason: 'agent' });
  });

  it('follows its own order when that answers an error, too much or nonsense, then leaves it alone', async () => {
    const failures: [typeof answer, string][] = [
      [(_, response) => response.writeHead(302, { location: '/x' }).end(), 'refused to answer.'],
      [(_, response) => response.end('x'.repeat(70_000)), 'too large or not of the form'],
      [(_, response) => response.end('{"order":1}'), 'too large or not of the form'],
    ];
    for (const [failure, why] of failures) {
      answer = failure;
      const { body } = await ask(cleaning);
      expect(body).toMatchObject({
        reason: 'text',
        chosen: [{ agentId: 'csv', why: expect.stringContaining(why) }],
      });
      expect(JSON.stringify(body)).not.toContain(new URL(router.url).port);
    }
    answer = () => {
      throw new Error('asked');
    };
    expect((await ask(cleaning)).body).toMatchObject({
      chosen: [{ agentId: 'csv', why: expect.stringContaining('not asked for a while') }],
    });
  });

  it('and with enforced media types refuses what no agent that matches takes', async () => {
    const refused = await ask({ agentId: 'csv', acceptedOutputModes: ['video/mp4'] });
    expect(refused.status).toBe(415);
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('video/mp4') });
  });
});
