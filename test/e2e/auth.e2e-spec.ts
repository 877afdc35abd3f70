import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { Clock } from '../../src/common/clock.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { FakeClock } from '../support/fake-clock.js';

describe('API keys', () => {
  const clock = new FakeClock('2026-03-04T05:06:07.000Z');
  let hub: Hub;

  beforeAll(async () => {
    hub = await startHub({ providers: [{ provide: Clock, useValue: clock }] });
  });
  afterAll(() => hub.close());

  it('are made with 201 and shown once', async () => {
    const answer = await hub.admin('POST', '/api/v1/keys', {
      name: 'billing',
      organization: 'acme',
      scopes: ['a2a', 'push'],
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      key: expect.stringMatching(/^hub_[0-9a-f]{32}_[\w-]{43}$/),
      principalId: expect.any(String),
      principalName: 'billing',
      name: 'billing',
      organization: 'acme',
      scopes: ['a2a', 'push'],
      createdAt: '2026-03-04T05:06:07.000Z',
      revokedAt: null,
      expiresAt: null,
      lastUsedAt: null,
      replacedBy: null,
      allowedNetworks: [],
      allowedOrigins: [],
    });
    const list = await hub.admin('GET', '/api/v1/keys');
    expect(list.text).toContain(answer.body.id);
    expect(list.text).not.toContain(answer.body.key);
    expect(list.text).not.toContain('hash');
  });

  it('default to the organization `default` and the scope a2a', async () => {
    const { body } = await hub.admin('POST', '/api/v1/keys', { name: 'n' });
    expect(body).toMatchObject({ organization: 'default', scopes: ['a2a'] });
  });

  it('take null for what is not given', async () => {
    const nothing = {
      ...{ organization: null, principal: null, expiresAt: null },
      ...{ allowedNetworks: null, allowedOrigins: null },
    };
    const made = await hub.admin('POST', '/api/v1/keys', { name: 'n', ...nothing });
    expect(made).toMatchObject({ status: 201, body: { organization: 'default' } });
    const lead = await hub.createKey({ scopes: ['access:organization'], organization: 'acme' });
    const wanted = { ...nothing, name: 'of acme', scopes: ['a2a'] };
    expect(await hub.admin('POST', '/api/v1/keys', wanted, lead)).toMatchObject({
      status: 201,
      body: { organization: 'acme', expiresAt: null, allowedNetworks: [], allowedOrigins: [] },
    });
  });

  it('are listed in pages, newest first', async () => {
    for (const name of ['one', 'two', 'three']) await hub.createKey({ name });
    const first = await hub.admin('GET', '/api/v1/keys?limit=2');
    expect(first.body.items.map((key: { name: string }) => key.name)).toEqual(['three', 'two']);
    const next = await hub.admin('GET', `/api/v1/keys?limit=1&cursor=${first.body.nextCursor}`);
    expect(next.body.items[0].name).toBe('one');
  });

  it('can be replaced: the old one is valid for the overlap, and then not', async () => {
    const old = (
      await hub.admin('POST', '/api/v1/keys', {
        name: 'billing',
        scopes: ['admin'],
        expiresAt: null,
      })
    ).body;
    const path = `/api/v1/keys/${old.id}:rotate`;
    const rotated = await hub.admin('POST', path, {
      overlapSeconds: 60,
      expiresAt: null,
    });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({
      key: expect.stringMatching(/^hub_/),
      principalId: old.principalId,
      name: 'billing',
      scopes: ['admin'],
      expiresAt: null,
    });
    const { body } = await hub.admin('GET', '/api/v1/audit?action=keys.rotate&outcome=succeeded');
    expect(body.items[0]).toMatchObject({
      resourceId: old.id,
      details: { made: rotated.body.id },
    });
    const use = async (key: string) =>
      (await hub.admin('GET', '/api/v1/keys', undefined, key)).status;
    expect([await use(old.key), await use(rotated.body.key)]).toEqual([200, 200]);
    await clock.advance(61_000);
    expect([await use(old.key), await use(rotated.body.key)]).toEqual([401, 200]);
    const again = await hub.admin('POST', path, {});
    expect([again.status, again.body.detail]).toEqual([
      409,
      expect.stringContaining('has expired'),
    ]);
    expect((await hub.admin('POST', '/api/v1/keys/none:rotate', {})).status).toBe(404);
    for (const body of [
      { overlapSeconds: -1 },
      { overlapSeconds: '60' },
      { expiresAt: '2020-01-01T00:00:00Z' },
    ]) {
      const wrong = `/api/v1/keys/${rotated.body.id}:rotate`;
      expect((await hub.admin('POST', wrong, body)).status).toBe(400);
    }
  });

  describe('that is replaced again within its overlap', () => {
    const rotate = (id: string, body: object) =>
      hub.admin('POST', `/api/v1/keys/${id}:rotate`, { overlapSeconds: 3600, ...body });
    const keyOf = async (id: string) =>
      (await hub.admin('GET', '/api/v1/keys?limit=200')).body.items.find(
        (key: { id: string }) => key.id === id,
      );

    it('needs an expiry where the key in its place has expired, and goes on as it was until then', async () => {
      const first = (await hub.admin('POST', '/api/v1/keys', { name: 'first' })).body;
      const expiresAt = new Date(clock.now().getTime() + 5000).toISOString();
      const second = (await rotate(first.id, { expiresAt })).body;
      const { expiresAt: before } = await keyOf(first.id);
      await clock.advance(6000);
      const refused = await rotate(first.id, { overlapSeconds: 60 });
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [
          {
            field: 'expiresAt',
            description: expect.stringContaining(`must be given: the key ${second.id}`),
          },
        ],
      ]);
      expect((await keyOf(first.id)).expiresAt).toBe(before);
      const later = new Date(clock.now().getTime() + 60_000).toISOString();
      expect(await rotate(first.id, { expiresAt: later })).toMatchObject({
        status: 201,
        body: { expiresAt: later },
      });
    });

    it('ends as the last of those in its place', async () => {
      const first = (await hub.admin('POST', '/api/v1/keys', { name: 'first' })).body;
      const second = (await rotate(first.id, {})).body;
      const third = (await rotate(second.id, { overlapSeconds: 0 })).body;
      await hub.admin('DELETE', `/api/v1/keys/${third.id}`);
      const again = await rotate(first.id, {});
      expect([again.status, again.body.expiresAt]).toEqual([201, null]);
    });
  });

  it('can be rotated: one more key for the principal, the old one revoked', async () => {
    const old = await hub.admin('POST', '/api/v1/keys', { name: 'old', scopes: ['admin'] });
    const { principalId } = old.body;
    const fresh = await hub.admin('POST', '/api/v1/keys', {
      name: 'new',
      scopes: ['admin'],
      principal: principalId,
    });
    expect(fresh.body).toMatchObject({ principalId, organization: 'default' });

    const use = (key: string) => hub.admin('GET', '/api/v1/keys', undefined, key);
    expect((await use(old.body.key)).status).toBe(200);
    const revoked = await hub.admin('DELETE', `/api/v1/keys/${old.body.id}`);
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect((await use(old.body.key)).status).toBe(401);
    expect((await use(fresh.body.key)).status).toBe(200);
  });

  it('answers 401 with WWW-Authenticate without a valid key', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: 'Basic YTpi' },
      { 'x-api-key': 'hub_00_11' },
    ]) {
      const answer = await request(`${hub.url}/api/v1/keys`, { headers });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers).toMatchObject({
        'www-authenticate': expect.stringMatching(/^Bearer realm="a2a-hub"/),
        'content-type': 'application/problem+json; charset=utf-8',
      });
      expect(await answer.body.json()).toMatchObject({
        type: 'urn:a2a-hub:error:unauthenticated',
        status: 401,
      });
    }
  });

  it('accepts X-API-Key', async () => {
    const headers = { 'x-api-key': ADMIN_KEY };
    const answer = await request(`${hub.url}/api/v1/keys`, { headers });
    expect(answer.statusCode).toBe(200);
    await answer.body.dump();
  });

  it('answers 403 to a key without the scope', async () => {
    const key = await hub.createKey({ scopes: ['a2a', 'push', 'agents', 'tasks:organization'] });
    const answer = await hub.admin('GET', '/api/v1/keys', undefined, key);
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toContain('access:organization');
  });

  it.each([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: ' ' }, ['name']],
    [{ name: 'n', organization: 'acme\u202E' }, ['organization']],
    [{ name: 'a\u0000b' }, ['name']],
    [{ name: 'n', scopes: [] }, ['scopes']],
    [{ name: 'n', scopes: ['everything'] }, ['scopes']],
    [{ name: 'n', scopes: 'a2a' }, ['scopes']],
    [{ name: 'n', organization: 7 }, ['organization']],
    [{ name: 'n', colour: 'red' }, ['colour']],
    [{ name: 'n', principal: 'nobody' }, ['principal']],
  ])('answers 400 to %j, naming %j', async (body, fields) => {
    const answer = await hub.admin('POST', '/api/v1/keys', body);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    const named = answer.body.errors.map((error: { field: string }) => error.field);
    expect([...new Set(named)]).toEqual(fields);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'colour=red', 'cursor=a&cursor=b'])(
    'answers 400 to a list with ?%s',
    async (query) => {
      const answer = await hub.admin('GET', `/api/v1/keys?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].field).toBe(query.split('=')[0]);
    },
  );

  it('answers 404 when the key to revoke is unknown', async () => {
    expect((await hub.admin('DELETE', '/api/v1/keys/none')).status).toBe(404);
  });
});

describe('auth.mode none', () => {
  it('asks for no key', async () => {
    const hub = await startHub({ config: { auth: { mode: 'none', adminKey: null } } });
    const answer = await request(`${hub.url}/api/v1/keys`);
    expect(answer.statusCode).toBe(200);
    await answer.body.dump();
    await hub.close();
  });

  it('makes no key that would be valid beyond it for whoever reaches the port', async () => {
    const hub = await startHub({ config: { auth: { mode: 'none' } } });
    const make = { name: 'mine', scopes: ['admin'] };
    const id = (await hub.admin('POST', '/api/v1/keys', make)).body.id as string;
    for (const path of ['/api/v1/keys', `/api/v1/keys/${id}:rotate`]) {
      const answer = await request(`${hub.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(path.endsWith('keys') ? make : {}),
      });
      expect(answer.statusCode).toBe(403);
      expect(await answer.body.text()).toContain('Set auth.adminKey');
    }
    await hub.close();
  });
});
