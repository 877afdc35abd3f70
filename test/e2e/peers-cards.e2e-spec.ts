import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { Json, JsonObject } from '../support/json.js';
import { rawHttp } from '../support/raw-http.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const SCHEMA_TYPES = ['http', 'apiKey', 'oauth2', 'openIdConnect', 'mutualTLS'];

let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  [hub, agent] = await Promise.all([
    startHub({ config: { grpc: { port: -1 } } }),
    startSdkAgent({ name: 'Worker' }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
});

afterAll(async () => {
  await Promise.all([hub.close(), agent.close()]);
});

/** The request as the client sends it: no version, no key. */
async function card(path: string, userAgent: string): Promise<JsonObject> {
  const answer = await rawHttp(hub.url, [
    `GET ${path} HTTP/1.1`,
    `User-Agent: ${userAgent}`,
    'Accept: */*',
    'Accept-Encoding: identity',
    'Connection: keep-alive',
  ]);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  return answer.body as JsonObject;
}

const ROOT = '/.well-known/agent-card.json';

describe('cards: where clients look', () => {
  it.each([
    ['a2a-sdk for Python 1.x and 0.3', ROOT, 'python-httpx/0.28.1'],
    ['a2a-go', ROOT, 'Go-http-client/1.1'],
    ['a2a-java', ROOT, 'Java-http-client/17.0.16'],
    ['fasta2a 2', ROOT, 'python-httpx/0.28.1'],
    ['a2a-sdk for Python 0.2 and fasta2a 0.5', '/.well-known/agent.json', 'python-httpx/0.28.1'],
    [
      'Python and Go, below the path of one agent',
      `/a2a/agents/worker${ROOT}`,
      'python-httpx/0.28.1',
    ],
    ['Python 0.2, below the path of one agent', '/a2a/agents/worker/.well-known/agent.json', 'x'],
  ])('%s finds a card at %s', async (_client, path, userAgent) => {
    expect(await card(path, userAgent)).toMatchObject({ name: expect.any(String) });
  });
});

describe.each([ROOT, `/a2a/agents/worker${ROOT}`])('K cards: without A2A-Version, %s', (path) => {
  let read: JsonObject;
  beforeAll(async () => {
    read = await card(path, 'Go-http-client/1.1');
  });

  it('is one card that 1.0 and 0.x clients can both read', () => {
    const { supportedInterfaces, additionalInterfaces } = read;
    expect(read).toMatchObject({ protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' });
    expect(new URL(read['url'] as string).protocol).toBe('http:');
    expect(versionsOf(supportedInterfaces, 'JSONRPC')).toEqual(['1.0', '0.3']);
    expect((additionalInterfaces as JsonObject[]).map(({ transport }) => transport)).toEqual(
      expect.arrayContaining(['JSONRPC', 'HTTP+JSON']),
    );
  });

  it('K names JSON-RPC 1.0 as its first interface', () => {
    expect(read['supportedInterfaces'][0]).toMatchObject({
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
      url: read['url'],
    });
  });

  it('spells the bindings as clients match them', () => {
    for (const binding of ['JSONRPC', 'HTTP+JSON']) {
      expect(versionsOf(read['supportedInterfaces'], binding)).toEqual(['1.0', '0.3']);
    }
    expect(versionsOf(read['supportedInterfaces'], 'GRPC')).toContain('1.0');
  });

  it('states host:port without a scheme as the address of gRPC 1.0', () => {
    const urls = (read['supportedInterfaces'] as JsonObject[])
      .filter(({ protocolBinding }) => protocolBinding === 'GRPC')
      .map(({ url }) => url as string);
    expect(urls).not.toHaveLength(0);
    for (const url of urls) expect(url).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it('holds both shapes in each security scheme', () => {
    const schemes = Object.values(read['securitySchemes'] as JsonObject) as JsonObject[];
    expect(schemes.length).toBeGreaterThan(0);
    for (const scheme of schemes) {
      expect(SCHEMA_TYPES).toContain(scheme['type']);
      expect(
        Object.keys(scheme).filter((member) => member.endsWith('SecurityScheme')),
      ).toHaveLength(1);
    }
    expect(schemes).toContainEqual(
      expect.objectContaining({
        type: 'http',
        scheme: expect.stringMatching(/^bearer$/i),
        httpAuthSecurityScheme: expect.objectContaining({
          scheme: expect.stringMatching(/^bearer$/i),
        }),
      }),
    );
  });

  it('writes security requirements with plain lists', () => {
    const requirements = read['securityRequirements'] as JsonObject[];
    expect(requirements.length).toBeGreaterThan(0);
    for (const { schemes } of requirements) {
      for (const scopes of Object.values(schemes as JsonObject))
        expect(scopes).toBeInstanceOf(Array);
    }
    const plain = requirements.map(({ schemes }) => schemes);
    expect(read['security']).toEqual(plain);
  });

  it('gives every skill its input and output modes', () => {
    expect(read['skills']).not.toHaveLength(0);
    for (const skill of read['skills'] as JsonObject[]) {
      expect(skill['inputModes']).not.toHaveLength(0);
      expect(skill['outputModes']).not.toHaveLength(0);
    }
  });
});

describe('cards: gRPC of 0.3', () => {
  const addressIn = async (path: string): Promise<string | undefined> => {
    const { additionalInterfaces } = await card(path, 'grpc');
    const grpc = (additionalInterfaces as JsonObject[]).find(
      ({ transport }) => transport === 'GRPC',
    );
    return grpc?.['url'] as string | undefined;
  };

  it('is the address that clients dial', async () => {
    for (const path of ['/.well-known/agent.json', ROOT])
      expect(await addressIn(path)).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it('has no way to name an agent, so the card of one agent does not offer it', async () => {
    expect(await addressIn(`/a2a/agents/worker${ROOT}`)).toBeUndefined();
  });
});

describe('cards: what the hub reads', () => {
  it.each<[string, unknown]>([
    ['plain lists', { schemes: { key: ['read'] } }],
    ['proto lists', { schemes: { key: { list: ['read'] } } }],
    ['an empty object for no scopes (a2a-sdk 1.x)', { schemes: { key: {} } }],
  ])('takes security requirements written as %s', async (_name, requirement) => {
    const securitySchemes = {
      key: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    };
    const scripted = await ScriptedAgent.start({
      card: { securitySchemes, securityRequirements: [requirement] },
    });
    const id = await hub.registerAgent(scripted.url);
    expect((await hub.admin('GET', `/api/v1/agents/${id}`)).status).toBe(200);
    await hub.admin('DELETE', `/api/v1/agents/${id}`);
    await scripted.close();
  });

  it('uses the url of the card as it is (a2a-go: 404 at / and with a slash at the end)', async () => {
    const requested: string[] = [];
    const listener = await listenOnLoopback((request, response) => {
      if (request.url === ROOT) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(goCard(listener.url)));
        return;
      }
      requested.push(`${request.method} ${request.url}`);
      const found = request.url === '/invoke';
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        found
          ? '{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","contextId":"c","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}}'
          : '404 page not found\n',
      );
    });
    const id = await hub.registerAgent(listener.url, { id: 'go' });
    const answer = await hub.send('hello', {}, { path: `/a2a/agents/${id}` });
    expect(answer['message']).toMatchObject({ parts: [{ text: 'hi' }] });
    expect(new Set(requested)).toEqual(new Set(['POST /invoke']));
    await hub.admin('DELETE', `/api/v1/agents/${id}`);
    await listener.close();
  });
});

/** The card of a2a-go v2. */
function goCard(origin: string): JsonObject {
  return {
    capabilities: {},
    defaultInputModes: ['text'],
    defaultOutputModes: ['text'],
    description: 'Just a hello world agent',
    name: 'Hello World Agent',
    skills: [
      { description: 'Says hi.', id: 'hello', name: 'Hello, world!', tags: ['hello world'] },
    ],
    supportedInterfaces: [
      { protocolBinding: 'JSONRPC', protocolVersion: '1.0', url: `${origin}/invoke` },
    ],
    version: '',
  };
}

function versionsOf(interfaces: Json, binding: string): string[] {
  return (interfaces as JsonObject[])
    .filter(({ protocolBinding }) => protocolBinding === binding)
    .map(({ protocolVersion }) => String(protocolVersion));
}
