import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  base64url,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { HubError } from '../../common/hub-error.js';
import type { Log } from '../../common/logger.js';
import {
  type ConfigOverrides,
  configWith,
  type DeclaredEntry,
  type PublicUrl,
} from '../../config/index.js';
import { Metrics } from '../../observability/metrics.js';
import { AccessTokens } from './access-tokens.js';

const ISSUER = 'https://login.example/realms/acme';
const HUB = 'https://hub.example';
const METADATA = `${ISSUER}/.well-known/openid-configuration`;
const OAUTH_METADATA = 'https://login.example/.well-known/oauth-authorization-server/realms/acme';
const NOW = 1_800_000_000;
const CLIENT = { clientId: 'hub', clientSecret: 'never shown' };

interface Pair {
  readonly privateKey: CryptoKey;
  readonly jwk: Record<string, unknown>;
}

async function makePair(kid: string, alg = 'RS256'): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

let one: Pair;
let two: Pair;
let elliptic: Pair;
let clock: SettableClock;
/** What the issuer serves, by address: a document, a status, or an error of the connection. */
let served: Map<string, unknown>;
let asked: string[];
let warned: string[];
/** The secret of the hub at the issuer, as it is when it is read again. */
let newestSecret: string;

beforeAll(async () => {
  [one, two] = await Promise.all([makePair('one'), makePair('two')]);
  elliptic = await makePair('curve', 'ES256');
});

beforeEach(() => {
  clock = new SettableClock(NOW * 1000);
  asked = [];
  warned = [];
  newestSecret = CLIENT.clientSecret;
  served = new Map<string, unknown>([
    [
      METADATA,
      { issuer: ISSUER, jwks_uri: `${ISSUER}/keys`, introspection_endpoint: `${ISSUER}/ask` },
    ],
    [`${ISSUER}/keys`, { keys: [one.jwk, elliptic.jwk] }],
  ]);
});

const egress = {
  fetch: (input: unknown, init?: RequestInit): Promise<Response> => {
    const url = input instanceof URL ? input.href : String(input);
    asked.push(url);
    const found = served.get(url);
    const answer: unknown = typeof found === 'function' ? found(new Headers(init?.headers)) : found;
    if (answer instanceof Error) return Promise.reject(answer);
    if (typeof answer === 'number') return Promise.resolve(Response.json({}, { status: answer }));
    if (answer instanceof Response) return Promise.resolve(answer);
    return Promise.resolve(
      answer === undefined ? Response.json({}, { status: 404 }) : Response.json(answer),
    );
  },
};

function tokens(issuer: object = {}, ...others: DeclaredEntry[]): Promise<AccessTokens> {
  const first = { id: 'acme', issuer: ISSUER, organization: 'acme', ...issuer };
  return tokensWith({ issuers: [first, ...others] });
}

async function tokensWith(auth: NonNullable<ConfigOverrides['auth']>): Promise<AccessTokens> {
  const config = configWith({ auth });
  const log = { warn: (_: object, text: string) => void warned.push(text) } as unknown as Log;
  let known = CLIENT.clientSecret;
  const references = {
    resolve: () => Promise.resolve(known),
    refresh: () => Promise.resolve(void (known = newestSecret)),
  };
  const verifier = new AccessTokens(
    config,
    { base: HUB } as PublicUrl,
    egress,
    clock,
    log,
    references,
    new Metrics(),
  );
  await verifier.onModuleInit();
  return verifier;
}

function mint(
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  pair = one,
): Promise<string> {
  const all = { iss: ISSUER, aud: HUB, sub: 'alice', exp: NOW + 300, ...claims };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(given))
    .setProtectedHeader({ alg: 'RS256', kid: pair.jwk['kid'] as string, ...header })
    .sign(pair.privateKey);
}

const verify = (verifier: AccessTokens, token: string) =>
  verifier.verify(token, createHash('sha256').update(token).digest('hex'));

