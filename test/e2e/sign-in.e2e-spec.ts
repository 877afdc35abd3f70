import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { status } from '@grpc/grpc-js';
import type { JsonObject } from '../support/json.js';
import { ADMIN_KEY, RpcError } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V0, V1, grpcTarget } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import { OidcServer } from '../support/oidc-server.js';
import { beginRawCall } from '../support/raw-grpc-call.js';
import { closeClient, sdkClient, sdkRequest } from '../support/sdk-client.js';
import { TestIssuer } from '../support/test-issuer.js';

const TO_SCRIPTED = { message: { metadata: { agentId: 'scripted' } } };

let provider: OidcServer;
let issuer: TestIssuer;
let served: GrpcHub;
let hub: GrpcHub['hub'];

beforeAll(async () => {
  [provider, issuer] = await Promise.all([OidcServer.start(), TestIssuer.start()]);
  const issuers = [
    {
      id: 'real',
      issuer: provider.url,
      organization: 'acme',
      grants: { everyone: [], scopes: { 'hub.call': ['a2a'], 'hub.operate': ['admin'] } },
    },
    {
      id: 'test',
      issuer: issuer.url,
      claims: { organization: 'org', groups: 'realm_access.roles' },
      organizations: ['acme', 'umbrella'],
      clockSkew: '0s',
      grants: { groups: { leads: ['tasks:organization'], pushers: ['push'] } },
      introspection: { clientId: 'hub', clientSecret: 'secretOfTheHub', cache: '3s' },
    },
  ];
  served = await startGrpcHub({ auth: { issuers } }, { live: { manual: true, chunks: 1000 } });
  ({ hub } = served);
});

afterAll(async () => {
  await served?.close();
  await Promise.all([provider?.close(), issuer?.close()]);
});

/** A token of the scripted issuer, for the hub. */
const token = (claims: JsonObject = {}, header = {}): Promise<string> =>
  issuer.token({ aud: hub.url, ...claims }, header);

const send = (key: string) => hub.submit('go', TO_SCRIPTED, { key });

describe('a client that knows nothing but the address of the hub', () => {
  it('finds the provider by the refusal, gets a token and calls with it', async () => {
    const refused = await hub.get('/a2a/tasks', { key: null });
    expect(refused.status).toBe(401);
    const challenge = String(refused.headers['www-authenticate']);
    const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect(metadataUrl).toBe(`${hub.url}/.well-known/oauth-protected-resource/a2a`);
    const metadata = (await (await fetch(metadataUrl!)).json()) as JsonObject;
    expect(metadata).toMatchObject({
      resource: `${hub.url}/a2a`,
      authorization_servers: [provider.url, issuer.url],
      bearer_methods_supported: ['header'],
      scopes_supported: ['hub.call', 'hub.operate'],
    });
    const access = await provider.token('billing', metadata['resource'] as string);
    expect((await hub.get('/a2a/tasks', { key: access })).status).toBe(200);
  });

  it('finds the same for the hub as a whole', async () => {
    const refused = await hub.admin('GET', '/api/v1/agents', undefined, 'no-key');
    expect(refused.headers['www-authenticate']).toContain(
      `resource_metadata="${hub.url}/.well-known/oauth-protected-resource"`,
    );
    const answer = await fetch(`${hub.url}/.well-known/oauth-protected-resource`);
    expect(await answer.json()).toMatchObject({ resource: hub.url });
  });

  it('reads on the card what is accepted', async () => {
    const card = await (await fetch(`${hub.url}/.well-known/agent-card.json`)).json();
    const { securitySchemes, securityRequirements } = card as Record<string, JsonObject>;
    expect(securitySchemes).toMatchObject({
      'real-oidc': {
        openIdConnectSecurityScheme: {
          openIdConnectUrl: `${provider.url}/.well-known/openid-configuration`,
        },
      },
    });
    expect(securityRequirements).toContainEqual({ schemes: { 'real-oidc': ['hub.call'] } });
  });
});

