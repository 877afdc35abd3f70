import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthService, SessionStore } from '../../src/auth/index.js';
import type { ConfigOverrides } from '../../src/config/index.js';
import { CommitUnknown } from '../../src/database/commit-unknown.js';
import { Database } from '../../src/database/database.js';
import { type Hub, startHub } from '../support/app.js';
import { ConsentBrowser, type Shown } from '../support/consent-browser.js';
import { CONSOLE_CLIENT, ConsoleProvider } from '../support/console-provider.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';

const SCOPES = ['openid', 'offline_access', 'hub.call', 'hub.operate'];

let provider: ConsoleProvider;
let hub: Hub;
let browser: ConsentBrowser;
let round = 0;
let account = '';

const config = (url: string, changes: JsonObject = {}): ConfigOverrides => ({
  auth: {
    issuers: [
      {
        id: 'company',
        issuer: url,
        organization: 'acme',
        grants: { everyone: [], scopes: { 'hub.call': ['a2a'], 'hub.operate': ['admin'] } },
      },
    ],
  },
  console: {
    signIn: [
      { issuer: 'company', name: 'Acme staff', ...CONSOLE_CLIENT, scopes: SCOPES, ...changes },
    ],
  },
});

beforeAll(async () => {
  provider = await ConsoleProvider.start();
  hub = await hubFor(config(provider.url));
});

afterAll(() => Promise.all([hub?.close(), provider?.close()]));

beforeEach(() => {
  browser = new ConsentBrowser();
  account = `user-${(round += 1)}`;
  provider.isDown = false;
  provider.hold = undefined;
});

/** A hub whose provider makes its tokens for it: the address is known when it listens. */
async function hubFor(overrides: ConfigOverrides, databaseUrl?: string): Promise<Hub> {
  const [entry] = overrides.console!.signIn as JsonObject[];
  const resource = 'http://hub.example';
  const [issuer] = overrides.auth!.issuers as JsonObject[];
  Object.assign(entry!, 'resource' in entry! ? {} : { resource });
  Object.assign(issuer!, { audiences: [resource] });
  return startHub({ config: overrides, ...(databaseUrl && { databaseUrl }) });
}

const signInAt = (at: Hub, query = ''): string => `${at.url}/console/sign-in${query}`;

/** Signs in at the provider. Ends before an address that begins with `stopAt`: by default that of the console. */
async function signIn(at = hub, query = '', stopAt = `${at.url}/console/`): Promise<Shown> {
  const callback = `${at.url}/console/sign-in/callback`;
  const login = await browser.open(signInAt(at, query), undefined, callback);
  const back = await browser.agree(login, account, false, callback);
  return stopAt === callback ? back : browser.open(back.url, undefined, stopAt);
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** As the page of the console asks. */
async function ask(
  path: string,
  { method = 'GET', headers = {} }: Asked = {},
  at = hub,
): Promise<{ status: number; body: JsonObject; headers: Headers }> {
  const cookie = browser.cookiesFor(at.url);
  const answer = await fetch(at.url + path, {
    method,
    headers: { cookie, 'x-a2a-hub-console': '1', 'sec-fetch-site': 'same-origin', ...headers },
  });
  for (const each of answer.headers.getSetCookie()) browser.keep(at.url, each);
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as JsonObject,
  };
}

const rows = (): Promise<JsonObject[]> =>
  hub.app.get(Database).read<JsonObject>('SELECT * FROM console_sessions');
/** Sets times of all sessions. */
const age = (columns: string): Promise<unknown> =>
  hub.app.get(Database).write((tx) => tx.run(`UPDATE console_sessions SET ${columns}`, []));
const runOut = (): Promise<unknown> => age('usable_until = 1');
const me = (): ReturnType<typeof ask> => ask('/api/v1/me');

