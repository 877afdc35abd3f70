import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentRegistry } from '../../src/agents/index.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import { startSdkAgent } from '../support/agents.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import { CardSigner } from '../support/card-signer.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';

type Json = JsonObject;

const SECRET = 'Bearer very-secret-token';
const servers: (() => void)[] = [];
let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});

afterAll(async () => {
  await hub?.close();
});

afterEach(async () => {
  for (const close of servers.splice(0)) close();
  for (const agent of hub.app.get(AgentRegistry).all()) {
    await hub.admin('DELETE', `/api/v1/agents/${agent.id}`);
  }
});

/** Serves documents by path, and notes who asked for what. */
async function serve(documents: Record<string, unknown>) {
  const requested: { path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    requested.push({ path: request.url ?? '', headers: request.headers });
    const found = documents[request.url ?? ''];
    if (found === undefined) return void response.writeHead(404).end('not here');
    if (found instanceof Promise) return void found.then((text) => response.end(String(text)));
    response.end(typeof found === 'string' ? found : JSON.stringify(found));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(() => (server.closeAllConnections(), server.close()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    documents,
  };
}

function card(name: string, changes: Json = {}): Json {
  return {
    name,
    description: `${name} does things`,
    version: '1.0.0',
    supportedInterfaces: [
      { url: 'http://127.0.0.1:9/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name: 'Work', description: 'Works', tags: ['data'] }],
    ...changes,
  };
}

const post = (body: Json) => hub.admin('POST', '/api/v1/agents', body);
const get = (path: string) => hub.admin('GET', `/api/v1/agents${path}`);
const patch = (id: string, body: Json) => hub.admin('PATCH', `/api/v1/agents/${id}`, body);
const ids = (answer: HttpAnswer): string[] => answer.body.items.map((item: Json) => item['id']);

describe('registering an agent', () => {
  it('reads its card, derives the id and reports what will be called', async () => {
    const agent = await startSdkAgent({ name: 'Text Statistics!', version: 'both' });
    servers.push(() => void agent.close());
    const answer = await post({ cardUrl: agent.url, tags: ['demo', 'demo'], priority: 3 });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      id: 'text-statistics',
      name: 'Text Statistics!',
      enabled: true,
      priority: 3,
      tags: ['demo'],
      source: 'api',
      cardUrl: `${agent.url}/.well-known/agent-card.json`,
      endpoint: { url: `${agent.url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      report: { endpointResolves: true },
    });
    expect(answer.body.report.interfaces.map((one: Json) => one['chosen'])).toEqual([true, false]);
    const usable = hub.app.get(AgentRegistry).get('text-statistics');
    expect(usable?.endpoint.url).toBe(`${agent.url}/`);
    expect((await post({ cardUrl: agent.url })).body.id).toBe('text-statistics-2');
  });

  it('looks below the path, at the address itself, then at the origin', async () => {
    const { url, requested } = await serve({ '/.well-known/agent.json': card('At the origin') });
    expect((await post({ cardUrl: `${url}/deep/agent/` })).body.id).toBe('at-the-origin');
    expect(requested.map(({ path }) => path)).toEqual([
      '/deep/agent/.well-known/agent-card.json',
      '/deep/agent/.well-known/agent.json',
      '/deep/agent/',
      '/.well-known/agent-card.json',
      '/.well-known/agent.json',
    ]);
  });

  it('takes an explicit card address with headers', async () => {
    const { url, requested } = await serve({ '/cards/7.json': card('Seventh') });
    const body = { cardUrl: `${url}/cards/7.json`, cardHeaders: { 'X-Card-Key': 'open sesame' } };
    expect((await post(body)).status).toBe(201);
    expect(requested).toHaveLength(1);
    expect(requested[0]?.headers).toMatchObject({
      'x-card-key': 'open sesame',
      'a2a-version': '1.0',
    });
  });

  it('understands cards of 0.2.5 and 0.3', async () => {
    const old = { supportedInterfaces: undefined, url: 'http://127.0.0.1:9/' };
    const answers = [
      await post({ card: card('Old', old) }),
      await post({ card: card('Older', { ...old, protocolVersion: '0.2.5' }) }),
      await post({ card: card('New old', { ...old, protocolVersion: '0.3.0' }) }),
    ];
    for (const { body } of answers) {
      expect(body['endpoint']).toMatchObject({
        protocolBinding: 'JSONRPC',
        protocolVersion: '0.3',
      });
      expect(body['cardUrl']).toBeNull();
    }
  });

  it.each<[string, Json, number, string]>([
    ['neither card nor cardUrl', {}, 400, 'cardUrl'],
    ['both', { cardUrl: 'http://127.0.0.1:1', card: {} }, 400, 'cardUrl'],
    ['a reserved id', { id: 'tasks', card: card('X') }, 400, 'id'],
    ['a bad id', { id: 'No Spaces', card: card('X') }, 400, 'id'],
    ['an unknown member', { card: card('X'), colour: 'red' }, 400, 'colour'],
    ['a card that is none', { card: { hello: 'world' } }, 400, 'card'],
    [
      'a card with a wrong member',
      { card: card('X', { skills: [{ id: 'a', tags: 'b' }] }) },
      400,
      'card.skills[0].tags',
    ],
    ['a card without a name', { card: card('') }, 400, 'card.name'],
    [
      'a card of an unknown binding',
      {
        card: card('X', {
          supportedInterfaces: [
            { url: 'host:443', protocolBinding: 'SOAP', protocolVersion: '1.0' },
          ],
        }),
      },
      400,
      'card.supportedInterfaces',
    ],
    [
      'a wildcard address in the card',
      {
        card: card('X', {
          supportedInterfaces: [
            { url: 'http://0.0.0.0:9/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          ],
        }),
      },
      422,
      'card.supportedInterfaces',
    ],
    ['a private address', { cardUrl: 'https://10.0.0.1/' }, 422, 'cardUrl'],
    ['plain http to anywhere', { cardUrl: 'http://agent.example/' }, 422, 'cardUrl'],
    ['another scheme', { cardUrl: 'ftp://agent.example/' }, 400, 'cardUrl'],
    ['nothing there', { cardUrl: 'http://127.0.0.1:1/' }, 422, 'cardUrl'],
    [
      'an override inside',
      { card: card('X'), endpointOverride: 'http://10.0.0.1/' },
      422,
      'endpointOverride',
    ],
    [
      'a header with a line end',
      { card: card('X'), credentials: { a: 'b\r\nc: d' } },
      400,
      'credentials.a',
    ],
    [
      'a header of the hub',
      { card: card('X'), credentials: { Host: 'b' } },
      400,
      'credentials.Host',
    ],
    ['a budget of nothing', { card: card('X'), budgets: { idleMs: 0 } }, 400, 'budgets.idleMs'],
  ])('refuses %s, naming the field', async (_name, body, status, field) => {
    const answer = await post(body);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([status, field]);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('refuses what is no card, saying what was tried', async () => {
    const { url } = await serve({
      '/.well-known/agent-card.json': '<html>',
      '/big.json': 'x'.repeat(2 ** 21),
    });
    const html = await post({ cardUrl: url });
    expect(html.status).toBe(400);
    expect(html.body.detail).toContain('agent-card.json: not JSON');
    expect(html.body.detail).toContain('agent.json: HTTP 404');
    const big = await post({ cardUrl: `${url}/big.json` });
    expect([big.status, big.body.detail]).toEqual([400, expect.stringContaining('larger than')]);
  });

  it('refuses itself, by address and by instance id', async () => {
    const byUrl = card('Me', {
      supportedInterfaces: [
        { url: `${hub.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    });
    expect((await post({ card: byUrl })).body.detail).toContain('this hub itself');
    expect((await post({ cardUrl: hub.url })).body.detail).toContain('this hub itself');
    const instanceId = await hub.app.get(HubSettings).instanceId();
    const extension = { uri: 'urn:a2a-hub:routing:v1', params: { instanceId } };
    const byId = card('Me', { capabilities: { extensions: [extension] } });
    expect((await post({ card: byId })).body.detail).toContain('this hub itself');
    const other = card('Other hub', {
      capabilities: { extensions: [{ ...extension, params: { instanceId: 'other' } }] },
    });
    expect((await post({ card: other })).status).toBe(201);
  });

  it('refuses an id that is taken', async () => {
    expect((await post({ id: 'one', card: card('A') })).status).toBe(201);
    expect((await post({ id: 'one', card: card('B') })).status).toBe(409);
  });

  it('never shows secrets again', async () => {
    const body = {
      id: 'safe',
      card: card('A'),
      credentials: { Authorization: SECRET },
      cardHeaders: { 'x-key': SECRET },
    };
    const answers = [
      await post(body),
      await get('/safe'),
      await get(''),
      await patch('safe', { priority: 1 }),
    ];
    for (const answer of answers) expect(answer.text).not.toContain('very-secret');
    expect(answers[1]?.body).toMatchObject({
      credentials: ['authorization'],
      cardHeaders: ['x-key'],
    });
    expect(hub.app.get(AgentRegistry).get('safe')?.credentials).toEqual({ authorization: SECRET });
  });

  it('needs the scope agents', async () => {
    const key = await hub.createKey({ scopes: ['a2a'] });
    expect((await hub.admin('GET', '/api/v1/agents', undefined, key)).status).toBe(403);
    const operator = await hub.createKey({ scopes: ['agents'] });
    expect((await hub.admin('GET', '/api/v1/agents', undefined, operator)).status).toBe(200);
  });
});

describe('the list of agents', () => {
  it('is filtered and paged by an opaque cursor', async () => {
    for (const id of ['c', 'a', 'b']) await post({ id, card: card(`Agent ${id}`), tags: [id] });
    await patch('b', { enabled: false });
    const first = await get('?limit=2');
    expect(ids(first)).toEqual(['a', 'b']);
    const second = await get(`?limit=2&cursor=${first.body.nextCursor}`);
    expect([ids(second), second.body.nextCursor]).toEqual([['c'], null]);
    expect(ids(await get('?tag=C'))).toEqual(['c']);
    expect(ids(await get('?tag=data&state=enabled'))).toEqual(['a', 'c']);
    expect(ids(await get('?state=disabled'))).toEqual(['b']);
    expect(ids(await get('?skill=work&text=agent%20a'))).toEqual(['a']);
    expect(ids(await get('?skill=other'))).toEqual([]);
    await post({ id: 'bookkeeper', card: card('Another') });
    expect(ids(await get('?text=OOKKEEP'))).toEqual(['bookkeeper']);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['state=open', 'state'],
    ['cursor=%21', 'cursor'],
    ['cursor=QQ', 'cursor'],
    ['colour=red', 'colour'],
  ])('refuses ?%s, naming the field', async (query, field) => {
    const answer = await get(`?${query}`);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('an agent', () => {
  it('is patched, member by member', async () => {
    await post({
      id: 'one',
      card: card('A'),
      budgets: { idleMs: 5000 },
      credentials: { a: '1', b: '2' },
    });
    const changed = await patch('one', {
      tags: ['x'],
      priority: 7,
      enabled: false,
      endpointOverride: 'http://127.0.0.1:9/other',
      budgets: { connectMs: 100, idleMs: null },
      credentials: { A: null, c: '3' },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      tags: ['x'],
      priority: 7,
      enabled: false,
      endpointOverride: 'http://127.0.0.1:9/other',
      endpoint: { url: 'http://127.0.0.1:9/other', protocolVersion: '1.0' },
      budgets: { connectMs: 100 },
      credentials: ['b', 'c'],
    });
    expect(changed.body.budgets).toEqual({ connectMs: 100 });
    const back = await patch('one', { endpointOverride: null, budgets: null, credentials: null });
    expect(back.body).toMatchObject({
      endpointOverride: null,
      endpoint: { url: 'http://127.0.0.1:9/a2a' },
      budgets: {},
      switches: {},
      credentials: [],
      priority: 7,
    });
  });

  it('is as it was after a PATCH that asks for nothing, its health too', async () => {
    await post({ id: 'one', card: card('A') });
    const before = (await hub.admin('GET', '/api/v1/agents/one')).body;
    const { status, body } = await patch('one', {});
    expect([status, body]).toEqual([200, before]);
  });

  it('does not take its stored credentials along to another server', async () => {
    await post({ id: 'moved', card: card('A'), credentials: { authorization: 'Bearer stored' } });
    const elsewhere = { endpointOverride: 'http://127.0.0.1:10/a2a' };
    expect((await patch('moved', elsewhere)).body.credentials).toEqual([]);
    const given = await patch('moved', { endpointOverride: null, credentials: { 'x-key': 'new' } });
    expect(given.body.credentials).toEqual(['x-key']);
  });

  it.each<[Json, number, string]>([
    [{ priority: 'high' }, 400, 'priority'],
    [{ enabled: null }, 400, 'enabled'],
    [{ tags: ['ok', ''] }, 400, 'tags'],
    [{ id: 'two' }, 400, 'id'],
    [{ endpointOverride: 'nowhere' }, 400, 'endpointOverride'],
    [{ endpointOverride: 'https://192.168.1.1/' }, 422, 'endpointOverride'],
    [{ budgets: { total: 1 } }, 400, 'budgets.total'],
  ])('refuses the patch %j, naming the field', async (body, status, field) => {
    await post({ id: 'one', card: card('A') });
    const answer = await patch('one', body);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([status, field]);
  });

  it('is refreshed with a diff, and stays as it was when the new card is no good', async () => {
    const place = await serve({ '/.well-known/agent-card.json': card('Before') });
    await post({ id: 'one', cardUrl: place.url });
    const refresh = () => hub.admin('POST', '/api/v1/agents/one:refresh');
    expect((await refresh()).body.changes).toEqual([]);
    const empty = await hub.post('/api/v1/agents/one:refresh', '', { key: hub.adminKey });
    expect(empty.status).toBe(200);
    place.documents['/.well-known/agent-card.json'] = card('After', {
      skills: [{ id: 'work', name: 'Work', description: 'Works', tags: ['new'] }, { id: 'play' }],
    });
    const { status, body } = await refresh();
    expect([status, body.name]).toEqual([200, 'After']);
    expect(body.changes.map((change: Json) => `${change['change']} ${change['field']}`)).toEqual([
      'changed description',
      'changed name',
      'added skills[play]',
      'changed skills[work].tags',
    ]);
    place.documents['/.well-known/agent-card.json'] = card('Bad', { supportedInterfaces: [] });
    expect((await refresh()).status).toBe(400);
    expect((await get('/one')).body.name).toBe('After');
  });

  describe('that is changed while its card is read again', () => {
    /** Begins a refresh whose card comes when the function is called; it gives the answer. */
    async function refreshSlowly(key: string, changes: Json = {}) {
      const place = await serve({ '/.well-known/agent-card.json': card('Mine') });
      const organizations = ['acme'];
      const made = await hub.admin(
        'POST',
        '/api/v1/agents',
        { id: 'one', cardUrl: place.url, organizations },
        key,
      );
      expect(made.status).toBe(201);
      const read = place.requested.length;
      let answer: (text: string) => void = () => undefined;
      place.documents['/.well-known/agent-card.json'] = new Promise<string>((resolve) => {
        answer = resolve;
      });
      const refreshed = hub.admin('POST', '/api/v1/agents/one:refresh', undefined, key);
      await eventually(() => expect(place.requested.length).toBeGreaterThan(read));
      return (): Promise<HttpAnswer> => {
        answer(JSON.stringify(card('Slow', changes)));
        return refreshed;
      };
    }
    const keyOf = (organization: string): Promise<string> =>
      hub.createKey({ organization, scopes: ['agents:organization'] });

    it('stays as it was when another has its id by then, and tells nothing of that one', async () => {
      const [acme, umbrella] = [await keyOf('acme'), await keyOf('umbrella')];
      const come = await refreshSlowly(acme);
      await hub.admin('DELETE', '/api/v1/agents/one', undefined, acme);
      const other = { id: 'one', card: card('Other'), organizations: ['umbrella'] };
      expect((await hub.admin('POST', '/api/v1/agents', other, umbrella)).status).toBe(201);
      expect(await come()).toMatchObject({ status: 404 });
      expect((await get('/one')).body).toMatchObject({ name: 'Other', cardUrl: null });
    });

    it('keeps the keys that were pinned meanwhile, and its card', async () => {
      const come = await refreshSlowly(await keyOf('acme'), {
        description: 'of nobody knows whom',
      });
      const cardKeys = (await CardSigner.make('key-1')).keySet;
      expect((await patch('one', { cardKeys })).status).toBe(200);
      const refused = await come();
      expect([refused.status, refused.text]).toEqual([
        409,
        expect.stringMatching('refresh it again'),
      ]);
      expect((await get('/one')).body.name).toBe('Mine');
    });

    it('takes a card that two of them read at once', async () => {
      const acme = await keyOf('acme');
      const come = await refreshSlowly(acme);
      const second = hub.admin('POST', '/api/v1/agents/one:refresh', undefined, acme);
      expect([(await come()).status, (await second).status]).toEqual([200, 200]);
      expect((await get('/one')).body.name).toBe('Slow');
    });
  });

  it('without a card address cannot be refreshed', async () => {
    await post({ id: 'one', card: card('A') });
    expect((await hub.admin('POST', '/api/v1/agents/one:refresh')).status).toBe(409);
  });

  it('is deleted once; unknown ones are not found', async () => {
    await post({ id: 'one', card: card('A') });
    expect((await hub.admin('DELETE', '/api/v1/agents/one')).status).toBe(204);
    expect(hub.app.get(AgentRegistry).get('one')).toBeUndefined();
    const answers = [
      await hub.admin('DELETE', '/api/v1/agents/one'),
      await get('/one'),
      await patch('one', { priority: 1 }),
      await hub.admin('POST', '/api/v1/agents/one:refresh'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    // A path that other methods take.
    expect((await hub.admin('POST', '/api/v1/agents/one:explode')).status).toBe(405);
  });
});