describe('the official SDK with tokens of a real provider', () => {
  it.each([
    ['JSONRPC', '1.0'],
    ['HTTP+JSON', '1.0'],
    ['GRPC', '1.0'],
    ['JSONRPC', '0.3'],
    ['HTTP+JSON', '0.3'],
    ['GRPC', '0.3'],
  ] as const)('sends over %s %s, and all are one principal', async (binding, version) => {
    const access = await provider.token('billing', hub.url);
    const client = await sdkClient(hub.url, access, version, binding);
    const sent = await client.sendMessage(
      sdkRequest('go', {
        message: { metadata: { agentId: 'scripted' } },
        configuration: { returnImmediately: true },
      }),
    );
    const { id } = sent as { id: string };
    closeClient(client);
    const again = await provider.token('billing', hub.url);
    expect(await hub.getTask(id, { key: again })).toMatchObject({ id });
    const other = await provider.token('operations', hub.url);
    await expect(hub.getTask(id, { key: other })).rejects.toThrow('not');
  });

  it('may do what its scopes grant, and no more', async () => {
    const agents = (access: string) => hub.admin('GET', '/api/v1/agents', undefined, access);
    const caller = await provider.token('operations', hub.url, 'hub.call');
    const denied = await agents(caller);
    expect([denied.status, denied.headers['www-authenticate']]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope", scope="hub.operate"'),
    ]);
    // Without a scope of the provider it may nothing: each door names what to ask the provider for.
    const nothing = await provider.token('operations', hub.url, '');
    for (const answer of [
      await hub.get('/a2a/tasks', { key: nothing }),
      await hub.rpcRaw('GetTask', { id: 'x' }, { key: nothing }),
    ]) {
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        403,
        expect.stringContaining('error="insufficient_scope", scope="hub.call"'),
      ]);
      expect(answer.text).toContain('an access token has with the scope hub.call');
    }
    const client = await GrpcClient.of(hub, { key: nothing });
    const asked = { tenant: '', id: 'x', historyLength: undefined };
    await expect(client.call(V1.getTask, asked)).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('an access token has with the scope hub.call'),
    });
    client.close();
    const operator = await provider.token('operations', hub.url, 'hub.operate');
    expect((await agents(operator)).status).toBe(200);
    // `admin` holds all scopes of the hub.
    expect((await hub.get('/a2a/tasks', { key: operator })).status).toBe(200);
  });
});

describe('a principal that signs in', () => {
  it('is shown to operators with the subject its issuer knows', async () => {
    await send(await token({ sub: 'carol' }));
    const listed = await hub.admin('GET', '/api/v1/principals?subject=carol');
    expect(listed.body.items).toMatchObject([
      {
        organization: 'acme',
        state: 'active',
        validKeys: 0,
        identity: { issuer: issuer.url, subject: 'carol' },
      },
    ]);
  });

  it('is another one in another organization, and sees nothing of the first', async () => {
    const { id } = await send(await token({ sub: 'dave' }));
    const elsewhere = await token({ sub: 'dave', org: 'umbrella' });
    await expect(hub.getTask(id as string, { key: elsewhere })).rejects.toThrow(RpcError);
    const foreign = await hub.rpcRaw('GetTask', { id: 'x' }, { key: await token({ org: 'evil' }) });
    expect(foreign.status).toBe(401);
  });

  it('sees all tasks of its organization with the scope for it, by a group', async () => {
    const { id } = await send(await token({ sub: 'erin' }));
    const plain = await token({ sub: 'frank' });
    await expect(hub.getTask(id as string, { key: plain })).rejects.toThrow(RpcError);
    const lead = await token({ sub: 'frank', realm_access: { roles: ['leads'] } });
    expect(await hub.getTask(id as string, { key: lead })).toMatchObject({ id });
  });

  it('ends at once when it is disabled: calls, streams and new tokens', async () => {
    const key = await token({ sub: 'grace' });
    const { id } = await send(key);
    const stream = await hub.stream('SubscribeToTask', { id }, { key });
    await stream.next();
    const { body } = await hub.admin('GET', '/api/v1/principals?subject=grace');
    const principal = (body.items as JsonObject[])[0]!['id'] as string;
    await hub.admin('POST', `/api/v1/principals/${principal}:disable`);
    expect(JSON.stringify(await stream.next())).toContain('UNAUTHENTICATED');
    expect(await stream.next()).toBeUndefined();
    const refused = await hub.get('/a2a/tasks', { key });
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('disabled')]);
    await eventually(async () => {
      const query = `action=auth.sign-in&principal=${principal}`;
      const { body: log } = await hub.admin('GET', `/api/v1/audit?${query}`);
      const told = (log.items as JsonObject[]).map(({ organization, issuer: by, details }) => [
        ...[organization, by, (details as JsonObject)['cause']],
        (details as JsonObject)['route'],
      ]);
      // The stream that ended, and the new call.
      expect(told).toEqual([
        ['acme', issuer.url, 'disabled-principal', 'GET /a2a/tasks'],
        ['acme', issuer.url, 'disabled-principal', 'POST /a2a'],
      ]);
    }, 5000);
    expect((await hub.get('/a2a/tasks', { key: await token({ sub: 'grace' }) })).status).toBe(401);
    await hub.admin('POST', `/api/v1/principals/${principal}:enable`);
    expect((await hub.get('/a2a/tasks', { key })).status).toBe(200);
  });

  it('may get an API key, which is of the same principal', async () => {
    const { id } = await send(await token({ sub: 'heidi' }));
    const { body } = await hub.admin('GET', '/api/v1/principals?subject=heidi');
    const principal = (body.items as JsonObject[])[0]!['id'];
    const made = await hub.admin('POST', '/api/v1/keys', { name: 'k', principal });
    expect(await hub.getTask(id as string, { key: made.body.key as string })).toMatchObject({ id });
  });
});

