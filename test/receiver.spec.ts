import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, exportJWK, SignJWT, type JWK } from 'jose';
import { Webhook } from 'standardwebhooks';
import * as receiver from '../receiver/index.js';
import {
  createVerifier,
  WebhookVerificationError,
  type Delivery,
  type VerifierOptions,
} from '../receiver/index.js';

const NOW = new Date('2026-05-01T12:00:00Z');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = JSON.stringify({ statusUpdate: { taskId: 't1', status: { state: 'x' } } });
const ID = 'msg_1';

const hmac = (secret = SECRET, { id = ID, at = NOW, body = BODY } = {}): string =>
  new Webhook(secret).sign(id, at, body);

function request(more: Record<string, string | undefined> = {}, body = BODY) {
  return {
    body: Buffer.from(body),
    headers: {
      'webhook-id': ID,
      'webhook-timestamp': String(NOW.getTime() / 1000),
      'webhook-signature': hmac(),
      'a2a-hub-sequence': '4',
      'a2a-hub-delivery-number': '2',
      'a2a-hub-attempt': '1',
      'a2a-version': '1.0',
      ...more,
    },
  };
}

const verifier = (options: VerifierOptions) => createVerifier({ now: () => NOW, ...options });
const refused = (code: string) =>
  expect.objectContaining({ name: 'WebhookVerificationError', code });

describe('a verified webhook', () => {
  it('tells what it is about', async () => {
    expect(await verifier({ secrets: SECRET })(request())).toEqual({
      id: ID,
      timestamp: NOW,
      taskId: 't1',
      stream: 't1',
      sequence: 4,
      deliveryNumber: 2,
      attempt: 1,
      gap: undefined,
      subscriptionId: undefined,
      isTest: false,
      isThin: false,
      version: '1.0',
      event: JSON.parse(BODY),
    });
  });

  it('agrees with the example of the Standard Webhooks specification', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const at = new Date(1614265330 * 1000);
    const body = '{"test": 2432232314}';
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const verify = createVerifier({ secrets: secret, now: () => at });
    // The signature is looked at first; what it signs there is no event of A2A.
    await expect(verify({ headers, body })).rejects.toEqual(refused('body'));
    const other = `${body} `;
    await expect(verify({ headers, body: other })).rejects.toEqual(refused('signature'));
  });

  it('may be signed with any of several secrets, and carry several signatures', async () => {
    const both = `${hmac(OTHER)} ${hmac()} v1a,AAAA`;
    const given = request({ 'webhook-signature': both });
    await verifier({ secrets: SECRET })(given);
    await verifier({ secrets: [OTHER, SECRET] })(request());
  });

  it('may come with Headers and a text', async () => {
    const { headers } = request();
    await verifier({ secrets: SECRET })({ headers: new Headers(headers), body: BODY });
  });

  it('may be one of 0.x, which is the task', async () => {
    const body = JSON.stringify({ id: 't9', kind: 'task' });
    const given = request({ 'webhook-signature': hmac(SECRET, { body }) }, body);
    expect((await verifier({ secrets: SECRET })(given)).taskId).toBe('t9');
  });
});

describe('what the hub says of a webhook', () => {
  const marked = (mark: object, headers: Record<string, string> = {}) => {
    const metadata = { 'urn:a2a-hub:push:v1': mark };
    const body = JSON.stringify({ task: { id: 't1', metadata } });
    const signature = { 'webhook-signature': hmac(SECRET, { body }) };
    return verifier({ secrets: SECRET })(request({ ...signature, ...headers }, body));
  };

  it('is its subscription, which numbers its own deliveries of the task', async () => {
    const given = request({ 'a2a-hub-subscription': 's1' });
    const delivery = await verifier({ secrets: SECRET })(given);
    expect([delivery.subscriptionId, delivery.taskId, delivery.stream]).toEqual([
      's1',
      't1',
      's1/t1',
    ]);
  });

  it('is that it is a test, where both the header and the body say so', async () => {
    const header = { 'a2a-hub-test': 'true' };
    expect((await marked({ test: true }, header)).isTest).toBe(true);
    expect((await marked({ test: true })).isTest).toBe(false);
    expect((await marked({}, header)).isTest).toBe(false);
  });

  it('is that its body is thin', async () => {
    expect((await marked({ thin: true, bytes: 2_000_000 })).isThin).toBe(true);
  });
});

