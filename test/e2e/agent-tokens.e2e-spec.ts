import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  status,
} from '@grpc/grpc-js';
import { TaskState } from '../../src/protocol/a2a.js';
import { type Hub, startHub } from '../support/app.js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TokenServer } from '../support/token-server.js';

let hub: Hub;
let server: TokenServer;
let agent: ScriptedAgent;
let other: ScriptedAgent;

beforeAll(async () => {
  hub = await startHub();
  server = await TokenServer.start('client_secret_basic');
  agent = await ScriptedAgent.start();
  other = await ScriptedAgent.start();
});

afterAll(() => Promise.all([hub, server, agent, other].map((each) => each.close())));

beforeEach(async () => {
  await hub.admin('DELETE', '/api/v1/agents/z');
  agent.calls.splice(0);
  other.calls.splice(0);
  delete agent.handlers['*'];
  server.down = false;
  server.requests = 0;
});

/** An agent that refuses the first call, and all of them while it `refuses`. */
interface Refusing {
  readonly url: string;
  readonly sent: (string | undefined)[];
  refuses: boolean;
  readonly close: () => Promise<void>;
}

async function refusingOverRest(): Promise<Refusing> {
  const { url, close } = await listenOnLoopback((request, response) => {
    const isRefused = refusing.sent.length === 0 || refusing.refuses;
    refusing.sent.push(request.headers.authorization);
    response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' });
    const status = { state: 'TASK_STATE_COMPLETED' };
    response.end(isRefused ? '{}' : JSON.stringify({ task: { id: 't', contextId: 'c', status } }));
  });
  const refusing: Refusing = { url, close, sent: [], refuses: false };
  return refusing;
}