describe('a stream whose token expires', () => {
  it('ends with that, and goes on with a new token where it ended', async () => {
    const exp = Math.floor(Date.now() / 1000) + 3;
    const key = await token({ sub: 'ivan', exp });
    const known = new Set(served.agent.tasks.keys());
    const { id } = await send(key);
    const live = await eventually(() => {
      const begun = [...served.agent.tasks].find(([each]) => !known.has(each))?.[1];
      expect(begun).toBeDefined();
      return begun!;
    }, 5000);
    const stream = await hub.stream('SubscribeToTask', { id }, { key });
    await stream.next();
    live.chunk();
    await stream.until(({ data }) => JSON.stringify(data).includes('artifactUpdate'));
    const last = stream.lastId;
    const end = JSON.stringify(await stream.next());
    expect(end).toContain('UNAUTHENTICATED');
    expect(end).toContain('get a new one');
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
    live.chunk();
    const fresh = await token({ sub: 'ivan' });
    const resumed = await hub.stream(
      'SubscribeToTask',
      { id },
      { key: fresh, ...(last !== undefined && { lastEventId: last }) },
    );
    expect(JSON.stringify(await resumed.next())).toContain('artifactUpdate');
    live.end();
    resumed.close();
  }, 15_000);
});

describe('a token that is not valid', () => {
  const cases: [string, () => Promise<string>, RegExp][] = [
    ['expired', () => token({ exp: 1_600_000_000 }), /has expired/],
    ['for another audience', () => token({ aud: 'https://x.example' }), /another audience/],
    ['of another issuer', () => token({ iss: 'https://x.example' }), /issuer that is not accepted/],
    ['not valid yet', () => token({ nbf: 4_000_000_000 }), /not valid yet/],
    ['without a subject', () => token({ sub: undefined }), /no subject/],
    ['without an organization', () => token({ org: undefined }), /no organization/],
    ['of the algorithm none', async () => unsigned(await token()), /algorithm/],
    ['changed', async () => (await token()).replace(/\.[^.]+\./, '.e30.'), /issuer that|malformed/],
    ['bound to a key of its holder', () => token({ cnf: { jkt: 'x' } }), /cnf/],
    ['with actors without end', () => token({ act: nested(9) }), /more than 8 actors/],
    ['with an actor that is nobody', () => token({ act: { client_id: 'x' } }), /without a subject/],
    ['unknown to the issuer that is asked', () => Promise.resolve(randomUUID()), /not active/],
  ];

  function nested(depth: number): JsonObject {
    return { sub: `a${depth}`, ...(depth > 1 && { act: nested(depth - 1) }) };
  }

  function unsigned(jwt: string): string {
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    return `${header}.${jwt.split('.')[1]}.`;
  }

  it.each(cases)('(%s) opens no door, and each says why', async (_, make, why) => {
    const key = await make();
    const params = { id: 'x' };
    const http = [
      await hub.rpcRaw('GetTask', params, { key }),
      await hub.rpcRaw('tasks/get', params, { key, version: '0.3' }),
      await hub.get('/a2a/tasks', { key }),
      await hub.get('/a2a/v1/tasks/x', { key, version: '0.3' }),
      await hub.get('/a2a/extendedAgentCard', { key }),
      await hub.admin('GET', '/api/v1/agents', undefined, key),
      await hub.admin('POST', '/api/v1/keys', { name: 'x' }, key),
    ];
    for (const { status: code, text, headers } of http) {
      expect([code, text]).toEqual([401, expect.stringMatching(why)]);
      expect(headers['www-authenticate']).toMatch(/error="invalid_token", error_description=/);
      expect(text).not.toContain(key);
    }
    const client = await GrpcClient.of(hub, { key });
    const { UNAUTHENTICATED: code } = status;
    const request = { tenant: '', id: 'x', historyLength: undefined };
    const details: unknown = expect.stringMatching(why);
    await expect(client.call(V1.getTask, request)).rejects.toMatchObject({ code, details });
    const v0 = client.call(V0.getTask, { name: 'tasks/x', historyLength: 0 });
    await expect(v0).rejects.toMatchObject({ code });
    client.close();
  });

  it('is never shown to an issuer when it came as an API key', async () => {
    const before = issuer.requests.length;
    const answer = await hub.get('/a2a/tasks', {
      key: null,
      headers: { 'x-api-key': 'something-secret' },
    });
    expect(answer.status).toBe(401);
    expect(issuer.requests).toHaveLength(before);
  });
});