describe('a webhook that is refused', () => {
  const verify = verifier({ secrets: SECRET });

  it.each<[string, ReturnType<typeof request>, string]>([
    ['one byte of the body is another', request({}, BODY.replace('t1', 't2')), 'signature'],
    ['it has another id', request({ 'webhook-id': 'msg_2' }), 'signature'],
    [
      'it is signed with another secret',
      request({ 'webhook-signature': hmac(OTHER) }),
      'signature',
    ],
    [
      'the signature only begins like the right one',
      request({ 'webhook-signature': `${hmac().slice(0, -12)}${'A'.repeat(11)}=` }),
      'signature',
    ],
    ['the signature is of another kind', request({ 'webhook-signature': 'v1a,AAAA' }), 'signature'],
    ['the signature is empty', request({ 'webhook-signature': 'v1,' }), 'signature'],
    ['it has no signature', request({ 'webhook-signature': undefined }), 'header'],
    ['it has no id', request({ 'webhook-id': undefined }), 'header'],
    ['its timestamp is no number', request({ 'webhook-timestamp': 'now' }), 'header'],
    ['its timestamp is missing', request({ 'webhook-timestamp': undefined }), 'header'],
    ['it is too old', aged(-301), 'timestamp'],
    ['it is from the future', aged(301), 'timestamp'],
    ['its timestamp was changed', request({ 'webhook-timestamp': '1777636801' }), 'signature'],
  ])('because %s', async (_, given, code) => {
    await expect(verify(given)).rejects.toEqual(refused(code));
  });

  it.each(['<x>', 'null', '[]', '{"task": {}}', '{"id": 7}'])(
    'because its body %s tells of no task, though it is signed',
    async (body) => {
      const given = request({ 'webhook-signature': hmac(SECRET, { body }) }, body);
      await expect(verify(given)).rejects.toEqual(refused('body'));
    },
  );

  it('because its bytes are others, though they read the same', async () => {
    const body = JSON.stringify({ id: 't1', text: '\ufffd' });
    const signature = hmac(SECRET, { body });
    const { headers } = request({ 'webhook-signature': signature });
    const bytes = Buffer.from(
      Buffer.from(body).toString('latin1').replace('\xef\xbf\xbd', '\xff'),
      'latin1',
    );
    expect(bytes.toString()).toBe(body);
    await verify({ headers, body });
    await expect(verify({ headers, body: bytes })).rejects.toEqual(refused('signature'));
  });

  it('because a header stands there twice', async () => {
    const headers = { ...request().headers, 'Webhook-Id': 'msg_2' };
    await expect(verify({ headers, body: BODY })).rejects.toEqual(refused('header'));
  });

  it('never with a secret in what is said', async () => {
    const error = await verifier({ bearer: 's3cret' })(request()).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('s3cret');
  });

  function aged(seconds: number): ReturnType<typeof request> {
    const at = new Date(NOW.getTime() + seconds * 1000);
    return request({
      'webhook-timestamp': String(at.getTime() / 1000),
      'webhook-signature': hmac(SECRET, { at }),
    });
  }
});

describe('an ed25519 signature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const verify = verifier({ publicKeys: `whpk_${raw.toString('base64')}` });
  const signed = (body = BODY): string => {
    const content = Buffer.from(`${ID}.${NOW.getTime() / 1000}.${body}`);
    return `v1a,${sign(null, content, privateKey).toString('base64')}`;
  };

  it('counts for this body only', async () => {
    await verify(request({ 'webhook-signature': `${hmac()} ${signed()}` }));
    await expect(verify(request({ 'webhook-signature': signed('{}') }))).rejects.toEqual(
      refused('signature'),
    );
  });

  it('is not to be had by an HMAC with the public key', async () => {
    const content = `${ID}.${NOW.getTime() / 1000}.${BODY}`;
    const forged = createHmac('sha256', raw).update(content).digest('base64');
    for (const signature of [`v1,${forged}`, `v1a,${forged}`]) {
      await expect(verify(request({ 'webhook-signature': signature }))).rejects.toEqual(
        refused('signature'),
      );
    }
  });
});