describe('whoever signs in to the console', () => {
  it('is led to the provider and back, and then calls as with its token', async () => {
    expect((await ask('/console/session')).body).toEqual({
      signIn: [{ issuer: 'company', name: 'Acme staff' }],
      session: null,
      fault: null,
    });
    const shown = await signIn(hub, '?issuer=company&returnTo=/console/tasks?state=failed%23top');
    expect(shown.url).toBe(`${hub.url}/console/tasks?state=failed#top`);
    const { status, body } = await me();
    expect([status, body]).toMatchObject([
      200,
      {
        organization: 'acme',
        scopes: expect.arrayContaining(['admin', 'a2a']),
        credential: { kind: 'session', issuer: provider.url, keyId: null },
      },
    ]);
    const { session } = (await ask('/console/session')).body as { session: JsonObject };
    expect(session['caller']).toEqual(body);
    const lasts = Date.parse(session['expiresAt'] as string) - Date.now();
    expect(Math.round(lasts / 3_600_000)).toBe(12);
    for (const path of ['/api/v1/agents', '/health/details', '/a2a/tasks']) {
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    }
    const metrics = await fetch(`${hub.url}/metrics`);
    expect(metrics.status).toBe(200);
  });

  it('leaves nothing readable of its tokens and cookie in the database', async () => {
    await signIn();
    const [cookie = ''] = /[\w-]{43}/.exec(browser.cookiesFor(hub.url)) ?? [];
    expect(cookie).not.toBe('');
    const text = JSON.stringify(await rows());
    expect(text).not.toContain(cookie);
    expect(text).not.toContain('eyJ');
  });

  it('gets cookies that scripts and other sites cannot use', async () => {
    const { url } = await signIn(hub, '', `${hub.url}/console/sign-in/callback`);
    const cookie = browser.cookiesFor(hub.url);
    const back = await fetch(url, { headers: { cookie }, redirect: 'manual' });
    expect(back.status).toBe(302);
    const [attempts, session] = back.headers.getSetCookie();
    expect(attempts).toMatch(
      /^a2a-hub-sign-in-[0-9a-f]{8}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/,
    );
    expect(session).toMatch(
      /^a2a-hub-console-[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(back.headers.get('cache-control')).toBe('no-store');
  });

  it('signs out here and at the provider', async () => {
    await signIn();
    const before = provider.revocations;
    const out = await ask('/console/sign-out', { method: 'POST' });
    const address = new URL(out.body['signOutUrl'] as string);
    expect(address.origin).toBe(provider.url);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'console',
      post_logout_redirect_uri: `${hub.url}/console/`,
      id_token_hint: expect.stringMatching(/^eyJ/),
    });
    expect(provider.revocations).toBe(before + 1);
    expect(browser.cookiesFor(hub.url)).toBe('');
    expect((await me()).status).toBe(401);
    // The provider takes the address.
    expect((await browser.open(address.href)).status).toBe(200);
    expect((await ask('/console/sign-out', { method: 'POST' })).body).toEqual({ signOutUrl: null });
  });

  it('is in the audit log', async () => {
    await signIn();
    const { body } = await me();
    await ask('/console/sign-out', { method: 'POST' });
    const query = `principal=${body['id'] as string}`;
    const entries = (await hub.admin('GET', `/api/v1/audit?${query}`)).body.items as JsonObject[];
    expect(
      entries.map(({ action, outcome, resourceType }) => [action, outcome, resourceType]),
    ).toEqual([
      ['console.sign-out', 'succeeded', 'console.sessions'],
      ['console.sign-in', 'succeeded', 'console.sessions'],
    ]);
  });
});