describe('a request with more than one credential', () => {
  const sentence = /^There is more than one|hold different credentials/;

  /** One request with just these headers, however often each. */
  const answerTo = (method: string, path: string, headers: string[]) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const all = ['Host', new URL(hub.url).host, 'Content-Type', 'application/json', ...headers];
      const sent = request(hub.url + path, { method, headers: all }, (answer) => {
        void text(answer).then((body) => resolve({ status: answer.statusCode, text: body }));
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? JSON.stringify(GET_TASK) : undefined);
    });
  const GET_TASK = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } };
  const DOORS: [string, string, string][] = [
    ['JSON-RPC', 'POST', '/a2a'],
    ['HTTP+JSON', 'GET', '/a2a/tasks'],
    ['HTTP+JSON of 0.3', 'GET', '/a2a/v1/tasks/x'],
    ['the extended card', 'GET', '/a2a/extendedAgentCard'],
    ['the admin API', 'GET', '/api/v1/agents'],
    ['the metrics, where anybody may ask', 'GET', '/metrics'],
  ];

  it.each(DOORS)('is refused by %s', async (_, method, path) => {
    const [key, other] = [await hub.createKey(), await token()];
    const good = ['Authorization', `Bearer ${key}`];
    // JSON-RPC tells of a wrong request in an answer with the status 200.
    const expected = path === '/a2a' ? 200 : 400;
    for (const more of [
      ['Authorization', 'Bearer wrong'],
      ['authorization', `Bearer ${other}`],
      ['X-API-Key', 'wrong'],
      ['X-API-Key', other],
    ]) {
      for (const headers of [
        [...good, ...more],
        [...more, ...good],
      ]) {
        const { status: code, text: said } = await answerTo(method, path, headers);
        expect([code, said]).toEqual([expected, expect.stringMatching(/more than one|different/)]);
        expect(said).toMatch(/INVALID_REQUEST|error:invalid-request/);
        expect(said).not.toContain(key);
      }
    }
    const twice = await answerTo(method, path, ['X-API-Key', key, 'x-api-key', key]);
    expect([twice.status, twice.text]).toEqual([
      expected,
      expect.stringContaining('more than one'),
    ]);
  });

  it('may say the same twice', async () => {
    const key = await hub.createKey();
    const same = ['Authorization', `Bearer ${key}`, 'X-API-Key', key];
    expect((await answerTo('GET', '/a2a/tasks', same)).status).toBe(200);
  });

  it('is refused by gRPC', async () => {
    const [key, target] = [await hub.createKey(), grpcTarget(hub)];
    const client = new GrpcClient(target, { key });
    const asked = { tenant: '', id: 'x', historyLength: undefined };
    await expect(client.call(V1.getTask, asked, { 'x-api-key': 'wrong' })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(sentence),
    });
    client.close();
    for (const name of ['authorization', 'x-api-key']) {
      const values = [key, 'wrong'].map((each) => (name === 'x-api-key' ? each : `Bearer ${each}`));
      for (const each of [values, values.toReversed()]) {
        await beginRawCall(
          target,
          V1.listTasks.path,
          each.map((value) => [name, value] as const),
        );
      }
    }
    // The client of the library cannot send them, and what it was told is in the audit log.
    await eventually(async () => {
      const { body } = await hub.admin('GET', '/api/v1/audit?action=auth.sign-in&limit=200');
      const ofPath = (body.items as JsonObject[])
        .map(({ details }) => details as JsonObject)
        .filter(({ route }) => route === V1.listTasks.path);
      expect(ofPath).toEqual([
        expect.objectContaining({ reason: 'INVALID_REQUEST', cause: 'several-credentials' }),
      ]);
    }, 5000);
  });
});