describe('a JWT of the hub', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = 'https://hub.example';
  const audience = 'https://client.example';
  const seconds = NOW.getTime() / 1000;
  const claims = {
    iss: issuer,
    aud: audience,
    organization: 'acme',
    iat: seconds,
    exp: seconds + 300,
    jti: 'j1',
    request_body_sha256: createHash('sha256').update(BODY).digest('hex'),
  };

  async function verify(token: string): Promise<Delivery> {
    const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };
    const keys = createLocalJWKSet({ keys: [jwk] });
    return verifier({ jwt: { issuer, audience, organization: 'acme', keys } })(
      request({ authorization: `Bearer ${token}` }),
    );
  }

  const token = (changed: object = {}): Promise<string> =>
    new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'JWT' })
      .sign(pair.privateKey);

  it('counts when it is for this receiver and this body', async () => {
    expect((await verify(await token())).taskId).toBe('t1');
  });

  it.each<[string, object]>([
    ['another receiver', { aud: 'https://other.example' }],
    ['another hub', { iss: 'https://evil.example' }],
    ["another organization's webhook", { organization: 'globex' }],
    ["nobody's webhook", { organization: undefined }],
    ['the past', { exp: seconds - 120 }],
    ['another body', { request_body_sha256: 'a'.repeat(64) }],
    ['any body', { request_body_sha256: undefined }],
  ])('does not count when it is of %s', async (_, changed) => {
    await expect(verify(await token(changed))).rejects.toEqual(refused('authorization'));
  });

  it('is not judged while the keys of the hub cannot be read', async () => {
    const keys = () => Promise.reject(new TypeError('fetch failed'));
    const judge = verifier({ jwt: { issuer, audience, organization: 'acme', keys } });
    const given = request({ authorization: `Bearer ${await token()}` });
    await expect(judge(given)).rejects.toThrow(new TypeError('fetch failed'));
  });

  it('does not count unsigned, or signed by the public key taken for a secret', async () => {
    const encode = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = `${encode({ alg: 'none' })}.${encode(claims)}.`;
    const secret = Buffer.from(pair.publicKey.export({ type: 'spki', format: 'pem' }));
    const confused = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(secret);
    for (const forged of [none, confused, 'x', '']) {
      await expect(verify(forged)).rejects.toEqual(refused('authorization'));
    }
  });

  it('does not count by any other algorithm, whatever keys there are', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signed = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(privateKey);
    const judge = verifier({
      jwt: { issuer, audience, organization: 'acme', keys: () => Promise.resolve(publicKey) },
    });
    await expect(judge(request({ authorization: `Bearer ${signed}` }))).rejects.toEqual(
      refused('authorization'),
    );
  });
});

describe('shared secrets', () => {
  it('are compared to their ends', async () => {
    const verify = verifier({ bearer: 'a-secret-of-some-length-1' });
    await verify(request({ authorization: 'Bearer a-secret-of-some-length-1' }));
    for (const other of ['a-secret-of-some-length-2', 'b-secret-of-some-length-1']) {
      await expect(verify(request({ authorization: `Bearer ${other}` }))).rejects.toEqual(
        refused('authorization'),
      );
    }
  });

  it.each<[string, VerifierOptions, Record<string, string>, string]>([
    ['a bearer token', { bearer: ['a', 'b'] }, { authorization: 'Bearer b' }, 'authorization'],
    ['a Basic pair', { basic: 'u:p' }, { authorization: 'basic dTpw' }, 'authorization'],
    ['an API key', { apiKey: { keys: 'k' } }, { 'x-api-key': 'k' }, 'authorization'],
    ['a named key', { apiKey: { header: 'X-Key', keys: 'k' } }, { 'x-key': 'k' }, 'authorization'],
    ['a token', { token: 't' }, { 'a2a-notification-token': 't' }, 'token'],
  ])('%s counts as a whole only', async (_, options, headers, code) => {
    const verify = verifier(options);
    await verify(request(headers));
    const longer = Object.entries(headers).map(([name, value]) => [name, `${value}x`]);
    await expect(verify(request(Object.fromEntries(longer)))).rejects.toEqual(refused(code));
    await expect(verify(request())).rejects.toEqual(refused(code));
  });

  it('all count that are asked for', async () => {
    const verify = verifier({ secrets: SECRET, token: 't' });
    await expect(verify(request())).rejects.toEqual(refused('token'));
    const other = request({ 'a2a-notification-token': 't', 'webhook-signature': hmac(OTHER) });
    await expect(verify(other)).rejects.toEqual(refused('signature'));
  });
});

