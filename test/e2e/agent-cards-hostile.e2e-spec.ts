import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BetterSqlite3 } from '../../src/database/better-sqlite3.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';

type Json = JsonObject;

/** Every place where a card of the hub, or of the agent `bad`, is. */
const CARDS = [
  '/.well-known/agent-card.json',
  '/.well-known/agent.json',
  '/a2a/.well-known/agent-card.json',
  '/a2a/.well-known/agent.json',
  '/a2a/agents/good/.well-known/agent-card.json',
];

const INTERFACE = {
  url: 'http://127.0.0.1:9/a2a',
  protocolBinding: 'JSONRPC',
  protocolVersion: '1.0',
};

let hub: Hub;
let place: HttpListener;
let document: unknown;

beforeEach(async () => {
  document = card('First');
  place = await listenOnLoopback((_, response) => {
    response.end(typeof document === 'string' ? document : JSON.stringify(document));
  });
});

afterEach(async () => {
  await hub?.close();
  await place.close();
});

describe('a card that is more than others can take', () => {
  it.each<[string, unknown, string, string]>([
    ['nested params', withExtension(nested(2500)), 'card', 'is nested more than 68 levels deep'],
    [
      'many values',
      card('A', { junk: Array(30_000).fill({}) }),
      'card',
      'has more than 20000 values',
    ],
    ['many bytes', card('A', { junk: 'x'.repeat(300_000) }), 'card', 'is larger than 256 KiB'],
    ['many skills', card('A', { skills: many(1001) }), 'card.skills', 'has more than 1000 entries'],
    ['a long name', card('x'.repeat(513)), 'card.name', 'is longer than 512 characters'],
    [
      'a long description',
      card('A', { description: 'x'.repeat(17_000) }),
      'card.description',
      'is longer than 16384 characters',
    ],
    [
      'many interfaces',
      card('A', { supportedInterfaces: Array(51).fill(INTERFACE) }),
      'card.supportedInterfaces',
      'has more than 50 entries',
    ],
    ['a control character', card('A\u001b[31m'), 'card.name', 'control characters'],
    ['a line feed in a name', card('A\nB'), 'card.name', 'control characters'],
    [
      'text that is turned round',
      card('A', { skills: [{ id: 'a', name: 'a', description: '\u202Eevil', tags: [] }] }),
      'card.skills[0].description',
      'turn the direction',
    ],
    [
      'a tag with a control character',
      card('A', { skills: [{ id: 'a', name: 'a', description: '', tags: ['\u0085'] }] }),
      'card.skills[0].tags[0]',
      'control characters',
    ],
    [
      'a security scheme with a control character',
      card('A', {
        securitySchemes: {
          k: {
            apiKeySecurityScheme: { location: 'header', name: 'x', description: 'a\u001b[3m' },
          },
        },
      }),
      'card.securitySchemes.k.scheme.value.description',
      'control characters',
    ],
  ])('is refused, by its address and in a request: %s', async (_what, written, field, why) => {
    hub = await startHub();
    document = written;
    const read = await hub.admin('POST', '/api/v1/agents', { cardUrl: place.url });
    expect([read.status, read.body.errors[0].field]).toEqual([400, field]);
    expect(read.text).toContain(why);
    const given = await hub.admin('POST', '/api/v1/agents', { card: written });
    expect(given.status).toBe(400);
    expect((await hub.admin('GET', '/api/v1/agents')).body.items).toEqual([]);
  });

  it('is taken at its bounds, and shown', async () => {
    hub = await startHub();
    document = withExtension(nested(64), { description: 'two\nlines\tand a tab' });
    const { status } = await hub.admin('POST', '/api/v1/agents', {
      cardUrl: place.url,
      id: 'good',
    });
    expect(status).toBe(201);
    for (const path of CARDS) expect((await hub.get(path)).status).toBe(200);
  });

  it('does not replace the one in use, and shows as its trouble until a good one comes', async () => {
    hub = await startHub();
    await hub.registerAgent(place.url, { id: 'good' });
    const refresh = () => hub.admin('POST', '/api/v1/agents/good:refresh');
    const shown = async () => (await hub.admin('GET', '/api/v1/agents/good')).body;
    expect((await shown()).cardTrouble).toBeNull();
    document = withExtension(nested(2500));
    expect((await refresh()).status).toBe(400);
    expect(await shown()).toMatchObject({
      name: 'First',
      cardTrouble: { kind: 'refused', reason: expect.stringContaining('nested') },
    });
    for (const path of CARDS) expect((await hub.get(path)).status).toBe(200);
    document = card('Second');
    expect((await refresh()).status).toBe(200);
    expect(await shown()).toMatchObject({ name: 'Second', cardTrouble: null });
  });

  it('counts each skill once when it has one twice, and shows that until it has not', async () => {
    hub = await startHub();
    const skill = (id: string, name: string): Json => ({ id, name, description: '', tags: ['t'] });
    const twice = [skill('one', 'first'), skill('two', 'other'), skill('one', 'second')];
    document = card('First', { skills: twice });
    await hub.registerAgent(place.url, { id: 'good' });
    const trouble = {
      kind: 'adjusted',
      reason: 'card.skills has more than one skill with the id "one"; only the first counts.',
    };
    for (const path of CARDS) {
      const { skills } = (await hub.get(path)).body as { skills: Json[] };
      expect(skills.map(({ name }) => name)).toEqual(['first', 'other']);
    }
    const refresh = () => hub.admin('POST', '/api/v1/agents/good:refresh');
    const shown = async (): Promise<Json> =>
      (await hub.admin('GET', '/api/v1/agents/good')).body as Json;
    const { since, ...told } = (await shown())['cardTrouble'] as Json;
    expect(told).toEqual(trouble);
    expect((await refresh()).status).toBe(200);
    expect(await shown()).toMatchObject({ cardTrouble: { ...trouble, since } });
    document = card('First', { skills: twice.slice(0, 2) });
    expect((await refresh()).body.changes).toEqual([]);
    expect((await shown())['cardTrouble']).toBeNull();
  });

  it('of a declared agent is not taken either', async () => {
    hub = await startHub({
      config: { agents: { declared: [declared('bad', withExtension(nested(100)))] } },
    });
    const { items } = (await hub.admin('GET', '/api/v1/agents')).body;
    expect(items).toMatchObject([{ id: 'bad', cardTrouble: { kind: 'unread' } }]);
    for (const path of CARDS.slice(0, 4)) expect((await hub.get(path)).status).toBe(200);
    expect(((await hub.get(CARDS[0]!)).body as Json).skills).toEqual([]);
  });
});