/** What is said of a token that is refused. */
async function refusal(verifier: AccessTokens, token: string): Promise<[string, string]> {
  try {
    await verify(verifier, token);
  } catch (error) {
    const { reason, message } = error as { reason: string; message: string };
    return [reason, message];
  }
  return ['accepted', ''];
}

/** A token whose parts are written by hand. */
function written(header: object, claims: object, signature = ''): string {
  const parts = [header, claims].map((part) => base64url.encode(JSON.stringify(part)));
  return [...parts, signature].join('.');
}

describe('at the start', () => {
  const entry = { id: 'acme', issuer: ISSUER, organization: 'acme' };

  it.each([
    ['asks for sign-ins and needs none', { mode: 'none', issuers: [entry] }, /^auth\.mode is none/],
    [
      'lets everybody of an issuer operate the hub',
      { issuers: [{ ...entry, grants: { everyone: ['admin'] } }] },
      /^grants\.everyone of an issuer gives admin/,
    ],
  ] as const)('is warned when the configuration %s', async (_, auth, text) => {
    (await tokensWith(auth)).onApplicationBootstrap();
    expect(warned).toEqual([expect.stringMatching(text)]);
  });

  it.each([{ mode: 'none' }, { issuers: [entry] }] as const)(
    'is not warned of %j',
    async (auth) => {
      (await tokensWith(auth)).onApplicationBootstrap();
      expect(warned).toEqual([]);
    },
  );
});