describe('a verifier', () => {
  const keys = createLocalJWKSet({ keys: [] });
  const jwt = { issuer: 'https://hub.example', audience: 'x', organization: 'acme', keys };

  it.each<[string, VerifierOptions]>([
    ['nothing', {}],
    ['an empty secret', { token: '' }],
    ['an empty secret beside another', { secrets: '', token: 't' }],
    ['no tolerance', { token: 't', toleranceSeconds: NaN }],
    ['a JWT for any receiver', { jwt: { ...jwt, audience: '' } }],
    ['a JWT of any hub', { jwt: { ...jwt, issuer: '' } }],
    ["a JWT of anybody's webhook", { jwt: { ...jwt, organization: '' } }],
    ['a JWT without keys', { jwt: { ...jwt, keys: undefined, jwksUrl: '' } }],
    ['an empty list', { bearer: [] }],
    ['a short secret', { secrets: 'whsec_AAAA' }],
    ['a secret without its prefix', { secrets: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
    ['a private key for a public one', { publicKeys: `whsk_${'A'.repeat(44)}` }],
  ])('is not made with %s', (_, options) => {
    // By name: an error of Node's own is of another realm inside Jest.
    expect(() => createVerifier(options)).toThrow(expect.objectContaining({ name: 'TypeError' }));
  });

  it('does not take a body that was parsed', async () => {
    const body = JSON.parse(BODY) as string;
    await expect(
      verifier({ secrets: SECRET })({ headers: request().headers, body }),
    ).rejects.toThrow(/raw body/);
  });
});

describe('docs/webhooks.md', () => {
  it('shows a request that holds', async () => {
    const text = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8');
    const [head = '', body = ''] = /```http\n(.*?)\n```/s.exec(text)![1]!.split('\n\n');
    const headers = Object.fromEntries(
      head.split('\n').flatMap((line) => [line.split(': ')].filter((pair) => pair.length === 2)),
    );
    const secrets = /whsec_[\w+/=]+/.exec(text)![0];
    const now = () => new Date(Number(headers['webhook-timestamp']) * 1000);
    const delivery = await createVerifier({ secrets, now })({ headers, body });
    expect(delivery).toMatchObject({ sequence: 5, deliveryNumber: 4, version: '1.0' });
    expect(text).toContain(`"taskId": "${delivery.taskId}"`);
  });
});

describe('the package', () => {
  const folder = new URL('../receiver/', import.meta.url);
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
  const { files, dependencies } = JSON.parse(read('package.json'));

  it('holds every file it needs', () => {
    const code = readdirSync(folder).filter((name) => /\.(js|d\.ts)$/.test(name));
    expect([...files].sort()).toEqual(code.sort());
  });

  it('imports nothing but its files, its dependencies and Node', () => {
    const imported = (files as string[]).flatMap((name) =>
      [...read(name).matchAll(/from '([^']+)'/g)].map((match) => match[1]!),
    );
    const known = [...Object.keys(dependencies), ...files.map((name: string) => `./${name}`)];
    const others = imported.filter((name) => !name.startsWith('node:') && !known.includes(name));
    expect([imported.includes('jose'), others]).toEqual([true, []]);
  });

  it('has types of all it exports', () => {
    const typed = [...read('index.d.ts').matchAll(/^export (?:class|function) (\w+)/gm)];
    expect(typed.map((match) => match[1]).sort()).toEqual(Object.keys(receiver).sort());
  });
});

describe('answerChallenge', () => {
  const { answerChallenge } = receiver;
  const requested = { method: 'OPTIONS', headers: { 'webhook-request-origin': 'Hub.example.com' } };

  it('agrees with the hubs that are named, or any', () => {
    const answer = { 'WebHook-Allowed-Origin': 'Hub.example.com', Allow: 'POST, OPTIONS' };
    expect(answerChallenge(requested, 'hub.example.com')).toEqual(answer);
    expect(answerChallenge(requested, ['other.example', '*'])).toEqual(answer);
    const headers = new Headers(requested.headers);
    expect(answerChallenge({ method: 'OPTIONS', headers }, '*')).toEqual(answer);
  });

  it('agrees with nobody else, and to nothing else', () => {
    expect(answerChallenge(requested, 'other.example')).toBeUndefined();
    expect(answerChallenge({ ...requested, method: 'POST' }, '*')).toBeUndefined();
    expect(answerChallenge({ method: 'OPTIONS', headers: {} }, '*')).toBeUndefined();
  });
});