describe('a session', () => {
  it('goes on after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'a2a-hub-console-'));
    const database = `sqlite:${join(folder, 'hub.db')}`;
    const own = await hubFor(config(provider.url), database);
    await signIn(own);
    const before = await ask('/api/v1/me', {}, own);
    await own.close();
    const again = await hubFor({ ...config(provider.url), publicUrl: own.url }, database);
    try {
      expect(before.status).toBe(200);
      const cookie = browser.cookiesFor(own.url);
      expect((await ask('/api/v1/me', { headers: { cookie } }, again)).body).toEqual(before.body);
    } finally {
      await again.close();
      await rm(folder, { recursive: true });
    }
  });

  it('gets a new token when that runs out, with one use of the refresh token for many calls', async () => {
    await signIn();
    const before = (await me()).body['id'];
    provider.grants.length = 0;
    await runOut();
    const answers = await Promise.all(Array.from({ length: 12 }, () => me()));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body['id'])}`))).toEqual(
      new Set([`200 ${String(before)}`]),
    );
    expect(provider.grants).toEqual(['refresh_token']);
    await runOut();
    expect((await me()).status).toBe(200);
    expect(provider.grants).toEqual(['refresh_token', 'refresh_token']);
  });

  it('outlasts a provider that is away', async () => {
    await signIn();
    await runOut();
    provider.isDown = true;
    expect((await me()).status).toBe(503);
    provider.isDown = false;
    expect((await me()).status).toBe(200);
  });

  it('goes on when it was not known whether its new tokens were stored, and they were', async () => {
    await signIn();
    const store = hub.app.get(SessionStore);
    const write = store.renew.bind(store);
    const renew = jest.spyOn(store, 'renew').mockImplementationOnce(async (...given) => {
      await write(...given);
      throw new CommitUnknown(new Error('the connection broke'));
    });
    try {
      await runOut();
      expect((await me()).status).toBe(503);
      expect((await me()).status).toBe(200);
      expect(renew).toHaveBeenCalledTimes(1);
    } finally {
      renew.mockRestore();
    }
  });

  it('ends its new tokens, and is held up no longer, when they cannot be stored', async () => {
    await signIn();
    const before = provider.revocations;
    const renew = jest.spyOn(hub.app.get(SessionStore), 'renew').mockRejectedValue(new Error('no'));
    try {
      await runOut();
      expect((await me()).status).toBe(500);
      expect(renew).toHaveBeenCalledTimes(4);
      expect(provider.revocations).toBe(before + 1);
    } finally {
      renew.mockRestore();
    }
    expect(await me()).toMatchObject({ status: 401, body: { metadata: { session: 'ended' } } });
  });

  it('that is signed out while it is renewed ends its new tokens, too', async () => {
    await signIn();
    await runOut();
    const before = provider.revocations;
    let go = (): void => undefined;
    const reached = new Promise<void>((resolve) => {
      provider.hold = () => {
        resolve();
        return new Promise((answer) => (go = answer));
      };
    });
    const renewed = me();
    await reached;
    const store = hub.app.get(SessionStore);
    const write = store.renew.bind(store);
    const renew = jest.spyOn(store, 'renew').mockImplementationOnce(async (...given) => {
      await ask('/console/sign-out', { method: 'POST' });
      return write(...given);
    });
    go();
    expect((await renewed).status).toBe(401);
    renew.mockRestore();
    expect(provider.revocations).toBe(before + 2);
  });

  it('ends with its new tokens when they are of somebody else', async () => {
    await signIn();
    const { principalId } = (await rows())[0]!;
    await runOut();
    const before = provider.revocations;
    const auth = hub.app.get(AuthService);
    const other = { id: `not-${String(principalId)}` } as Awaited<
      ReturnType<AuthService['holderOf']>
    >;
    const holder = jest.spyOn(auth, 'holderOf').mockResolvedValueOnce(other);
    expect(await me()).toMatchObject({ status: 401, body: { metadata: { session: 'ended' } } });
    holder.mockRestore();
    expect(provider.revocations).toBe(before + 1);
  });

  it('ends when the provider takes its refresh token no more, and says so', async () => {
    await signIn();
    await provider.revokeAll();
    await runOut();
    expect(await me()).toMatchObject({ status: 401, body: { metadata: { session: 'ended' } } });
    expect(await me()).toMatchObject({ status: 401, body: { metadata: { session: 'expired' } } });
    const { body } = await ask('/console/session');
    expect(body).toMatchObject({ session: null, fault: { session: 'expired' } });
    expect((await ask('/console/session')).body).toMatchObject({ fault: null });
  });

  it('ends after a while without a request, and after its time however it is used', async () => {
    await signIn();
    await age(`used_at = ${Date.now() - 59 * 60_000}`);
    expect((await me()).status).toBe(200);
    await age(`used_at = ${Date.now() - 60 * 60_000}`);
    expect(await me()).toMatchObject({ status: 401, body: { metadata: { session: 'expired' } } });
    await signIn();
    await age(`expires_at = ${Date.now()}`);
    expect(await me()).toMatchObject({ status: 401, body: { metadata: { session: 'expired' } } });
  });

  it('does not let a page call that is for somebody else', async () => {
    await signIn();
    const id = (await me()).body['id'] as string;
    const page = (caller: string): Asked => ({ headers: { 'x-a2a-hub-console-caller': caller } });
    expect((await ask('/api/v1/me', page(id))).status).toBe(200);
    const refused = { status: 401, body: { metadata: { session: 'other' } } };
    expect(await ask('/api/v1/me', page('somebody'))).toMatchObject(refused);
    const change = { ...page('somebody'), method: 'POST' };
    expect(await ask('/api/v1/audit:verify', change)).toMatchObject(refused);
    // Whose it is it may ask, and the session goes on.
    expect((await ask('/console/session', page('somebody'))).body).toMatchObject({
      session: { caller: { id } },
    });
    expect((await me()).status).toBe(200);
  });

  it('ends at once with its principal', async () => {
    await signIn();
    const { body } = await me();
    await hub.admin('POST', `/api/v1/principals/${body['id'] as string}:disable`);
    expect(await me()).toMatchObject({
      status: 401,
      body: { metadata: { session: 'refused' }, detail: expect.stringContaining('disabled') },
    });
  });

  it('gives way to newer ones of its principal', async () => {
    await signIn();
    const oldest = browser;
    for (let each = 0; each < 20; each++) {
      browser = new ConsentBrowser();
      await signIn();
    }
    expect((await me()).status).toBe(200);
    browser = oldest;
    expect((await me()).status).toBe(401);
  }, 60_000);
});

describe('a request that is not of the page', () => {
  it('is one without a credential when it brings the cookie alone', async () => {
    await signIn();
    const cookie = browser.cookiesFor(hub.url);
    const others: Record<string, string>[] = [{}, { 'sec-fetch-site': 'cross-site' }];
    for (const more of others) {
      const answer = await fetch(`${hub.url}/api/v1/me`, { headers: { cookie, ...more } });
      expect([answer.status, (await answer.json()) as JsonObject]).toMatchObject([
        401,
        { detail: expect.stringContaining('needed') },
      ]);
    }
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a host beside', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
    ['no origin', { origin: 'null' }],
  ])('is refused from %s, though it has the header', async (_, headers) => {
    await signIn();
    expect((await ask('/api/v1/me', { headers })).status).toBe(403);
    expect((await ask('/console/sign-out', { method: 'POST', headers })).status).toBe(403);
    expect((await me()).status).toBe(200);
  });

  it('signs no one out without the header', async () => {
    await signIn();
    const cookie = browser.cookiesFor(hub.url);
    const out = await fetch(`${hub.url}/console/sign-out`, { method: 'POST', headers: { cookie } });
    expect(out.status).toBe(400);
    expect((await me()).status).toBe(200);
  });

  it('is that of a key where it has one', async () => {
    await signIn();
    const key = await hub.createKey({ scopes: ['a2a'] });
    const answer = await ask('/api/v1/me', { headers: { authorization: `Bearer ${key}` } });
    expect(answer.body).toMatchObject({ credential: { kind: 'key' } });
  });
});

describe('an answer of a provider', () => {
  const callback = (): string => `${hub.url}/console/sign-in/callback`;

  it('is for the browser that has asked, once', async () => {
    const { url } = await signIn(hub, '', callback());
    const other = await fetch(url, { redirect: 'manual' });
    expect([other.status, other.headers.getSetCookie()]).toEqual([400, []]);
    expect((await browser.open(url, undefined, `${hub.url}/console/`)).url).toBe(
      `${hub.url}/console/`,
    );
    expect((await browser.open(url)).status).toBe(400);
    expect((await me()).status).toBe(200);
  });

  it('does not give its session to who set a cookie before', async () => {
    await signIn();
    const planted = browser.cookiesFor(hub.url);
    await signIn();
    expect(browser.cookiesFor(hub.url)).not.toBe(planted);
  });

  it.each([
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer, though the provider names itself', (url: URL) => url.searchParams.delete('iss')],
    ['another code', (url: URL) => url.searchParams.set('code', 'guessed')],
    ['two codes', (url: URL) => url.searchParams.append('code', 'guessed')],
    ['an error', (url: URL) => url.searchParams.set('error', 'server_error')],
  ])('signs no one in with %s', async (_, change) => {
    const url = new URL((await signIn(hub, '', callback())).url);
    change(url);
    const shown = await browser.open(url.href);
    expect([400, 403]).toContain(shown.status);
    expect(shown.text).not.toContain('guessed');
    expect((await me()).status).toBe(401);
  });

  it('says that a sign-in was denied', async () => {
    const login = await browser.open(signInAt(hub));
    const shown = await browser.agree(login, account, true);
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining('denied')]);
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('is told to the audit log where it is none', async () => {
    await browser.open(`${callback()}?code=a&state=b`);
    await eventually(async () => {
      const { body } = await hub.admin('GET', '/api/v1/audit?action=auth.sign-in&outcome=refused');
      const causes = (body.items as JsonObject[]).map(
        ({ details }) => (details as JsonObject)['cause'],
      );
      expect(causes).toContain('unexpected-answer');
    });
  });
});

describe('the way back', () => {
  it.each([
    'https://evil.example/console/',
    '//evil.example/console/',
    '/\\evil.example',
    '/console/../api/v1/agents',
    '/consolation',
    '/console/sign-in?issuer=company',
  ])('is never %s', async (returnTo) => {
    const shown = await signIn(hub, `?returnTo=${encodeURIComponent(returnTo)}`);
    expect(shown.url).toBe(`${hub.url}/console/`);
  });
});

describe('a way to sign in', () => {
  const withHub = async (changes: JsonObject, use: (own: Hub) => Promise<void>): Promise<void> => {
    const own = await hubFor(config(provider.url, changes));
    try {
      await use(own);
    } finally {
      await own.close();
    }
  };

  it('may be that of a public client', async () => {
    const changes = { clientId: 'public-console', clientSecret: undefined };
    await withHub(changes, async (own) => {
      expect((await signIn(own)).url).toBe(`${own.url}/console/`);
    });
  });

  it('is refused with what to do when the token is for somebody else', async () => {
    await withHub({ resource: 'https://other.example' }, async (own) => {
      const shown = await signIn(own, '', 'none');
      expect([shown.status, shown.text]).toEqual([
        403,
        expect.stringMatching(
          /does not take what Acme staff gave[^]*another audience[^]*set resource or audience in console.signIn/,
        ),
      ]);
      expect(shown.text).not.toContain('eyJ');
    });
  });

  it('is refused when the secret is wrong, without telling it', async () => {
    await withHub({ clientSecret: 'wrong-secret' }, async (own) => {
      const shown = await signIn(own, '', 'none');
      expect([shown.status, shown.text]).toEqual([
        403,
        expect.stringContaining('it answered HTTP 401'),
      ]);
      expect(shown.text).not.toContain('wrong-secret');
    });
  });

  it('must be one that there is', async () => {
    const shown = await browser.open(signInAt(hub, '?issuer=none'));
    expect(shown.status).toBe(404);
    expect(shown.text).toContain(`href="${hub.url}/console/sign-in?issuer=company"`);
  });

  it('is at the address of the hub', async () => {
    const { port } = new URL(hub.url);
    const answer = await fetch(`http://localhost:${port}/console/sign-in`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(`${hub.url}/console/sign-in?moved=1`);
    const again = await fetch(`http://localhost:${port}/console/sign-in?moved=1`);
    expect(again.status).toBe(400);
  });

  it('can be begun ever so often, at no cost to the database', async () => {
    const statuses = new Set<number>();
    for (let each = 0; each < 700; each++) {
      const answer = await fetch(signInAt(hub), { redirect: 'manual' });
      statuses.add(answer.status);
      await answer.body?.cancel();
    }
    expect(statuses).toEqual(new Set([302, 429]));
  });
});

