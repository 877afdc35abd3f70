import { afterEach, describe, expect, it } from '@jest/globals';
import type { AppConfig, DeclaredEntry } from '../../src/config/index.js';
import { anAgent } from '../support/an-agent.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import type { JsonObject } from '../support/json.js';
import { LogLines } from '../support/log-lines.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function declared(id: string, changes: Partial<DeclaredEntry>): DeclaredEntry {
  return { id, headers: { authorization: 'Bearer s3cret' }, tags: ['declared'], ...changes };
}

const log = new LogLines();

async function hubWith(...agents: DeclaredEntry[]): Promise<Hub> {
  const config = { agents: { declared: agents } as unknown as Partial<AppConfig['agents']> };
  const hub = await startHub({ config, providers: log.providers });
  closing.push(() => hub.close());
  return hub;
}

async function listed(hub: Hub, query = ''): Promise<JsonObject> {
  return (await hub.admin('GET', `/api/v1/agents${query}`)).body as JsonObject;
}

const idsIn = ({ items }: JsonObject): string[] =>
  (items as JsonObject[]).map(({ id }) => String(id));

describe('a declared agent whose card cannot be read', () => {
  it('is in the list with its trouble, and gone from it as such when it can', async () => {
    const port = await freePort();
    const away = declared('away', { cardUrl: `http://127.0.0.1:${port}` });
    const there = declared('there', { card: JSON.parse(anAgent('there').originalCard) });
    const hub = await hubWith(away, there, declared('denied', { cardUrl: 'http://10.0.0.1' }));
    await eventually(async () => {
      expect(idsIn(await listed(hub))).toEqual(['away', 'denied', 'there']);
    }, 10_000);
    const shown = await hub.admin('GET', '/api/v1/agents/away');
    expect(shown).toMatchObject({
      status: 200,
      body: {
        name: 'away',
        source: 'config',
        tags: ['declared'],
        cardTrouble: { kind: 'unread', reason: expect.stringContaining('ECONNREFUSED') },
        health: { state: 'unknown' },
      },
    });
    expect(shown.text).not.toContain('s3cret');
    // The overview and the checks look at it as well.
    const why = expect.stringMatching(/^Its card could not be read yet.*ECONNREFUSED/);
    expect(shown.body.trouble).toEqual(why);
    const { agents } = (await hub.admin('GET', '/api/v1/overview')).body;
    expect(agents).toMatchObject({ enabled: 3, unusable: 2, inTrouble: 2 });
    expect(agents.troubled).toContainEqual(expect.objectContaining({ agentId: 'away', why }));
    const { checks } = (await hub.admin('GET', '/health/details')).body;
    const check = checks.find(({ name }: JsonObject) => name === 'agents');
    expect(check).toMatchObject({ state: 'warning' });
    expect(check.troubles).toContainEqual({ id: 'away', why });
    const { cardTrouble } = (await hub.admin('GET', '/api/v1/agents/denied')).body;
    expect(cardTrouble.reason).toContain('private address');
    for (const [method, body] of [
      ['PATCH', { priority: 1 }],
      ['DELETE', undefined],
    ] as const) {
      expect((await hub.admin(method, '/api/v1/agents/away', body)).status).toBe(409);
    }
    const agent = await ScriptedAgent.start({ port, name: 'Back' });
    closing.push(() => agent.close());
    await eventually(async () => {
      const { body } = await hub.admin('GET', '/api/v1/agents/away');
      expect(body).toMatchObject({ name: 'Back', cardTrouble: null });
      // The pauses between tries are 1, 2 and 5 s.
    }, 15_000);
    expect(idsIn(await listed(hub))).toEqual(['away', 'denied', 'there']);
    const said = log.of('declared agent cannot be used yet', 'warn');
    expect(said.filter((fields) => fields['agent'] === 'away')).toEqual([
      { agent: 'away', reason: 'AGENT_UNREACHABLE', why: expect.stringMatching(/ECONNREFUSED/) },
    ]);
  });

  it('has its place in pages and filters, and gets no work', async () => {
    const away = (id: string) => declared(id, { cardUrl: 'http://10.0.0.1' });
    const card = (id: string) =>
      declared(id, { card: JSON.parse(anAgent(id).originalCard), tags: [] });
    const hub = await hubWith(away('a'), card('b'), away('c'), away('d'), card('e'));
    await eventually(async () => expect((await listed(hub))['items']).toHaveLength(5), 10_000);
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const page = await listed(hub, `?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(idsIn(page));
      cursor = (page['nextCursor'] as string | null) ?? '';
      if (cursor === '') break;
    }
    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(idsIn(await listed(hub, '?tag=declared'))).toEqual(['a', 'c', 'd']);
    expect(idsIn(await listed(hub, '?skill=work'))).toEqual(['b', 'e']);
    await expect(hub.send('x', {}, { path: '/a2a/agents/a' })).rejects.toThrow();
  });
});