describe('a token of an issuer', () => {
  it('names the caller, for as long as it is valid', async () => {
    const verifier = await tokens();
    expect(await verify(verifier, await mint())).toMatchObject({
      caller: { subject: 'alice', organization: 'acme', scopes: ['a2a'] },
      expiresAt: new Date((NOW + 330) * 1000),
    });
    expect(asked).toEqual([METADATA, `${ISSUER}/keys`]);
  });

  it('is verified once, and believed for a minute', async () => {
    const verifier = await tokens();
    const token = await mint();
    const first = await verify(verifier, token);
    clock.ms += 59_000;
    expect(await verify(verifier, token)).toBe(first);
    clock.ms += 2000;
    expect(await verify(verifier, token)).not.toBe(first);
  });

  it.each([
    ['JWT', 'RS256', () => one],
    ['application/at+jwt', 'RS256', () => one],
    ['AT+JWT', 'PS256', () => one],
    [undefined, 'ES256', () => elliptic],
  ])('may have the type %s and the algorithm %s', async (typ, alg, pair) => {
    const header = { alg, ...(typ !== undefined && { typ }) };
    let signer = pair();
    if (alg === 'PS256') {
      signer = await makePair('pss', 'PS256');
      served.set(`${ISSUER}/keys`, { keys: [signer.jwk] });
    }
    const token = await mint({}, header, signer);
    expect((await verify(await tokens(), token)).caller.subject).toBe('alice');
  });

  it('may name no key where several would do', async () => {
    served.set(`${ISSUER}/keys`, { keys: [two.jwk, one.jwk] });
    const token = await mint({}, { kid: undefined as never });
    expect((await verify(await tokens(), token)).caller.subject).toBe('alice');
    const other = await mint({}, { kid: undefined as never }, await makePair('x'));
    expect((await refusal(await tokens(), other))[1]).toContain('does not verify');
  });

  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['has expired', () => mint({ exp: NOW - 31 }), /has expired \(2027-01-15T07:59:29\.000Z\)/],
    [
      'never expires',
      () => mint({ exp: undefined }),
      /no time of expiry: its claim exp is missing/,
    ],
    [
      'expires at no time',
      () => mint({ exp: 'soon' }),
      /claim exp of the access token is missing or/,
    ],
    [
      'is not valid yet',
      () => mint({ nbf: NOW + 31 }),
      /not valid yet, but from 2027-01-15T08:00:31/,
    ],
    [
      'is for another audience',
      () => mint({ aud: 'https://x' }),
      /must be for https:\/\/hub\.example or/,
    ],
    ['is for no audience', () => mint({ aud: undefined }), /for no audience; it must be for https/],
    [
      'is of another issuer',
      () => mint({ iss: 'https://evil.example' }),
      /issuer that is not accepted/,
    ],
    ['is of no issuer', () => mint({ iss: undefined }), /issuer that is not accepted/],
    ['has a list of issuers', () => mint({ iss: [ISSUER] }), /issuer that is not accepted/],
    ['is an ID token of the issuer', () => mint({ aud: 'client-7' }), /another audience/],
    ['has the hash of an ID token', () => mint({ at_hash: 'x' }), /but an ID or refresh token/],
    ['is a refresh token', () => mint({ typ: 'Refresh' }), /but an ID or refresh token/],
    [
      'is a logout token',
      () => mint({}, { typ: 'logout+jwt' }),
      /not an access token, by the type/,
    ],
    ['is signed by another key', () => mint({}, { kid: 'one' }, two), /does not verify/],
    [
      'is signed by an unknown key',
      () => mint({}, {}, two),
      /key that its issuer does not publish/,
    ],
    ['is bound to a key of its holder', () => mint({ cnf: { jkt: 'x' } }), /bound to a key/],
    ['has no subject', () => mint({ sub: undefined }), /names no subject/],
    ['has a number as its subject', () => mint({ sub: 5 }), /subject .* that is no text/],
    ['has an endless subject', () => mint({ sub: 'x'.repeat(256) }), /that is no text of 1 to 255/],
    ['has a subject with a NUL', () => mint({ sub: 'a\0b' }), /without control characters/],
    [
      'is not signed at all',
      () => written({ alg: 'none' }, { iss: ISSUER, aud: HUB, sub: 'alice', exp: NOW + 300 }),
      /algorithm that is not allowed/,
    ],
    [
      'is signed with the public key as a secret',
      () =>
        new SignJWT({ iss: ISSUER, aud: HUB, sub: 'alice', exp: NOW + 300 })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(new TextEncoder().encode(JSON.stringify(one.jwk))),
      /algorithm that is not allowed/,
    ],
    [
      'has a critical header nobody knows',
      () => written({ alg: 'RS256', crit: ['x'], x: 1 }, { iss: ISSUER }, 'AA'),
      /malformed/,
    ],
    ['is changed', async () => (await mint()).slice(0, -8) + 'AAAAAAAA', /does not verify/],
    ['is half', async () => (await mint()).slice(0, 40), /neither an API key|malformed/],
    ['has a body that is no JSON', () => 'eyJhbGciOiJSUzI1NiJ9.bm90IGpzb24.AA', /malformed/],
    ['is encrypted', () => 'eyJhbGciOiJSUzI1NiJ9.a.b.c.d', /encrypted/],
    ['is huge', () => mint({ filler: 'x'.repeat(13_000) }), /longer than/],
    ['is no JWT', () => 'opaque', /neither an API key of the hub nor a JWT/],
  ])('that %s is refused with the reason', async (_, make, why) => {
    const [reason, message] = await refusal(await tokens(), await make());
    expect([reason, message]).toEqual(['UNAUTHENTICATED', expect.stringMatching(why)]);
  });

  it.each<[string, () => string | Promise<string>]>([
    ['expired-token', () => mint({ exp: NOW - 31 })],
    ['no-expiry', () => mint({ exp: undefined })],
    ['wrong-claim', () => mint({ exp: 'soon' })],
    ['not-yet-valid', () => mint({ nbf: NOW + 31 })],
    ['wrong-audience', () => mint({ aud: 'https://x' })],
    ['no-audience', () => mint({ aud: undefined })],
    ['no-audience', () => mint({ aud: [] })],
    ['no-subject', () => mint({ sub: undefined })],
    ['bound-token', () => mint({ cnf: { jkt: 'x' } })],
    ['id-token', () => mint({ at_hash: 'x' })],
    ['wrong-type', () => mint({}, { typ: 'logout+jwt' })],
    ['wrong-actors', () => mint({ act: {} })],
  ])('that its issuer has signed is refused for %s', async (cause, make) => {
    expect(await refusedFor(await make())).toEqual({ cause, issuer: ISSUER });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['wrong-signature', () => mint({}, { kid: 'one' }, two)],
    ['unpublished-key', () => mint({}, {}, two)],
    ['wrong-algorithm', () => written({ alg: 'none' }, { iss: ISSUER, aud: HUB, sub: 'alice' })],
    ['malformed-token', () => written({ alg: 'RS256', crit: ['x'], x: 1 }, { iss: ISSUER }, 'AA')],
  ])('that nobody is known to have signed is refused for %s', async (cause, make) => {
    expect(await refusedFor(await make())).toEqual({ cause, claimedIssuer: ISSUER });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['unlisted-issuer', () => mint({ iss: 'https://evil.example' })],
    ['malformed-token', () => 'eyJhbGciOiJSUzI1NiJ9.bm90IGpzb24.AA'],
    ['encrypted-token', () => 'eyJhbGciOiJSUzI1NiJ9.a.b.c.d'],
    ['long-token', () => mint({ filler: 'x'.repeat(13_000) })],
    ['unknown-token', () => 'opaque'],
  ])('that is of no issuer is refused for %s', async (cause, make) => {
    expect(await refusedFor(await make())).toEqual({ cause });
  });

  async function refusedFor(token: string): Promise<unknown> {
    const refused = await verify(await tokens(), token).catch((error: unknown) => error);
    return (refused as HubError).refusal;
  }

  it('names keys of its own in vain', async () => {
    const jku = 'https://evil.example/keys';
    served.set(jku, { keys: [two.jwk] });
    const token = await mint({}, { jku, jwk: two.jwk, kid: 'two' }, two);
    expect((await refusal(await tokens(), token))[0]).toBe('UNAUTHENTICATED');
    expect(asked).not.toContain(jku);
  });

  it('may be a little older and younger than the clock of the hub says', async () => {
    const verifier = await tokens();
    expect((await refusal(verifier, await mint({ exp: NOW - 29 })))[0]).toBe('accepted');
    expect((await refusal(verifier, await mint({ nbf: NOW + 29 })))[0]).toBe('accepted');
  });
});

