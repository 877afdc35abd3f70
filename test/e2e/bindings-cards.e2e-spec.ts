import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { CardEndpoints } from '../../src/a2a/cards/card.endpoints.js';
import { CardService } from '../../src/a2a/cards/card.service.js';
import { CardSigner } from '../../src/a2a/cards/card-signer.js';
import type { Agent, AgentRegistry } from '../../src/agents/index.js';
import type { AccessTokens, ClientCertificates } from '../../src/auth/index.js';
import { SystemClock } from '../../src/common/clock.js';
import type { Log } from '../../src/common/logger.js';
import { configWith } from '../../src/config/index.js';
import { AgentCard } from '../../src/protocol/a2a.js';
import { FakeSigningKeyStore } from '../../src/signing/fake-signing-key.store.js';
import { SigningService } from '../../src/signing/index.js';
import type { Json } from '../support/json.js';
import { testSecrets } from '../support/secret-box.js';

const ROOT = '/.well-known/agent-card.json';
const COMPOSITES: never[] = [];

let server: FastifyInstance;
let agents: Pick<Agent, 'id' | 'card' | 'tags'>[];

beforeEach(() => {
  agents = [agent('csv'), agent('echo')];
  const registry = {
    usable: () => agents,
    prepare: () => undefined,
  };
  const clock = new SystemClock();
  const config = configWith({ log: { level: 'silent' } });
  const log = { info: () => undefined, error: () => undefined } as unknown as Log;
  const cards = new CardService(
    registry as unknown as AgentRegistry,
    { usable: () => COMPOSITES, prepare: () => undefined },
    { instanceId: async () => 'hub-1' } as never,
    config,
    { base: 'https://hub.example.com' } as never,
    {} as never,
    new CardSigner(
      new SigningService(new FakeSigningKeyStore(), testSecrets(), config, clock, log),
      config,
      { base: 'https://hub.example.com' } as never,
    ),
    { issuers: [] } as unknown as AccessTokens,
    { areTaken: false } as ClientCertificates,
    clock,
    log,
  );
  server = Fastify();
  new CardEndpoints({ httpAdapter: { getInstance: () => server } } as never, cards).onModuleInit();
});

afterEach(async () => {
  await server.close();
});

describe('the places of cards', () => {
  it.each([
    [ROOT, true, true],
    ['/.well-known/agent.json', false, true],
    ['/a2a/.well-known/agent-card.json', true, false],
    ['/a2a/.well-known/agent.json', false, true],
    ['/a2a/agents/csv/.well-known/agent-card.json', true, true],
    ['/a2a/agents/csv/.well-known/agent.json', false, true],
  ])('%s serves 1.0: %s, 0.3: %s', async (url, modern, legacy) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect('supportedInterfaces' in answer.json()).toBe(modern);
    expect('protocolVersion' in answer.json()).toBe(legacy);
  });

  it.each([
    ['1.0', true, false],
    ['0.3', false, true],
    ['0.2.5', false, true],
    ['', true, true],
    ['99.0', true, true],
  ])('with A2A-Version %j the root serves 1.0: %s, 0.3: %s', async (version, modern, legacy) => {
    const answer = await get(ROOT, { 'a2a-version': version });
    expect(answer.headers['vary']).toBe('A2A-Version');
    expect('supportedInterfaces' in answer.json()).toBe(modern);
    expect('protocolVersion' in answer.json()).toBe(legacy);
  });

  it('serves the 0.x card at agent.json, whatever version is asked for', async () => {
    const headers = { 'a2a-version': '1.0' };
    const card = (await get('/.well-known/agent.json', headers)).json<Json>();
    expect(card).toMatchObject({ protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' });
    expect(card).not.toHaveProperty('supportedInterfaces');
  });

  it('answers 404 for an agent that is not there', async () => {
    const answer = await get('/a2a/agents/nobody/.well-known/agent-card.json');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ type: 'urn:a2a-hub:error:not-found' });
  });

  it('takes its address from the configuration, whatever the request says', async () => {
    const answer = await get(ROOT, { host: 'evil.example', 'x-forwarded-host': 'evil.example' });
    expect(answer.body).not.toContain('evil');
    expect(answer.json()).toMatchObject({ url: 'https://hub.example.com/a2a' });
  });

  it('needs no key', async () => {
    expect((await get(ROOT)).json()).toMatchObject({ security: [{ bearer: [] }, { apiKey: [] }] });
  });
});

describe('caching', () => {
  it('gives each form a tag, and 304 to who has it', async () => {
    const first = await get(ROOT);
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^W\/".+"$/),
      'cache-control': 'public, max-age=60',
      'last-modified': expect.stringMatching(/GMT$/),
    });
    const etag = first.headers['etag'] as string;
    for (const tags of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await get(ROOT, { 'if-none-match': tags });
      expect(again.statusCode).toBe(304);
      expect(again.body).toBe('');
      expect(again.headers['etag']).toBe(etag);
    }
    expect((await get(ROOT, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    expect((await get(ROOT, { 'a2a-version': '1.0' })).headers['etag']).not.toBe(etag);
  });

  it('answers 304 to If-Modified-Since, unless a tag says otherwise', async () => {
    const since = (await get(ROOT)).headers['last-modified'] as string;
    expect((await get(ROOT, { 'if-modified-since': since })).statusCode).toBe(304);
    expect((await get(ROOT, { 'if-modified-since': 'nonsense' })).statusCode).toBe(200);
    const both = { 'if-modified-since': since, 'if-none-match': '"other"' };
    expect((await get(ROOT, both)).statusCode).toBe(200);
  });

  it('answers HEAD like GET without the body', async () => {
    const whole = await get(ROOT);
    const head = await server.inject({ method: 'HEAD', url: ROOT });
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers['etag']).toBe(whole.headers['etag']);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
  });

  it('makes a card once for each state of the registry', async () => {
    const first = await get(ROOT);
    const again = await get(ROOT);
    expect(again.body).toBe(first.body);
    expect(again.headers['last-modified']).toBe(first.headers['last-modified']);
    agents = [agent('csv')];
    const second = await get(ROOT);
    expect(second.headers['etag']).not.toBe(first.headers['etag']);
    expect(second.json<Json>().skills).toHaveLength(1);
  });
});

function get(url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  return server.inject({ method: 'GET', url, headers });
}

function agent(id: string): Pick<Agent, 'id' | 'card' | 'tags'> {
  const skills = [{ id: 'work', name: 'Work', description: 'Works.', tags: ['work'] }];
  return { id, tags: [], card: AgentCard.fromJSON({ name: id, version: '1', skills }) };
}