describe('a hub behind a proxy that ends TLS, below a path of it', () => {
  it('is signed in at there, with cookies that no other host can set', async () => {
    const publicUrl = 'https://hub.example/hub';
    const server = { corsOrigins: ['*'] };
    const own = await hubFor({ ...config(provider.url), publicUrl, server });
    try {
      const begun = await fetch(signInAt(own), { redirect: 'manual' });
      const { searchParams } = new URL(begun.headers.get('location')!);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        redirect_uri: `${publicUrl}/console/sign-in/callback`,
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      });
      const [cookie] = begun.headers.getSetCookie();
      expect(cookie).toMatch(
        /^__Host-a2a-hub-sign-in-[0-9a-f]{8}=v1:\S+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      );
      const preflight = await fetch(`${own.url}/api/v1/me`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-a2a-hub-console',
        },
      });
      const allowed = String(preflight.headers.get('access-control-allow-headers')).toLowerCase();
      expect(allowed).toContain('authorization');
      expect(allowed).not.toContain('x-a2a-hub-console');
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    } finally {
      await own.close();
    }
  });

  it('has to be reached by TLS', () => {
    const wrong = { ...config(provider.url), publicUrl: 'http://hub.example' };
    return expect(hubFor(wrong)).rejects.toThrow('needs a publicUrl with https');
  });
});
