import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BetterSqlite3 } from '../../src/database/better-sqlite3.js';
import { type Hub, RpcError, startHub } from '../support/app.js';
import { FileHub } from '../support/file-hub.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const POLICIES = '/api/v1/policies';
const COMPOSITES = '/api/v1/composite-skills';
let hub: Hub;
let books: ScriptedAgent;
let other: ScriptedAgent;
let acme: string;
let umbrella: string;

beforeAll(async () => {
  [books, other] = await Promise.all([
    ScriptedAgent.start({ skills: [{ id: 'invoices', tags: ['finance', 'papers'] }] }),
    ScriptedAgent.start({ skills: [{ id: 'letters', tags: ['papers'] }] }),
  ]);
  hub = await startHub({ config: { routing: { text: true } } });
  await hub.registerAgent(books.url, { id: 'books' });
  await hub.registerAgent(other.url, { id: 'other' });
  [acme, umbrella] = [
    await hub.createKey({ organization: 'acme' }),
    await hub.createKey({ organization: 'umbrella' }),
  ];
});
afterAll(async () => {
  await hub?.close();
  await books?.close();
  await other?.close();
});
afterEach(async () => {
  const { body } = await hub.admin('GET', POLICIES);
  for (const { id } of body.items) await hub.admin('DELETE', `${POLICIES}/${id}`);
});