describe('a token that is too long', () => {
  it.each([13_000, 40_000])(
    'is refused by gRPC with the reason, at %d characters',
    async (length) => {
      const client = await GrpcClient.of(hub, { key: await token({ filler: 'x'.repeat(length) }) });
      const asked = { tenant: '', id: 'x', historyLength: undefined };
      await expect(client.call(V1.getTask, asked)).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
        details: expect.stringContaining('longer than 12288 characters'),
      });
      client.close();
    },
  );
});

describe('a token in X-API-Key', () => {
  it('is not taken, also when it has just been taken as a bearer token', async () => {
    const [key, client] = [await token(), await GrpcClient.of(hub, { key: null })];
    issuer.opaque.set('opaque-5', { active: true, sub: 'mia', org: 'acme', aud: hub.url });
    for (const [each, why] of [
      [key, /Bearer TOKEN alone/],
      ['opaque-5', /not valid/],
    ] as const) {
      expect((await hub.get('/a2a/tasks', { key: each })).status).toBe(200);
      const headers = { 'x-api-key': each };
      for (const path of ['/a2a/tasks', '/api/v1/agents']) {
        const answer = await hub.get(path, { key: null, headers });
        expect([answer.status, answer.text]).toEqual([401, expect.stringMatching(why)]);
      }
      const asked = { tenant: '', id: 'x', historyLength: undefined };
      await expect(client.call(V1.getTask, asked, headers)).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
        details: expect.stringMatching(why),
      });
    }
    client.close();
  });
});

describe('an opaque token', () => {
  it('is one that the issuer is asked about, with the client of the hub', async () => {
    issuer.opaque.set('opaque-1', { active: true, sub: 'judy', org: 'acme', aud: hub.url });
    const { id } = await send('opaque-1');
    expect(issuer.lastClient).toBe(`Basic ${Buffer.from('hub:secretOfTheHub').toString('base64')}`);
    expect(await hub.getTask(id as string, { key: await token({ sub: 'judy' }) })).toBeDefined();
  });
});

describe('an open stream', () => {
  it('ends when its token is revoked, and the audit log names the sign-in of its task', async () => {
    const key = 'opaque-4';
    issuer.opaque.set(key, { active: true, sub: 'lea', org: 'umbrella', aud: hub.url });
    const { id } = await send(key);
    const stream = await hub.stream('SubscribeToTask', { id }, { key });
    await stream.next();
    issuer.opaque.set(key, { active: false });
    expect(JSON.stringify((await stream.collect()).at(-1))).toContain('is not active');
    await hub.rpc('CancelTask', { id }, { key: await token({ sub: 'lea', org: 'umbrella' }) });
    await eventually(async () => {
      const { body } = await hub.admin('GET', `/api/v1/audit?resourceId=${id as string}`);
      expect(body.items).toEqual([
        expect.objectContaining({
          ...{ action: 'tasks.end', issuer: issuer.url, onBehalfOf: null },
          credential: expect.any(String),
        }),
      ]);
    }, 5000);
  }, 20_000);
});

