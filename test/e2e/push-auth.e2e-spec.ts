import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { MtlsReceiver, TestAuthority } from '../support/mtls-receiver.js';
import { verifies, verifiesEd25519 } from '../support/push-auth.js';
import { TokenServer } from '../support/token-server.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const PROFILES = '/api/v1/push/auth-profiles';
const OPERATOR_TOKEN = 'token-of-the-operator-0123456789';

let hub: Hub;
let sink: WebhookSink;
let agent: RunningAgent;
let taskId: string;
let count = 0;

const secret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const newPath = (): string => `/hook-${++count}`;
const newName = (): string => `profile-${++count}`;

beforeAll(async () => {
  // The token server tells that it is made for a test.
  for (const method of ['warn', 'info'] as const) jest.spyOn(console, method).mockReturnValue();
  const push = { scheduleMs: [50, 700], jitter: 0, timeoutMs: 3000 };
  [hub, sink, agent] = await Promise.all([
    startHub({ config: { push } }),
    WebhookSink.start(),
    startSdkAgent({ name: 'worker', execute: (turn) => void turn.task().complete() }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
  taskId = String((await hub.submit('x', { message: { metadata: { agentId: 'worker' } } }))['id']);
  await hub.waitForTask(taskId);
});
afterEach(() => sink.reset());
afterAll(async () => {
  await hub.close();
  await Promise.all([agent, sink].map((one) => one.close()));
  jest.restoreAllMocks();
});

/** Registers a webhook on the finished task, which is told its state once. */
async function hook(url: string, authentication?: JsonObject): Promise<string> {
  const id = `c-${++count}`;
  const config = { taskId, id, url, ...(authentication ? { authentication } : {}) };
  await hub.rpc('CreateTaskPushNotificationConfig', config);
  return id;
}

async function received(authentication?: JsonObject, path = newPath()): Promise<ReceivedWebhook> {
  await hook(sink.url(path), authentication);
  return sink.waitFor((webhook) => webhook.path === path);
}

const named = (profile: string): JsonObject => ({ scheme: 'Profile', credentials: profile });

async function profile(fields: JsonObject): Promise<JsonObject> {
  const body = { name: newName(), organization: 'tests', urls: [sink.url('/')], ...fields };
  const answer = await hub.admin('POST', PROFILES, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as JsonObject;
}

async function deliveries(configId: string, ...states: string[]): Promise<JsonObject[]> {
  const end = performance.now() + 20_000;
  for (;;) {
    const answer = await hub.get(`/api/v1/push/deliveries?taskId=${taskId}&configId=${configId}`);
    const found = answer.body.items as JsonObject[];
    if (found.map((each) => each['state']).join() === states.join()) return found;
    if (performance.now() > end) throw new Error(answer.text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function attemptsOf(delivery: JsonObject): Promise<JsonObject[]> {
  const answer = await hub.get(`/api/v1/push/deliveries/${String(delivery['id'])}/attempts`);
  return answer.body.items as JsonObject[];
}

describe('schemes that a client names', () => {
  it('signs by every HMAC secret, as the library of Standard Webhooks verifies', async () => {
    const [one, two, other] = [secret(), secret(), secret()];
    const webhook = await received({ scheme: 'hmac', credentials: `${one} ${two}` });
    expect([one, two, other].map((key) => verifies(key, webhook))).toEqual([true, true, false]);
  });

  it.each([
    [{ scheme: 'BEARER', credentials: 'abc-token' }, 'authorization', 'Bearer abc-token'],
    [{ scheme: 'Basic', credentials: 'u:p' }, 'authorization', 'Basic dTpw'],
    [{ scheme: 'ApiKey', credentials: 'X-Service-Key: k' }, 'x-service-key', 'k'],
  ])('sends what %j asks for', async (authentication, header, value) => {
    expect((await received(authentication)).headers[header]).toBe(value);
  });

  it('signs a token that jose verifies by the published keys, across a rotation', async () => {
    const webhook = await received({ scheme: 'Bearer' });
    const token = String(webhook.headers.authorization).replace('Bearer ', '');
    const audience = new URL(sink.url()).origin;
    const check = (jwt: string) =>
      jwtVerify(jwt, createRemoteJWKSet(new URL(`${hub.url}/.well-known/jwks.json`)), {
        issuer: hub.url,
        audience,
        typ: 'JWT',
        algorithms: ['ES256'],
      });
    const { payload } = await check(token);
    expect(payload).toMatchObject({
      taskId,
      organization: 'tests',
      request_body_sha256: createHash('sha256').update(webhook.raw).digest('hex'),
      jti: expect.stringMatching(/^.{36}$/),
    });
    expect(payload.exp! - payload.iat!).toBe(300);

    const rotated = await hub.admin('POST', '/api/v1/signing-keys', {});
    const next = await received({ scheme: 'JWT' });
    const later = String(next.headers.authorization).replace('Bearer ', '');
    expect(decodeProtectedHeader(later).kid).toBe(rotated.body.kid);
    expect(decodeProtectedHeader(token).kid).not.toBe(rotated.body.kid);
    await Promise.all([check(token), check(later)]);
    await expect(check(`${later.slice(0, -4)}AAAA`)).rejects.toThrow();
  });

  it('uses the first scheme it knows of those that a 0.3 client names', async () => {
    const path = newPath();
    const pushNotificationConfig = {
      url: sink.url(path),
      authentication: { schemes: ['Digest', 'HMAC'], credentials: secret() },
    };
    const params = { taskId, pushNotificationConfig };
    await hub.rpc('tasks/pushNotificationConfig/set', params, { version: '0.3' });
    const webhook = await sink.waitFor((each) => each.path === path);
    expect(verifies(pushNotificationConfig.authentication.credentials, webhook)).toBe(true);
  });

  it.each([
    [{ scheme: 'HMAC', credentials: 'whsec_c2hvcnQ=' }, 'credentials', '24 to 64 bytes'],
    [{ scheme: 'Digest', credentials: 'x' }, 'scheme', 'Bearer, Basic, ApiKey, HMAC, JWT, Profile'],
    [
      { scheme: 'Profile', credentials: 'unknown' },
      'credentials',
      'names an auth profile that is not there',
    ],
    [{ scheme: 'JWT', credentials: 'x' }, 'credentials', 'left out'],
  ])('refuses %j naming the field', async (authentication, member, words) => {
    const config = { taskId, url: sink.url('/refused'), authentication };
    const error = JSON.stringify(
      (await hub.rpcRaw('CreateTaskPushNotificationConfig', config)).body,
    );
    expect(error).toContain(`authentication.${member}`);
    expect(error).toContain(words);
  });
});

describe('profiles', () => {
  it('are used by name for their addresses only', async () => {
    const { name } = await profile({
      scheme: 'bearer',
      secret: OPERATOR_TOKEN,
      urls: [sink.url('/ok')],
    });
    const webhook = await received(named(String(name)), '/ok/here');
    expect(webhook.headers.authorization).toBe(`Bearer ${OPERATOR_TOKEN}`);
    const elsewhere = { taskId, url: sink.url('/okay'), authentication: named(String(name)) };
    const refused = await hub.rpcRaw('CreateTaskPushNotificationConfig', elsewhere);
    expect(JSON.stringify(refused.body)).toContain('for this address');
    const ids = (await hub.get(`/api/v1/push/configs?taskId=${taskId}&limit=200`)).body
      .items as JsonObject[];
    const config = ids.find(({ url }) => url === sink.url('/ok/here'))!;
    const path = `/api/v1/push/configs/${String(config['id'])}`;
    const moved = await hub.admin('PATCH', path, { url: sink.url('/okay') }, await hub.key());
    expect(moved).toMatchObject({ status: 400 });
    expect(moved.text).toContain('for this address');
    expect(sink.at('/okay')).toEqual([]);
  });

  it('are used automatically, but what the client gives wins', async () => {
    const urls = [sink.url('/auto')];
    await profile({ scheme: 'api-key', header: 'X-Auto-Key', secret: 'k1', urls, automatic: true });
    expect((await received(undefined, '/auto/1')).headers['x-auto-key']).toBe('k1');
    const explicit = await received({ scheme: 'Bearer', credentials: 'own' }, '/auto/2');
    expect(explicit.headers['x-auto-key']).toBeUndefined();
    expect(explicit.headers.authorization).toBe('Bearer own');
  });

  it('sign by both keys for the overlap of a rotation', async () => {
    const made = await profile({ scheme: 'hmac' });
    const path = `${PROFILES}/${String(made['id'])}`;
    const first = String(made['issuedSecret']);
    const rotated = (await hub.admin('POST', `${path}:rotate`, {})).body;
    const both = await received(named(String(made['name'])));
    expect([first, String(rotated.issuedSecret)].map((key) => verifies(key, both))).toEqual([
      true,
      true,
    ]);
    const again = (await hub.admin('POST', `${path}:rotate`, { overlapSeconds: 0 })).body;
    const one = await received(named(String(made['name'])));
    const keys = [first, String(rotated.issuedSecret), String(again.issuedSecret)];
    expect(keys.map((key) => verifies(key, one))).toEqual([false, false, true]);
    expect(again.secret).toMatchObject({ previousFingerprint: null, previousUntil: null });
  });

  it('sign by ed25519, and show the public key only', async () => {
    const made = await profile({ scheme: 'ed25519' });
    expect(made['issuedSecret']).toBeNull();
    const path = `${PROFILES}/${String(made['id'])}`;
    const { parameters } = (await hub.admin('POST', `${path}:rotate`, {})).body;
    const webhook = await received(named(String(made['name'])));
    expect(verifiesEd25519(parameters.publicKey, webhook)).toBe(true);
    expect(verifiesEd25519(parameters.previousPublicKey, webhook)).toBe(true);
    expect(parameters.previousPublicKey).toBe((made['parameters'] as JsonObject)['publicKey']);
  });

  it('never show a secret, nor keep one of an answer', async () => {
    const made = await profile({ scheme: 'bearer', secret: OPERATOR_TOKEN });
    sink.answer = { status: 200, body: `you sent Bearer ${OPERATOR_TOKEN}` };
    const id = await hook(sink.url(newPath()), named(String(made['name'])));
    const [delivery] = await deliveries(id, 'delivered');
    const path = `${PROFILES}/${String(made['id'])}`;
    const patched = await hub.admin('PATCH', path, { automatic: false });
    const shown = [made, await hub.get(path), await hub.get(PROFILES), patched.body];
    const recorded = await attemptsOf(delivery!);
    expect(JSON.stringify(recorded)).toContain('you sent');
    expect(JSON.stringify([shown, recorded])).not.toContain(OPERATOR_TOKEN);
  });

  it('stay while webhooks name them; forced away, what waits is a dead letter with the reason', async () => {
    const made = await profile({ scheme: 'bearer', secret: 'abc' });
    const path = `${PROFILES}/${String(made['id'])}`;
    sink.answer = 503;
    const id = await hook(sink.url(newPath()), named(String(made['name'])));
    await deliveries(id, 'retrying');
    const kept = await hub.admin('DELETE', path);
    expect(kept).toMatchObject({ status: 409, body: { metadata: { webhooks: '1' } } });
    expect((await hub.admin('DELETE', `${path}?force=true`)).status).toBe(204);
    const [dead] = await deliveries(id, 'dead');
    expect(dead!['reason']).toBe(
      `there is no auth profile ${String(made['name'])} for this address`,
    );
  });

  it("are an organization's own and everybody's to see, and the operator's to change", async () => {
    const [own, every, foreign] = [
      await profile({ scheme: 'jwt' }),
      await profile({ scheme: 'jwt', organization: null }),
      await profile({ scheme: 'jwt', organization: 'others' }),
    ];
    const page = (await hub.get(`${PROFILES}?limit=200`)).body.items as JsonObject[];
    const seen = page.map(({ id }) => id);
    expect(seen).toEqual(expect.arrayContaining([own['id'], every['id']]));
    expect(seen).not.toContain(foreign['id']);
    const stranger = await hub.get(`${PROFILES}/${String(foreign['id'])}`);
    const unknown = await hub.get(`${PROFILES}/${'0'.repeat(36)}`);
    expect(stranger.status).toBe(404);
    expect(stranger.text.replace(String(foreign['id']), 'X')).toBe(
      unknown.text.replace('0'.repeat(36), 'X'),
    );
    const key = await hub.key();
    const path = `${PROFILES}/${String(own['id'])}`;
    const refused: HttpAnswer[] = [
      await hub.admin('POST', PROFILES, { name: 'x', scheme: 'jwt', urls: ['a.example'] }, key),
      await hub.admin('PATCH', path, { urls: ['evil.example'] }, key),
      await hub.admin('POST', `${path}:rotate`, {}, key),
      await hub.admin('DELETE', path, undefined, key),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('change by PATCH: null takes a parameter away, what is not mentioned stays', async () => {
    const made = await profile({ scheme: 'api-key', header: 'X-One-Key', secret: 'k' });
    const path = `${PROFILES}/${String(made['id'])}`;
    const changed = await hub.admin('PATCH', path, { header: null });
    expect(changed.body).toMatchObject({ urls: made['urls'], parameters: {} });
    expect((await received(named(String(made['name'])))).headers['x-api-key']).toBe('k');
    expect((await hub.admin('PATCH', `${PROFILES}/unknown`, {})).status).toBe(404);
    const twice = { name: made['name'], organization: 'tests', scheme: 'jwt', urls: ['a.example'] };
    expect((await hub.admin('POST', PROFILES, twice)).status).toBe(409);
  });

  it.each([
    [['name', 'urls', 'scheme'], {}],
    [['urls[0]'], { urls: ['https://user@a.example'] }],
    [['urls'], { urls: Array.from({ length: 51 }, (_, i) => `a${i}.example`) }],
    [['secret'], { scheme: 'bearer', secret: 'x'.repeat(16_385) }],
    [['secret'], { scheme: 'bearer', secret: null }],
    [['organization'], { organization: '' }],
    [['tokenUrl'], { scheme: 'oauth2', secret: 's', clientId: 'c', tokenUrl: 'http://10.0.0.1/t' }],
    [['extra'], { extra: 1 }],
  ])('refuse a body with wrong %j, naming them', async (fields, changes) => {
    const whole = { name: newName(), scheme: 'jwt', urls: ['hooks.example.com'], ...changes };
    const body = Object.keys(changes).length === 0 ? {} : whole;
    const answer = await hub.admin('POST', PROFILES, body);
    expect(answer.status).toBe(400);
    const errors = answer.body.errors as { field: string }[];
    expect(new Set(errors.map(({ field }) => field))).toEqual(new Set(fields));
  });
});

describe.each(['client_secret_basic', 'client_secret_post'] as const)('OAuth2 by %s', (method) => {
  let tokens: TokenServer;

  beforeAll(async () => {
    tokens = await TokenServer.start(method);
  });
  afterAll(() => tokens.close());

  async function oauth(changes: JsonObject = {}): Promise<string> {
    const { clientId, clientSecret, tokenUrl } = tokens;
    const fields = { clientId, tokenUrl, clientAuthentication: method, scope: 'webhooks' };
    const made = await profile({ scheme: 'oauth2', secret: clientSecret, ...fields, ...changes });
    return String(made['name']);
  }

  it('sends one token of the server to all, and another after a 401', async () => {
    const name = await oauth();
    const before = tokens.requests;
    const first = await received(named(name));
    expect(await tokens.knows(first.headers.authorization)).toBe(true);
    expect((await received(named(name))).headers.authorization).toBe(first.headers.authorization);
    expect(tokens.requests - before).toBe(1);

    sink.script.push(401);
    const path = newPath();
    const id = await hook(sink.url(path), named(name));
    const [delivery] = await deliveries(id, 'delivered');
    expect(delivery).toMatchObject({ attempts: 1, lastStatus: 200 });
    const [refused, taken] = sink.at(path);
    expect(refused!.headers.authorization).toBe(first.headers.authorization);
    expect(taken!.headers.authorization).not.toBe(first.headers.authorization);
    expect(await tokens.knows(taken!.headers.authorization)).toBe(true);
    expect(taken!.raw).toEqual(refused!.raw);
  });

  it('waits for a server that is down, and loses nothing', async () => {
    const name = await oauth();
    tokens.down = true;
    const path = newPath();
    const id = await hook(sink.url(path), named(name));
    const [waiting] = await deliveries(id, 'retrying');
    const [attempt] = await attemptsOf(waiting!);
    expect(attempt).toMatchObject({ status: null, error: 'auth' });
    expect(String(waiting!['reason'])).toContain('HTTP 503');
    expect(sink.at(path)).toEqual([]);
    tokens.down = false;
    await deliveries(id, 'delivered');
    expect(await tokens.knows(sink.at(path)[0]!.headers.authorization)).toBe(true);
  });

  it('waits for a server that hangs, and does not hold that against the receiver', async () => {
    const name = await oauth();
    tokens.hangs = true;
    const path = newPath();
    const id = await hook(sink.url(path), named(name));
    const [waiting] = await deliveries(id, 'retrying');
    const [attempt] = await attemptsOf(waiting!);
    expect(attempt).toMatchObject({ status: null, error: 'auth' });
    const { items } = (await hub.get('/api/v1/push/endpoints')).body;
    expect((items as JsonObject[]).map((each) => each['failures'])).toEqual([0]);
    tokens.hangs = false;
    await deliveries(id, 'delivered');
  });
});

describe('client certificates', () => {
  let authority: TestAuthority;
  let receiver: MtlsReceiver;

  beforeAll(async () => {
    authority = await TestAuthority.create();
    receiver = await MtlsReceiver.start(authority);
  });
  afterAll(() => receiver.close());

  it('are shown to a receiver that asks for one, and trusted by its authority', async () => {
    const { certificate, key } = await authority.issue('hub.example.com', 10);
    const made = await profile({
      scheme: 'mtls',
      urls: [receiver.url],
      certificate,
      secret: key,
      ca: authority.certificate,
    });
    expect(made).toMatchObject({
      certificate: { subject: 'CN=hub.example.com', state: 'expiring' },
    });
    const id = await hook(receiver.url, named(String(made['name'])));
    await deliveries(id, 'delivered');
    expect(receiver.callers).toEqual(['hub.example.com']);

    const next = await authority.issue('next.example.com');
    const body = { certificate: next.certificate, secret: next.key };
    const rotated = await hub.admin('POST', `${PROFILES}/${String(made['id'])}:rotate`, body);
    expect(rotated.body).toMatchObject({ certificate: { state: 'valid' } });
    await deliveries(await hook(receiver.url, named(String(made['name']))), 'delivered');
    expect(receiver.callers).toEqual(['hub.example.com', 'next.example.com']);
    expect(JSON.stringify(rotated.body)).not.toContain('PRIVATE KEY');
  });

  it('of nobody, or of another authority, do not get through', async () => {
    const stranger = await (await TestAuthority.create()).issue('stranger');
    const ca = authority.certificate;
    const fields = { scheme: 'mtls', urls: [receiver.url], ca };
    const { certificate, key } = stranger;
    const made = await profile({ ...fields, certificate, secret: key });
    const before = receiver.callers.length;
    const ids = [await hook(receiver.url, named(String(made['name']))), await hook(receiver.url)];
    for (const id of ids) {
      const [waiting] = await deliveries(id, 'retrying');
      expect((await attemptsOf(waiting!))[0]).toMatchObject({ status: null });
    }
    expect(receiver.callers).toHaveLength(before);
  });
});