async function refusingOverGrpc(): Promise<Refusing> {
  const grpc = new Server();
  grpc.addService(A2AService, {
    sendMessage: ({ metadata }: { metadata: Metadata }, done: sendUnaryData<object>) => {
      const isRefused = refusing.sent.length === 0 || refusing.refuses;
      refusing.sent.push(metadata.get('authorization')[0]?.toString());
      if (isRefused) return done({ code: status.UNAUTHENTICATED, details: 'another, please' });
      const value = {
        ...{ id: 't', contextId: 'c', artifacts: [], history: [] },
        status: { state: TaskState.TASK_STATE_COMPLETED },
      };
      done(null, { payload: { $case: 'task', value } });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const close = (): Promise<void> => Promise.resolve(grpc.forceShutdown());
  const url = `127.0.0.1:${port}`;
  const refusing: Refusing = { url, close, sent: [], refuses: false };
  return refusing;
}

let audiences = 0;
/** Each is another one to the cache. */
const authentication = (changes: JsonObject = {}): JsonObject => ({
  type: 'oauth2-client-credentials',
  tokenUrl: server.tokenUrl,
  clientId: server.clientId,
  clientSecret: server.clientSecret,
  scopes: ['webhooks'],
  audience: `test-${++audiences}`,
  ...changes,
});
const register = (changes: JsonObject = {}, fields: JsonObject = {}) =>
  hub.registerAgent(agent.url, { id: 'z', authentication: authentication(changes), ...fields });
const say = () => hub.send('hi', { tenant: 'z' });
const patch = (fields: JsonObject) => hub.admin('PATCH', '/api/v1/agents/z', fields);
const sent = () => agent.calls.map(({ headers }) => headers.authorization);

describe('an agent with client credentials', () => {
  it('is called with a token of the server, which is kept, and no secret is shown', async () => {
    const { body, text } = await hub.admin('POST', '/api/v1/agents', {
      id: 'z',
      cardUrl: agent.url,
      authentication: authentication(),
    });
    expect(body.authentication).toMatchObject({ clientId: 'a2a-hub', scopes: ['webhooks'] });
    expect(body.credentialOrigins).toEqual([agent.url]);
    await say();
    await say();
    expect(await server.knows(sent()[0])).toBe(true);
    expect(new Set(sent()).size).toBe(1);
    expect(server.requests).toBe(1);
    const shown = await hub.admin('GET', '/api/v1/agents/z');
    const audit = await hub.admin('GET', '/api/v1/audit?limit=100');
    for (const answer of [text, shown.text, audit.text]) {
      expect(answer).not.toContain(server.clientSecret);
      expect(answer).not.toContain(sent()[0]!.slice('Bearer '.length));
    }
  });

  it('finds the server by its issuer', async () => {
    await register({ tokenUrl: null, issuer: new URL(server.tokenUrl).origin });
    await say();
    expect(await server.knows(sent()[0])).toBe(true);
  });

  it('gets a call once more with a new token when it refuses the one before', async () => {
    await register();
    agent.handlers['*'] = (call) => void call.response.writeHead(401).end();
    await expect(say()).resolves.toBeDefined();
    const tokens = new Set(sent());
    expect(tokens.size).toBe(2);
    expect(sent()).toHaveLength(2);
    expect(server.requests).toBe(2);
  });

  it('gets no second call with the token that it has refused, which its server gives again', async () => {
    const given: number[] = [];
    const tokens = await listenOnLoopback((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'same', token_type: 'Bearer', expires_in: 600 }));
      given.push(200);
    });
    await register({ tokenUrl: `${tokens.url}/token` });
    agent.handlers['*'] = (call) => void call.response.writeHead(401).end();
    const { task } = (await say()) as { task: JsonObject };
    expect(task['status']).toMatchObject({ state: 'TASK_STATE_FAILED' });
    expect([sent(), given.length]).toEqual([['Bearer same'], 2]);
    await tokens.close();
  });

  it.each(['HTTP+JSON', 'GRPC'] as const)(
    'gets a call once more with a new token over %s, and not again soon',
    async (binding) => {
      const refusing = binding === 'GRPC' ? await refusingOverGrpc() : await refusingOverRest();
      const card = {
        ...agent.card(),
        capabilities: { streaming: false },
        supportedInterfaces: [
          { url: refusing.url, protocolBinding: binding, protocolVersion: '1.0' },
        ],
      };
      const request = { id: 'z', card, authentication: authentication() };
      expect((await hub.admin('POST', '/api/v1/agents', request)).status).toBe(201);
      const { task } = (await say()) as { task: JsonObject };
      expect(task['status']).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
      expect(refusing.sent).toHaveLength(2);
      expect(new Set(refusing.sent).size).toBe(2);
      expect(server.requests).toBe(2);
      for (const each of refusing.sent) expect(await server.knows(each)).toBe(true);
      refusing.refuses = true;
      await say();
      expect(refusing.sent).toHaveLength(3);
      await refusing.close();
    },
  );

  it('is not called without a token, which says nothing of its health', async () => {
    await register();
    server.down = true;
    await say();
    expect(agent.calls).toEqual([]);
    const { body, text } = await hub.admin('GET', '/api/v1/agents/z');
    expect(body.health.lastError).toBeNull();
    expect(text).not.toContain(server.clientSecret);
  });

  it('loses it with null, and with an override elsewhere', async () => {
    await register();
    expect((await patch({ authentication: null })).body.authentication).toBeNull();
    await say();
    expect(sent()).toEqual([undefined]);
    await patch({ authentication: authentication() });
    const moved = await patch({ endpointOverride: `${other.url}/rpc` });
    expect([moved.body.authentication, moved.body.credentialOrigins]).toEqual([null, []]);
    await say();
    expect(other.calls.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it.each([
    [{ clientId: null }, 'authentication.clientId'],
    [{ clientSecret: 'a\nb' }, 'authentication.clientSecret'],
    [{ tokenUrl: null }, 'authentication.tokenUrl'],
    [{ issuer: 'https://issuer.example' }, 'authentication.tokenUrl'],
    [{ tokenUrl: 'https://user:pass@login.example/t' }, 'authentication.tokenUrl'],
    [{ scopes: ['a b'] }, 'authentication.scopes'],
    [{ tokenUrl: 'http://169.254.169.254/token' }, 'authentication.tokenUrl'],
    [{ type: 'none' }, 'authentication.type'],
  ])('is refused with %j', async (changes, field) => {
    const refused = await hub.admin('POST', '/api/v1/agents:check', {
      cardUrl: agent.url,
      authentication: authentication(changes),
    });
    expect([400, 422]).toContain(refused.status);
    expect(refused.body.errors[0].field).toBe(field);
    expect(refused.text).not.toContain(server.clientSecret);
  });

  it('shows what its card asks for and is not set; a refusal tells it to operators alone', async () => {
    const asking = await ScriptedAgent.start({
      card: {
        securitySchemes: {
          oauth: {
            oauth2SecurityScheme: {
              flows: {
                clientCredentials: { tokenUrl: 'https://login.example/token', scopes: {} },
              },
            },
          },
        },
        securityRequirements: [{ schemes: { oauth: { list: ['read'] } } }],
      },
      handlers: { '*': (call) => void call.response.writeHead(403).end('no ') },
    });
    const request = { id: 'z', cardUrl: asking.url, credentials: { 'x-key': 'key-never-shown' } };
    const missing =
      'an OAuth 2.0 access token of https://login.example/token with the scope read: set authentication';
    const security = [{ schemes: ['oauth'], isMet: false, missing: [missing] }];
    const checked = await hub.admin('POST', '/api/v1/agents:check', request);
    expect([checked.status, checked.body.security]).toEqual([200, security]);
    const made = await hub.admin('POST', '/api/v1/agents', request);
    expect([made.status, made.body.security]).toEqual([201, security]);
    const task = await hub.submit('hi', { tenant: 'z' });
    const ended = await hub.waitForTask(String(task.id));
    expect(JSON.stringify(ended)).toContain('HTTP 403');
    expect(JSON.stringify(ended)).not.toMatch(/login\.example|x-key/);
    const { text } = await hub.admin('GET', `/api/v1/tasks/${String(task.id)}`);
    expect(text).toContain(`the card asks for ${missing}; the hub sent the headers x-key; `);
    expect(text).not.toContain('key-never-shown');
    const fixed = await patch({ authentication: authentication({ scopes: ['read'] }) });
    expect(fixed.body.security).toEqual([{ schemes: ['oauth'], isMet: true, missing: [] }]);
    // Where tokens are got is the operator's word, not the card's.
    expect(fixed.body.authentication.tokenUrl).toBe(server.tokenUrl);
    await asking.close();
  });

  it('cannot have a header that its token is in', async () => {
    const refused = await hub.admin('POST', '/api/v1/agents', {
      cardUrl: agent.url,
      authentication: authentication(),
      credentials: { authorization: 'Bearer x' },
    });
    expect(refused.body.errors[0].field).toBe('credentials.authorization');
  });
});