describe('what an issuer says of an opaque token', () => {
  it.each(['exp', 'nbf'])('is refused with a time that is no number: %s', async (name) => {
    const key = `opaque-${name}`;
    const said = { active: true, sub: 'mia', org: 'acme', aud: hub.url, [name]: '99999999999' };
    issuer.opaque.set(key, said);
    const answer = await hub.get('/a2a/tasks', { key });
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('no number')]);
  });
});

describe('an opaque token that the issuer says is active', () => {
  it.each([
    { typ: 'Refresh' },
    { typ: 'ID' },
    { token_type: 'refresh_token' },
    { token_use: 'refresh_token' },
    { at_hash: 'x' },
  ])('is refused when it is none for access: %j', async (kind) => {
    const key = `opaque-${Object.entries(kind).flat().join('-')}`;
    issuer.opaque.set(key, { active: true, sub: 'mia', org: 'acme', aud: hub.url, ...kind });
    const answer = await hub.get('/a2a/tasks', { key });
    expect([answer.status, answer.text]).toEqual([
      401,
      expect.stringContaining('an ID or refresh token'),
    ]);
  });
});

describe('what was meant as an API key', () => {
  it('is shown to no issuer', async () => {
    const key = await hub.createKey({ organization: 'acme' });
    const meant = [
      ...[`"${key}"`, `'${key}'`, `KEY=${key}`, `<${key}>`, `ApiKey:${key}`, `x${key}`],
      ...[
        'hub_x',
        'HUB_abc',
        key.toUpperCase(),
        key.slice(0, -1),
        key.slice(1),
        key.slice(4),
        `${key}=`,
        `Bearer.${key}`,
      ],
      ...[ADMIN_KEY.slice(1), ADMIN_KEY.slice(0, -1), `${ADMIN_KEY}x`, `"${ADMIN_KEY}"`],
      ...[ADMIN_KEY.toUpperCase(), ADMIN_KEY.slice(3, 25)],
    ];
    issuer.shown.splice(0);
    for (const each of meant) {
      const answer = await hub.get('/a2a/tasks', { key: each });
      expect([each, answer.status, answer.text]).toEqual([
        each,
        401,
        expect.stringContaining('API key is not valid'),
      ]);
    }
    expect(issuer.shown).toEqual([]);
    await hub.get('/a2a/tasks', { key: 'a-token-of-theirs' });
    expect(issuer.shown).toEqual(['a-token-of-theirs']);
  });
});

describe('an issuer that is away', () => {
  it('lets those in whose tokens it was asked about, and tells others to try again', async () => {
    const key = 'opaque-2';
    issuer.opaque.set(key, { active: true, sub: 'kim', org: 'acme', aud: hub.url });
    expect((await hub.get('/a2a/tasks', { key })).status).toBe(200);
    issuer.down = true;
    expect((await hub.get('/a2a/tasks', { key })).status).toBe(200);
    const refused = await hub.get('/a2a/tasks', { key: 'opaque-3' });
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('the issuer test cannot be asked');
    expect(refused.headers['retry-after']).toBeDefined();
    const { text: metrics } = await hub.get('/metrics', { key: null });
    expect(metrics).toMatch(/^a2a_hub_token_issuer_failures_total{issuer="test"} [1-9]/m);
    expect(metrics).toMatch(/^a2a_hub_token_issuer_failures_total{issuer="real"} 0/m);
    // Keys do not need it.
    expect((await hub.get('/a2a/tasks')).status).toBe(200);
    issuer.down = false;
    issuer.opaque.set('opaque-3', { active: true, sub: 'kim', org: 'acme', aud: hub.url });
    await eventually(
      async () => expect((await hub.get('/a2a/tasks', { key: 'opaque-3' })).status).toBe(200),
      10_000,
    );
  });
});
