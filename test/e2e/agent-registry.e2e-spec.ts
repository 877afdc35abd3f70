import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AgentRegistry } from '../../src/agents/index.js';
import { SqlAgentStore } from '../../src/agents/persistence/sql-agent.store.js';
import type { Principal } from '../../src/auth/index.js';
import type { AppConfig, DeclaredEntry } from '../../src/config/index.js';
import { anAgent } from '../support/an-agent.js';
import { startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { CardSigner } from '../support/card-signer.js';
import { startSqlite, withFactory } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import type { JsonObject } from '../support/json.js';
import { testSecrets } from '../support/secret-box.js';

const principal: Principal = { id: 'p', organization: 'o', scopes: new Set(['a2a']) };
const log = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

describe('the registry in memory', () => {
  withFactory('sqlite', (databases) => {
    async function start() {
      const clock = new FakeClock();
      const store = new SqlAgentStore(await databases.open(), testSecrets());
      const registry = new AgentRegistry(store, clock, log, {
        rulesFor: () => null,
        refuseOperation: () => undefined,
      });
      return { clock, store, registry };
    }

    it('holds all agents, offers the enabled ones, and is the same list until a change', async () => {
      const { store, registry } = await start();
      await store.add(anAgent('a'));
      await store.add(anAgent('b', { enabled: false }));
      await registry.onModuleInit();
      const usable = registry.usable(principal);
      expect(usable.map(({ id }) => id)).toEqual(['a']);
      expect(registry.get('b')?.enabled).toBe(false);
      await registry.renew();
      expect(registry.usable(principal)).toBe(usable);
      registry.onModuleDestroy();
    });

    it('knows which agent had an id at a time, also when others have had it since', async () => {
      const { clock, store, registry } = await start();
      const now = clock.now().getTime();
      const at = (ms: number): Date => new Date(now + ms);
      const [acme, umbrella] = [['acme'], ['umbrella']];
      const generations = [
        anAgent('a', { createdAt: at(0), organizations: acme, priority: 1 }),
        anAgent('a', { createdAt: at(100), organizations: acme, priority: 2 }),
        anAgent('a', { createdAt: at(200), organizations: umbrella, priority: 3 }),
      ];
      for (const agent of generations) {
        await store.add(agent);
        if (agent.organizations === acme) await store.remove('a', at(150));
      }
      await registry.onModuleInit();
      const priorityAt = (ms: number) => registry.knownAt('a', at(ms))?.priority;
      // The same for the same is the first registered again.
      expect([-5, 0, 99, 100, 199, 200, 999].map(priorityAt)).toEqual([
        ...[undefined, 2, 2, 2, 2, 3, 3],
      ]);
      const registered = (ms: number) => registry.registeredAt('a', at(ms))?.priority;
      expect([0, 99, 100, 199, 200].map(registered)).toEqual([2, undefined, 2, undefined, 3]);
      expect(registry.known('a')?.priority).toBe(3);
      expect(registry.knownAt('b', at(0))).toBeUndefined();
      const [, second, third] = generations;
      expect(registry.registrationsOf(second!)).toEqual([at(100), at(0)]);
      expect(registry.registrationsOf(third!)).toEqual([at(200)]);
      expect(registry.registrationsOf(anAgent('b', { createdAt: at(7) }))).toEqual([at(7)]);
      registry.onModuleDestroy();
    });

    it('offers an agent only to the organizations it is limited to, each its own steady list', async () => {
      const { store, registry } = await start();
      await store.add(anAgent('all'));
      await store.add(anAgent('few', { organizations: ['red', 'blue'] }));
      await store.add(anAgent('off', { organizations: ['red'], enabled: false }));
      await registry.onModuleInit();
      const of = (organization: string) => registry.usable({ ...principal, organization });
      expect(of('red').map(({ id }) => id)).toEqual(['all', 'few']);
      expect(of('blue').map(({ id }) => id)).toEqual(['all', 'few']);
      expect(of('green').map(({ id }) => id)).toEqual(['all']);
      expect(of('').map(({ id }) => id)).toEqual(['all']);
      expect([of('red') === of('red'), of('green') === of('')]).toEqual([true, true]);
      const mayUse = (organization: string, id: string) =>
        registry.isOpenTo(organization, registry.get(id)!);
      expect([mayUse('red', 'off'), mayUse('green', 'off'), mayUse('green', 'all')]).toEqual([
        true,
        false,
        true,
      ]);
      await store.update('few', (agent) => ({ ...agent, organizations: null }));
      await registry.renew();
      expect(of('green').map(({ id }) => id)).toEqual(['all', 'few']);
      registry.onModuleDestroy();
    });

    it('sees what another process changed within a second', async () => {
      const { clock, store, registry } = await start();
      await registry.onModuleInit();
      await store.add(anAgent('a'));
      expect(registry.get('a')).toBeUndefined();
      await clock.advance(1000);
      await registry.renew();
      expect(registry.get('a')?.id).toBe('a');
      await store.remove('a', clock.now());
      await clock.advance(1000);
      await registry.renew();
      expect(registry.get('a')).toBeUndefined();
      registry.onModuleDestroy();
    });

    it('knows a deleted agent for 30 days, for its open work only', async () => {
      const { clock, store, registry } = await start();
      const daysAgo = (days: number) => new Date(clock.now().getTime() - days * 86_400_000);
      for (const id of ['a', 'b']) await store.add(anAgent(id));
      await store.remove('a', daysAgo(29));
      await store.remove('b', daysAgo(31));
      await registry.onModuleInit();
      expect([registry.get('a'), registry.all(), registry.usable(principal)]).toEqual([
        undefined,
        [],
        [],
      ]);
      expect(registry.known('a')?.endpoint.url).toBe('https://a.example/a2a');
      await clock.advance(1000);
      await registry.renew();
      expect([registry.known('a')?.id, registry.known('b')]).toEqual(['a', undefined]);
      registry.onModuleDestroy();
    });

    it('keeps what it knows while the database does not answer', async () => {
      const { clock, store, registry } = await start();
      await store.add(anAgent('a'));
      await registry.onModuleInit();
      const revision = store.revision.bind(store);
      store.revision = () => Promise.reject(new Error('gone'));
      await clock.advance(1000);
      expect(registry.get('a')?.id).toBe('a');
      store.revision = revision;
      await store.remove('a', clock.now());
      await clock.advance(1000);
      await registry.renew();
      expect(registry.get('a')).toBeUndefined();
      registry.onModuleDestroy();
    });
  });
});

describe('agents declared in the configuration', () => {
  const running: Hub[] = [];
  afterEach(async () => {
    for (const hub of running.splice(0)) await hub.close();
  });

  async function hubWith(declared: readonly DeclaredEntry[], databaseUrl?: string): Promise<Hub> {
    const agents = { declared } as Partial<AppConfig['agents']>;
    const hub = await startHub({ config: { agents }, ...(databaseUrl ? { databaseUrl } : {}) });
    running.push(hub);
    return hub;
  }

  function declare(id: string, changes: Partial<DeclaredEntry>): DeclaredEntry {
    const card = JSON.parse(anAgent(id).originalCard) as Record<string, unknown>;
    return {
      id,
      card,
      endpoint: 'http://127.0.0.1:9/',
      headers: { authorization: 'Bearer secret' },
      tags: ['declared'],
      priority: 5,
      weight: 4,
      maxConcurrent: 2,
      budgets: { connect: '70ms' },
      switches: { pollInterval: '900ms' },
      ...changes,
    };
  }

  const registryOf = (hub: { app: NestFastifyApplication }) => hub.app.get(AgentRegistry);

  it('are there at start and cannot be changed or deleted by the API', async () => {
    const hub = await hubWith([declare('fixed', {})]);
    expect(registryOf(hub).get('fixed')).toMatchObject({
      source: 'config',
      endpoint: { url: 'http://127.0.0.1:9/' },
      credentials: { authorization: 'Bearer secret' },
      tags: ['declared'],
      priority: 5,
      budgets: { connectMs: 70 },
      switches: { pollIntervalMs: 900 },
    });
    const patched = await hub.admin('PATCH', '/api/v1/agents/fixed', { priority: 1 });
    const deleted = await hub.admin('DELETE', '/api/v1/agents/fixed');
    expect([patched.status, deleted.status]).toEqual([409, 409]);
    expect(deleted.body.detail).toContain('declared in the configuration');
    expect(registryOf(hub).get('fixed')?.priority).toBe(5);
  });

  it('do not keep the hub waiting for the keys of a signed card in the file', async () => {
    const signer = await CardSigner.make('key-1');
    const answers: (() => void)[] = [];
    const server = createServer((_request, response) => {
      answers.push(() => response.end(JSON.stringify(signer.keySet)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const cardKeys = { jwksUrl: `http://127.0.0.1:${port}/` };
    const card = await signer.sign(JSON.parse(anAgent('signed').originalCard) as JsonObject);
    const hub = await hubWith([declare('signed', { card, cardKeys }), declare('here', {})]);
    expect([registryOf(hub).get('signed'), registryOf(hub).get('here')?.id]).toEqual([
      undefined,
      'here',
    ]);
    for (const answer of answers) answer();
    await eventually(() => {
      expect(registryOf(hub).get('signed')?.signature.outcome).toBe('verified');
    }, 10_000);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('keep their credentials for the servers they had when they were declared', async () => {
    const files = startSqlite();
    const withFile = await files.freshUrl();
    let url = 'http://127.0.0.1:9/a2a';
    const server = createServer((_request, response) => {
      const card = JSON.parse(anAgent('moving').originalCard) as JsonObject;
      const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      response.end(JSON.stringify({ ...card, supportedInterfaces }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const from = { cardUrl: `http://127.0.0.1:${port}`, card: null, endpoint: null };
    const moving = (hub: Hub) => registryOf(hub).get('moving');
    const first = await hubWith([declare('moving', { ...from, tags: ['a'] })], withFile);
    await eventually(() => expect(moving(first)).toBeDefined(), 10_000);
    expect(moving(first)?.credentialOrigins).toEqual(['http://127.0.0.1:9']);
    await running.pop()?.close();
    const before = url;
    url = 'http://127.0.0.1:10/a2a';
    const hub = await hubWith([declare('moving', { ...from, tags: ['b'] })], withFile);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(moving(hub)).toMatchObject({ endpoint: { url: before }, tags: ['a'] });
    await running.pop()?.close();
    const headers = { authorization: 'Bearer new' };
    const again = await hubWith([declare('moving', { ...from, headers })], withFile);
    await eventually(() => {
      expect(moving(again)).toMatchObject({
        endpoint: { url },
        credentialOrigins: ['http://127.0.0.1:10'],
      });
    }, 10_000);
    await running.pop()?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await files.stop();
  });

  it('are read from their address, also when that comes up later', async () => {
    const first = await startSdkAgent({ name: 'Late' });
    await first.close();
    const hub = await hubWith([
      declare('late', { cardUrl: first.url, card: null, endpoint: null }),
      declare('here', {}),
    ]);
    expect(registryOf(hub).get('here')?.id).toBe('here');
    expect(registryOf(hub).get('late')).toBeUndefined();
    const card = { ...JSON.parse(anAgent('late').originalCard), name: 'Late' };
    card.supportedInterfaces[0].url = `${first.url}/`;
    const server = createServer((_request, response) => response.end(JSON.stringify(card)));
    await new Promise<void>((resolve) => server.listen(first.port, '127.0.0.1', resolve));
    const late = await eventually(() => {
      expect(registryOf(hub).get('late')).toBeDefined();
      return registryOf(hub).get('late');
    }, 10_000);
    expect(late?.card.name).toBe('Late');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('follow the configuration at the next start; others stay', async () => {
    const files = startSqlite();
    const withFile = await files.freshUrl();
    const before = await hubWith([declare('kept', {}), declare('gone', {})], withFile);
    await before.admin('POST', '/api/v1/agents', {
      id: 'mine',
      card: { name: 'Mine', url: 'http://127.0.0.1:9/' },
    });
    const created = registryOf(before).get('kept')?.createdAt;
    await running.pop()?.close();
    const after = await hubWith([declare('kept', { priority: 9 })], withFile);
    const registry = registryOf(after);
    expect(registry.all().map(({ id }) => id)).toEqual(['kept', 'mine']);
    expect(registry.get('kept')).toMatchObject({ priority: 9, createdAt: created });
    await running.pop()?.close();
    await files.stop();
  });
});