describe('the keys of an issuer', () => {
  it('are read again for a key that is not among them, once in half a minute', async () => {
    const verifier = await tokens();
    await verify(verifier, await mint());
    served.set(`${ISSUER}/keys`, { keys: [one.jwk, two.jwk] });
    expect((await refusal(verifier, await mint({ jti: 1 }, {}, two)))[0]).toBe('UNAUTHENTICATED');
    clock.ms += 30_000;
    expect((await refusal(verifier, await mint({ jti: 2 }, {}, two)))[0]).toBe('accepted');
    const reads = asked.length;
    const stranger = await makePair('three');
    for (let i = 0; i < 5; i += 1) await refusal(verifier, await mint({ jti: i }, {}, stranger));
    expect(asked).toHaveLength(reads);
  });

  it('that are withdrawn are not trusted for long', async () => {
    const verifier = await tokens();
    const token = await mint({ exp: NOW + 10_000 });
    await verify(verifier, token);
    served.set(`${ISSUER}/keys`, { keys: [two.jwk] });
    clock.ms += 300_000;
    await refusal(verifier, token);
    await new Promise((resolve) => setImmediate(resolve));
    clock.ms += 61_000;
    expect((await refusal(verifier, token))[1]).toContain('key that its issuer does not publish');
  });

  it('are used for an hour while the issuer is away; then it says so, and comes back', async () => {
    const verifier = await tokens();
    await verify(verifier, await mint({ exp: NOW + 20_000 }));
    const gone = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const keys = served.get(`${ISSUER}/keys`);
    served.set(`${ISSUER}/keys`, gone).set(METADATA, gone);
    for (const [jti, ms] of [3_590_000, 5000].entries()) {
      clock.ms += ms;
      const fresh = await mint({ jti, exp: NOW + 20_000 });
      expect((await refusal(verifier, fresh))[0]).toBe('accepted');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(warned).toEqual([expect.stringContaining('what it published last is used')]);
    for (const ms of [61_000, 5000]) {
      clock.ms += ms;
      const [reason, message] = await refusal(verifier, await mint({ jti: 2, exp: NOW + 20_000 }));
      expect(reason).toBe('UNAVAILABLE');
      expect(message).toContain('the issuer acme cannot be asked (ECONNREFUSED)');
    }
    expect(warned.slice(1)).toEqual([expect.stringContaining('get 503 until it can')]);
    served.set(`${ISSUER}/keys`, keys);
    served.set(METADATA, { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` });
    clock.ms += 2000;
    expect((await refusal(verifier, await mint({ jti: 2, exp: NOW + 20_000 })))[0]).toBe(
      'accepted',
    );
  });

  it('are found by RFC 8414 metadata, at a metadata address, or at their own', async () => {
    const metadata = served.get(METADATA);
    served.delete(METADATA);
    served.set(OAUTH_METADATA, metadata).set('https://elsewhere.example/m', metadata);
    for (const issuer of [
      {},
      { metadataUrl: 'https://elsewhere.example/m' },
      { jwksUrl: `${ISSUER}/keys` },
    ]) {
      expect((await refusal(await tokens(issuer), await mint()))[0]).toBe('accepted');
    }
    expect(asked.slice(-1)).toEqual([`${ISSUER}/keys`]);
  });

  it.each<[string, string, unknown, RegExp]>([
    ['metadata of another issuer', METADATA, { issuer: 'https://evil.example' }, /issuer acme/],
    ['metadata that is a list', METADATA, [], /issuer acme/],
    ['metadata without keys', METADATA, { issuer: ISSUER }, /no jwks_uri/],
    ['a failure', `${ISSUER}/keys`, 500, /HTTP 500/],
    ['a set that is none', `${ISSUER}/keys`, { keys: 'no' }, /not what it should be/],
    ['a huge set', `${ISSUER}/keys`, { keys: [{ x: 'x'.repeat(300_000) }] }, /too large/],
  ])('that cannot be read because of %s are no fault of the token', async (_, url, answer, why) => {
    served.set(url, answer);
    if (url === METADATA) served.set(OAUTH_METADATA, answer);
    const [reason, message] = await refusal(await tokens(), await mint());
    expect([reason, message]).toEqual(['UNAVAILABLE', expect.stringMatching(why)]);
  });
});

describe('an issuer that is asked about tokens', () => {
  const active = (claims: object = {}) => ({ active: true, sub: 'bob', aud: HUB, ...claims });

  it('says whose an opaque token is, and is asked again after a while', async () => {
    const verifier = await tokens({ introspection: CLIENT });
    served.set(`${ISSUER}/ask`, active({ exp: NOW + 300 }));
    expect((await verify(verifier, 'opaque')).caller.subject).toBe('bob');
    served.set(`${ISSUER}/ask`, { active: false });
    expect((await verify(verifier, 'opaque')).caller.subject).toBe('bob');
    clock.ms += 30_000;
    expect((await refusal(verifier, 'opaque'))[1]).toContain('not active');
  });

  it.each<[string, object, RegExp]>([
    ['is not active', { active: false }, /not active/],
    ['is for another audience', active({ aud: 'https://x' }), /another audience/],
    ['is for no audience', active({ aud: undefined }), /for no audience/],
    ['is of another issuer', active({ iss: 'https://x' }), /another issuer/],
    ['has expired', active({ exp: NOW - 31 }), /has expired/],
    ['is not valid yet', active({ nbf: NOW + 31 }), /not valid yet/],
    ['has no subject', active({ sub: undefined }), /no subject/],
  ])('is believed when it says that a token %s', async (_, said, why) => {
    served.set(`${ISSUER}/ask`, said);
    const [reason, message] = await refusal(await tokens({ introspection: CLIENT }), 'opaque');
    expect([reason, message]).toEqual(['UNAUTHENTICATED', expect.stringMatching(why)]);
  });

  it('need not name an audience where that is set', async () => {
    served.set(`${ISSUER}/ask`, active({ aud: undefined }));
    const introspection = { ...CLIENT, requireAudience: false };
    expect((await refusal(await tokens({ introspection }), 'opaque'))[0]).toBe('accepted');
    served.set(`${ISSUER}/ask`, active({ aud: 'https://x' }));
    expect((await refusal(await tokens({ introspection }), 'other'))[0]).toBe('UNAUTHENTICATED');
  });

  it('is asked about JWTs too where that is set, so that a revoked one ends', async () => {
    const verifier = await tokens({ introspection: { ...CLIENT, tokens: 'all' } });
    served.set(`${ISSUER}/ask`, active({ sub: 'alice' }));
    const token = await mint();
    expect((await verify(verifier, token)).caller.subject).toBe('alice');
    served.set(`${ISSUER}/ask`, { active: false });
    clock.ms += 30_000;
    expect((await refusal(verifier, token))[1]).toContain('not active');
  });

  it.each([
    ['invalid_client', { error: 'invalid_client' }],
    ['a bare 401', {}],
  ])('is asked again with the newest secret after %s', async (_, body) => {
    newestSecret = 'rotated';
    served.set(`${ISSUER}/ask`, (headers: Headers) =>
      headers.get('authorization') === `Basic ${btoa('hub:rotated')}`
        ? active()
        : Response.json(body, { status: 401 }),
    );
    const verifier = await tokens({ introspection: CLIENT });
    expect((await verify(verifier, 'opaque')).caller.subject).toBe('bob');
    expect(asked.filter((url) => url === `${ISSUER}/ask`)).toHaveLength(2);
    newestSecret = 'unknown to the issuer';
    expect((await refusal(await tokens({ introspection: CLIENT }), 'opaque'))[0]).toBe(
      'UNAVAILABLE',
    );
  });

  it.each<[string, unknown, RegExp]>([
    ['is away', Object.assign(new Error('x'), { code: 'ECONNRESET' }), /ECONNRESET/],
    ['fails', 500, /cannot be asked/],
    ['refuses the hub', 401, /cannot be asked/],
    ['answers nonsense', ['active'], /cannot be asked/],
  ])('lets nobody in when it %s', async (_, answer, why) => {
    served.set(`${ISSUER}/ask`, answer);
    const [reason, message] = await refusal(await tokens({ introspection: CLIENT }), 'opaque');
    expect([reason, message]).toEqual(['UNAVAILABLE', expect.stringMatching(why)]);
    expect(message).not.toContain('never shown');
  });
});

it('keeps the callers of two issuers apart by the issuer that has signed', async () => {
  const OTHER = 'https://other.example';
  served.set(`${OTHER}/keys`, { keys: [two.jwk] });
  const other = { id: 'b', issuer: OTHER, organization: 'b', jwksUrl: `${OTHER}/keys` };
  const verifier = await tokens({}, other);
  const theirs = await verify(verifier, await mint({ iss: OTHER }, {}, two));
  expect(theirs.caller).toMatchObject({ subject: 'alice', organization: 'b' });
  // Signed with the other's key in the name of the first.
  expect((await refusal(verifier, await mint({}, {}, two)))[0]).toBe('UNAUTHENTICATED');
});
