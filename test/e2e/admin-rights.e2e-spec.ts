import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Scope } from '../../src/common/scope.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start()]);
});
afterAll(async () => {
  await hub.close();
  await agent.close();
});

interface Made {
  readonly id: string;
  readonly key: string;
  readonly principalId: string;
  readonly organization: string;
}

async function made(scopes: readonly Scope[], organization: string): Promise<Made> {
  const answer = await hub.admin('POST', '/api/v1/keys', { name: 'n', scopes, organization });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** A request to the admin API with that key. */
const as =
  ({ key }: Made) =>
  (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<HttpAnswer> =>
    hub.admin(method, `/api/v1/${path}`, body, key);

const statusOf = async (answer: Promise<HttpAnswer>): Promise<number> => (await answer).status;

describe('who administers the access of one organization', () => {
  let lead: Made;
  let call: ReturnType<typeof as>;

  beforeEach(async () => {
    lead = await made(['access:organization'], 'acme');
    call = as(lead);
  });

  it('makes, lists, rotates and revokes keys of that organization', async () => {
    const { status, body } = await call('POST', 'keys', { name: 'mine', scopes: ['a2a', 'push'] });
    expect([status, body.organization]).toEqual([201, 'acme']);
    const { items } = (await call('GET', 'keys?limit=100')).body;
    expect(items.map((key: Made) => key.id)).toContain(body.id);
    expect(await statusOf(call('POST', `keys/${body.id}:rotate`, {}))).toBe(201);
    expect(await statusOf(call('DELETE', `keys/${body.id}`))).toBe(204);
    const again = { name: 'more', principal: body.principalId };
    expect((await call('POST', 'keys', again)).body.principalId).toBe(body.principalId);
  });

  it('sees and changes nothing of another one', async () => {
    const other = await made(['a2a'], 'umbrella');
    const { items } = (await call('GET', 'keys?limit=100')).body;
    expect(new Set(items.map((key: Made) => key.organization))).toEqual(new Set(['acme']));
    expect(await statusOf(call('DELETE', `keys/${other.id}`))).toBe(404);
    expect(await statusOf(call('POST', `keys/${other.id}:rotate`, {}))).toBe(404);
    const principals = (await call('GET', 'principals?limit=100')).body.items;
    expect(new Set(principals.map((each: Made) => each.organization))).toEqual(new Set(['acme']));
    expect((await call('GET', 'principals?organization=umbrella')).body.items).toEqual([]);
    for (const path of ['', ':disable', ':enable']) {
      const target = `principals/${other.principalId}${path}`;
      expect(await statusOf(call(path === '' ? 'GET' : 'POST', target))).toBe(404);
    }
    const foreign = await call('POST', 'keys', { name: 'n', organization: 'umbrella' });
    expect([foreign.status, foreign.body.detail]).toEqual([
      403,
      expect.stringContaining('the scope access'),
    ]);
    const forOther = await call('POST', 'keys', { name: 'n', principal: other.principalId });
    expect([forOther.status, forOther.body.errors[0].field]).toEqual([400, 'principal']);
    expect(await statusOf(hub.admin('GET', '/api/v1/keys', undefined, other.key))).toBe(403);
  });

  it.each<[Scope, number]>([
    ['tasks:organization', 201],
    ['push', 201],
    ['access:organization', 201],
    ['agents:organization', 403],
    ['agents', 403],
    ['routing', 403],
    ['tasks:all', 403],
    ['push:all', 403],
    ['access', 403],
    ['audit', 403],
    ['data', 403],
    ['admin', 403],
  ])('may grant %s: %i', async (scope, status) => {
    const answer = await call('POST', 'keys', { name: 'n', scopes: ['a2a', scope] });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.detail).toContain(`A key with ${scope} needs`);
  });

  it('takes over no key that can do more, and disables nobody who acts for others', async () => {
    const operator = await made(['admin'], 'acme');
    expect(await statusOf(call('POST', `keys/${operator.id}:rotate`, {}))).toBe(403);
    expect(await statusOf(call('DELETE', `keys/${operator.id}`))).toBe(403);
    expect(await statusOf(call('POST', `principals/${operator.principalId}:disable`))).toBe(403);
    expect(await statusOf(as(operator)('GET', 'keys'))).toBe(200);
    const plain = await made(['a2a'], 'acme');
    const disabled = await call('POST', `principals/${plain.principalId}:disable`);
    expect([disabled.status, disabled.body.state]).toEqual([200, 'disabled']);
    expect(await statusOf(call('POST', `principals/${plain.principalId}:enable`))).toBe(200);
  });

  it('grants the agents of the organization when it has them itself', async () => {
    const both = await made(['access:organization', 'agents:organization'], 'acme');
    const scopes = ['agents:organization'];
    expect(await statusOf(as(both)('POST', 'keys', { name: 'n', scopes }))).toBe(201);
  });
});

describe('who administers the access of all', () => {
  it('grants everything but admin, and takes over no key that has that', async () => {
    const call = as(await made(['access'], 'security'));
    const scopes: Scope[] = ['agents', 'audit', 'access', 'tasks:all'];
    const granted = await call('POST', 'keys', { name: 'n', scopes, organization: 'acme' });
    expect([granted.status, granted.body.scopes]).toEqual([201, scopes]);
    const refused = await call('POST', 'keys', { name: 'n', scopes: ['admin'] });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'A key with admin needs a caller with the scope admin.',
    ]);
    const operator = await made(['admin'], 'acme');
    expect(await statusOf(call('POST', `keys/${operator.id}:rotate`, {}))).toBe(403);
    expect(await statusOf(call('DELETE', `keys/${operator.id}`))).toBe(403);
    expect(await statusOf(call('POST', `principals/${operator.principalId}:disable`))).toBe(403);
    expect(await statusOf(call('GET', 'audit'))).toBe(403);
  });
});