async function forbid(
  rest: string,
  who = 'principal in Organization::"acme"',
  end = ')',
): Promise<void> {
  const text = `forbid(${who}, action == Action::"SendMessage", resource${rest}${end};`;
  const { status, text: answer } = await hub.admin('POST', POLICIES, { id: 'no', text });
  expect([status, answer]).toEqual([201, expect.any(String)]);
}
/** The agents that were chosen, or why none was. */
async function sent(key: string, message: JsonObject, text = 'go'): Promise<string> {
  try {
    const task = await hub.submit(text, { message }, { key });
    const { agents } = (task['metadata'] as JsonObject)['urn:a2a-hub:routing:v1'] as {
      agents: { agentId: string }[];
    };
    return agents.map(({ agentId }) => agentId).join();
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}

describe('under policies', () => {
  it('the text match finds what the caller may ask, and the others find what they did', async () => {
    const question = 'invoices, please';
    expect(await sent(acme, {}, question)).toBe('books');
    await forbid(' in Tag::"finance"');
    await forbidden(acme, question);
    expect(await sent(umbrella, {}, question)).toBe('books');
  });

  it('the text match follows what a policy for everybody leaves of an agent', async () => {
    const shop = await ScriptedAgent.start({
      skills: [{ id: 'quinces' }, { id: 'turnips' }, { id: 'quinces-jam' }],
    });
    const found = async (text: string): Promise<unknown> => {
      const message = { parts: [{ text }] };
      const { body } = await hub.admin('POST', '/api/v1/routes:dry-run', { message });
      const [first] = body.chosen ?? [];
      return first && [first.skillId, first.score];
    };
    const forbidAll = () => forbid(' == Skill::"shop.quinces"', 'principal');
    await forbidAll();
    await hub.registerAgent(shop.url, { id: 'shop' });
    try {
      const narrowed = await found('quinces');
      expect(narrowed).toEqual(['quinces-jam', expect.any(Number)]);
      expect((await hub.admin('DELETE', `${POLICIES}/no`)).status).toBeLessThan(300);
      const open = await found('quinces');
      expect(open).toEqual(['quinces', expect.any(Number)]);
      // What it may not be asked for has no part in the scores of the others either.
      const beside = await found('jam, quinces');
      await forbidAll();
      expect(await found('quinces')).toEqual(narrowed);
      expect(await found('jam, quinces')).not.toEqual(beside);
    } finally {
      await hub.admin('DELETE', '/api/v1/agents/shop');
      await shop.close();
    }
  });

  it('a rule is passed over that leads to an agent of which single skills may be used', async () => {
    for (const agentId of ['books', 'other']) {
      const rule = { id: agentId, name: agentId, target: { agentId } };
      expect((await hub.admin('POST', '/api/v1/routes/rules', rule)).status).toBe(201);
    }
    try {
      expect(await sent(acme, {})).toBe('books');
      await forbid(
        ' in Agent::"books") unless { resource == Skill::"books.invoices" }',
        undefined,
        '',
      );
      expect(await sent(acme, {})).toBe('other');
      expect(await sent(umbrella, {})).toBe('books');
    } finally {
      for (const id of ['books', 'other']) await hub.admin('DELETE', `/api/v1/routes/rules/${id}`);
    }
  });

  it('no candidate takes over that the caller may not ask', async () => {
    await forbid(' in Agent::"books"');
    const metadata = {
      'urn:a2a-hub:routing:v1': { tags: ['papers'], strategy: 'first' },
    };
    expect(await sent(acme, { metadata })).toBe('other');
    expect((await sent(umbrella, { metadata })).split(',').sort()).toEqual(['books', 'other']);
  });

  it('a composite skill is there only with all its steps, and only where it may be asked for itself', async () => {
    const composite = {
      id: 'both',
      name: 'Both',
      description: 'Both',
      steps: [
        { name: 'one', agentId: 'other' },
        { name: 'two', agentId: 'books' },
      ],
    };
    expect((await hub.admin('POST', COMPOSITES, composite)).status).toBe(201);
    const ask = { metadata: { skillId: 'composite.both' } };
    expect(await sent(acme, ask)).not.toContain('No ');
    await forbid(' in Agent::"books"');
    expect(await sent(acme, ask)).toContain('composite.both');
    expect(await sent(umbrella, ask)).not.toContain('No ');
    await hub.admin('DELETE', `${POLICIES}/no`);
    await forbid(' == Skill::"composite.both"');
    expect(await sent(acme, ask)).toContain('composite.both');
    expect(await sent(acme, { metadata: { agentId: 'books' } })).toBe('books');
  });

  it('a message may refer to a task of an agent that may not be asked any more, which is not asked', async () => {
    const first = await hub.submit(
      'go',
      { message: { metadata: { agentId: 'books' } } },
      { key: acme },
    );
    const id = first['id'] as string;
    await hub.waitForTask(id, 'TASK_STATE_COMPLETED', 10_000, { key: acme });
    await forbid(' in Agent::"books"');
    const sends = () => books.calls.filter(({ method }) => method.startsWith('Send')).length;
    const asked = sends();
    const refers = { referenceTaskIds: [id] };
    expect(await sent(acme, { ...refers, metadata: { agentId: 'other' } })).toBe('other');
    expect(await sent(acme, { ...refers, metadata: { agentId: 'books' } })).toContain('No agent');
    expect(await sent(umbrella, { ...refers, metadata: { agentId: 'other' } })).toContain(
      'not found',
    );
    expect(sends()).toBe(asked);
  });

  it('an operator retries what the owner may ask, and nothing where groups decide', async () => {
    const task = await hub.submit(
      'go',
      { message: { metadata: { agentId: 'books' } } },
      { key: acme },
    );
    const id = task['id'] as string;
    await hub.waitForTask(id, 'TASK_STATE_COMPLETED', 10_000, { key: acme });
    const retry = () => hub.admin('POST', `/api/v1/tasks/${id}:retry`);
    await forbid(' in Agent::"books"');
    expect((await retry()).text).toContain('No agent');
    await hub.admin('DELETE', `${POLICIES}/no`);
    await forbid(' in Agent::"books"', 'principal in Group::"contractors"');
    const unknown = await retry();
    expect([unknown.status, unknown.text]).toEqual([409, expect.stringContaining('groups')]);
    await hub.admin('DELETE', `${POLICIES}/no`);
    await forbid(' in Agent::"other"');
    expect((await retry()).status).toBe(201);
  });
});

async function forbidden(key: string, question: string): Promise<void> {
  expect(await sent(key, {}, question)).not.toContain('books');
}

describe('a stored policy that cannot be read', () => {
  it('refuses the callers it decides about, and no others, and the log says which it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-policies-'));
    const path = join(folder, 'hub.db');
    const file = new FileHub({ A2A_HUB__DATABASE__URL: `sqlite:${path}` });
    file.write({});
    let own = await file.start();
    try {
      await own.registerAgent(other.url, { id: 'other' });
      const keys = [
        await own.createKey({ organization: 'acme' }),
        await own.createKey({ organization: 'umbrella' }),
      ];
      const text = 'forbid(principal, action, resource in Tag::"finance");';
      const policy = { id: 'broken', organization: 'acme', text };
      expect((await own.admin('POST', POLICIES, policy)).status).toBe(201);
      await own.close();
      const database = new BetterSqlite3(path);
      database.prepare(`UPDATE policies SET text = 'forbid(principal'`).run();
      database.close();
      own = await file.start();
      const ask = (key: string) =>
        own.submit('go', { message: { metadata: { agentId: 'other' } } }, { key });
      await expect(ask(keys[0]!)).rejects.toThrow(RpcError);
      expect(await ask(keys[1]!)).toMatchObject({ id: expect.any(String) });
      expect(JSON.stringify(file.errors)).toContain('the policy broken cannot be read');
      // It can be mended.
      expect((await own.admin('PATCH', `${POLICIES}/broken`, { text })).status).toBe(200);
      expect(await ask(keys[0]!)).toMatchObject({ id: expect.any(String) });
    } finally {
      await own.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