describe('an agent whose stored card cannot be used', () => {
  it.each<[string, string, (row: string) => string]>([
    ['nested deep', 'card', (json) => json.replace(/}$/, `,"x":${nestedText(20_000)}}`)],
    [
      'params nested deep',
      'card',
      (json) =>
        json.replace(
          /"capabilities":{/,
          `$&"extensions":[{"uri":"urn:x","params":${nestedText(20_000)}}],`,
        ),
    ],
    ['no JSON', 'card', () => '{"name":'],
    ['another kind of JSON', 'card', () => '[]'],
    ['an original nested deep', 'original_card', () => `{"x":${nestedText(20_000)}}`],
    ['an endpoint of nothing', 'endpoint', () => '{}'],
    ['tags that are no list', 'tags', () => 'null'],
  ])('is left out of everything, and shown as what it is: %s', async (_what, column, poisoned) => {
    const agent = await ScriptedAgent.start({
      handlers: { SendStreamingMessage: (call) => call.event({ message: answer() }).end() },
    });
    hub = await startHub({ config: { routing: { defaultAgent: 'good' } } });
    await hub.registerAgent(agent.url, { id: 'good' });
    await hub.registerAgent(place.url, { id: 'bad' });
    poison(column, poisoned);
    const ownCard = '/a2a/agents/bad/.well-known/agent-card.json';
    await eventually(async () => {
      expect((await hub.get(ownCard)).status).toBe(404);
      const { body } = await hub.admin('GET', '/api/v1/agents/bad');
      expect(body.cardTrouble).toMatchObject({ kind: 'unusable' });
    });
    const list = await hub.admin('GET', '/api/v1/agents');
    expect(list.body.items.map((item: Json) => item['id'])).toEqual(['bad', 'good']);
    for (const path of CARDS) expect((await hub.get(path)).status).toBe(200);
    const extended = await hub.rpc('GetExtendedAgentCard', {});
    expect(JSON.stringify(extended)).not.toContain('bad.');
    const said = await hub.send('anything');
    expect(JSON.stringify(said)).toContain('from the good one');
    // To change it would write over it; it can be switched off, read again and deleted.
    expect((await hub.admin('PATCH', '/api/v1/agents/bad', { priority: 1 })).status).toBe(409);
    const refreshed = await hub.admin('POST', '/api/v1/agents/bad:refresh');
    expect([refreshed.status, refreshed.body.cardTrouble]).toEqual([200, null]);
    expect((await hub.admin('DELETE', '/api/v1/agents/bad')).status).toBe(204);
    await agent.close();
  });
});

function card(name: string, changes: Json = {}): Json {
  return {
    name,
    description: 'It works.',
    version: '1.0.0',
    supportedInterfaces: [INTERFACE],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name: 'Work', description: 'Works', tags: ['data'] }],
    ...changes,
  };
}

function withExtension(params: Json, changes: Json = {}): Json {
  const extensions = [{ uri: 'urn:x', description: '', params }];
  return card('Deep', { capabilities: { streaming: true, extensions }, ...changes });
}

/** An object of so many levels. */
function nested(levels: number): Json {
  return JSON.parse(nestedText(levels)) as Json;
}

function nestedText(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

function many(count: number): Json[] {
  return Array.from({ length: count }, (_, i) => ({ id: `s${i}`, name: 's' }));
}

function answer(): Json {
  return { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'from the good one' }] };
}

function declared(id: string, card: Json) {
  return { id, card };
}

/** Writes into the row of the agent `bad`, as no hub would. */
function poison(column: string, change: (value: string) => string): void {
  const database = new BetterSqlite3(hub.databaseUrl.replace(/^sqlite:/, ''));
  try {
    const select = `SELECT ${column} FROM agents WHERE id = 'bad'`;
    const value = change(String(database.prepare(select).pluck().get()));
    database.prepare(`UPDATE agents SET ${column} = ? WHERE id = 'bad'`).run(value);
    database.exec('UPDATE agent_revisions SET revision = revision + 1');
  } finally {
    database.close();
  }
}