describe('who administers the agents of one organization', () => {
  it('registers, sees and changes those that it alone may use', async () => {
    const call = as(await made(['agents:organization'], 'acme'));
    const card = { cardUrl: agent.url };
    const mine = await call('POST', 'agents', { ...card, id: 'mine' });
    expect([mine.status, mine.body.organizations]).toEqual([201, ['acme']]);
    expect((await call('GET', 'agents')).body.items.map((each: Made) => each.id)).toEqual(['mine']);
    expect((await call('PATCH', 'agents/mine', { priority: 5 })).body.priority).toBe(5);
    expect(await statusOf(call('POST', 'agents/mine:refresh'))).toBe(200);
    expect(await statusOf(call('POST', 'agents:check', card))).toBe(200);
    for (const organizations of [null, ['umbrella'], ['acme', 'umbrella']]) {
      const wider = await call('PATCH', 'agents/mine', { organizations });
      expect([wider.status, wider.body.detail]).toEqual([
        403,
        expect.stringContaining('organizations may only be ["acme"]'),
      ]);
      const other = await call('POST', 'agents', { ...card, id: 'wide', organizations });
      expect(other.status).toBe(403);
    }
    expect(await statusOf(call('POST', 'agents/mine:kill'))).toBe(200);
    expect(await statusOf(call('DELETE', 'agents/mine'))).toBe(204);
  });

  it('sees and changes no other, whether it may use it or not', async () => {
    const call = as(await made(['agents:organization'], 'acme'));
    await hub.registerAgent(agent.url, { id: 'open' });
    await hub.registerAgent(agent.url, { id: 'shared', organizations: ['acme', 'umbrella'] });
    await hub.registerAgent(agent.url, { id: 'theirs', organizations: ['umbrella'] });
    for (const id of ['open', 'shared', 'theirs', 'unknown']) {
      const answers = [
        call('GET', `agents/${id}`),
        call('PATCH', `agents/${id}`, { enabled: false }),
        call('PATCH', `agents/${id}`, { organizations: ['acme'] }),
        call('POST', `agents/${id}:refresh`),
        call('POST', `agents/${id}:kill`),
        call('DELETE', `agents/${id}`),
      ];
      const found = (await Promise.all(answers)).map(({ status, text }) => [
        status,
        text.replaceAll(id, 'ID'),
      ]);
      for (const [status, text] of found) {
        expect([status, text]).toEqual([404, expect.stringContaining('There is no agent ID.')]);
      }
    }
    expect((await call('GET', 'agents')).body.items).toEqual([]);
    const events = await call('GET', 'agents/events/log');
    expect([events.status, events.body.items]).toEqual([200, []]);
    const all = await hub.admin('GET', '/api/v1/agents');
    expect(all.body.items.every(({ enabled }: { enabled: boolean }) => enabled)).toBe(true);
  });
});

describe('operators of tasks, of webhooks and of the audit log', () => {
  it('see what is theirs to see, of all organizations, and nothing else', async () => {
    const owner = await made(['a2a', 'push'], 'acme');
    const { id } = await hub.submit('go', { message: { metadata: { agentId: 'open' } } }, owner);
    const [tasks, push, audit] = await Promise.all([
      made(['tasks:all'], 'operations'),
      made(['push:all'], 'operations'),
      made(['audit'], 'security'),
    ]);
    expect(await statusOf(as(tasks)('GET', `tasks/${id as string}`))).toBe(200);
    expect(await statusOf(as(tasks)('GET', `tasks/${id as string}/content`))).toBe(200);
    expect(await statusOf(as(push)('GET', `tasks/${id as string}`))).toBe(403);
    const subscription = {
      organization: 'acme',
      scope: 'organization',
      url: 'https://hooks.example/x',
    };
    const denied = await as(owner)('POST', 'push/subscriptions', subscription);
    expect(denied.status).toBe(403);
    expect(await statusOf(as(push)('GET', 'push/deliveries?organization=acme'))).toBe(200);
    expect(await statusOf(as(audit)('GET', 'audit'))).toBe(200);
    expect(await statusOf(as(audit)('POST', 'audit:verify', {}))).toBe(200);
    expect(await statusOf(as(audit)('GET', 'keys'))).toBe(403);
    // To see all tasks as an operator opens nothing in the A2A API.
    const both = await made(['a2a', 'tasks:all'], 'acme');
    const listed = await hub.rpc('ListTasks', {}, { key: both.key });
    expect((listed as { tasks: unknown[] }).tasks).toEqual([]);
  });
});
