import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { OrganizationsService } from '../../src/auth/index.js';
import { OrganizationStore } from '../../src/auth/organization-store.js';
import { principalOf } from '../../src/auth/principal.js';
import { type HttpAnswer, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V1, failureOf } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import { TestIssuer } from '../support/test-issuer.js';

const TO_SCRIPTED = { message: { metadata: { agentId: 'scripted' } } };

let issuer: TestIssuer;
let served: GrpcHub;
let hub: GrpcHub['hub'];

beforeAll(async () => {
  issuer = await TestIssuer.start();
  const issuers = [
    { id: 'test', issuer: issuer.url, claims: { organization: 'org' }, organizations: ['*'] },
  ];
  served = await startGrpcHub(
    { auth: { issuers }, server: { trustedProxies: ['127.0.0.1'] } },
    { live: { manual: true, chunks: 1000 } },
  );
  ({ hub } = served);
});
afterAll(async () => {
  await served?.close();
  await issuer?.close();
});

interface Made {
  readonly id: string;
  readonly key: string;
  readonly principalId: string;
}

const api = (method: string, path: string, body?: object, key?: string): Promise<HttpAnswer> =>
  hub.admin(method, `/api/v1/${path}`, body, key);
const statusOf = async (answer: Promise<HttpAnswer>): Promise<number> => (await answer).status;
async function made(organization: string, fields: object = {}): Promise<Made> {
  const answer = await api('POST', 'keys', { name: 'n', organization, ...fields });
  expect(answer.status).toBe(201);
  return answer.body as Made;
}
const refusals = async (cause: string): Promise<number> => {
  const { body } = await api('GET', 'audit?limit=100');
  return JSON.stringify(body).split(`"${cause}"`).length - 1;
};

describe('an organization', () => {
  it.each([
    ...['evil:x', 'team:disable', '../x', 'a\u0000', 'a\u2028:b'],
    ...['acme ', ' acme', 'acme\u00a0', '.', '..', ' '],
  ])('have no id that paths cannot carry, whoever names it first: %j', async (id) => {
    const bodies = {
      organizations: { id },
      keys: { name: 'k', organization: id, scopes: ['a2a'] },
      principals: { organization: id },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await hub.admin('POST', `/api/v1/${path}`, body);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.body.errors[0].description).toContain('without colons, slashes');
    }
  });

  it.each([' made before', '..', 'a:b'])(
    'that was made when its id %j was taken is read, disabled and deleted',
    async (id) => {
      const at = new Date();
      const nothing = { displayName: null, description: null, labels: {}, disabledAt: null };
      await hub.app.get(OrganizationStore).create({ id, createdAt: at, ...nothing });
      const organizations = hub.app.get(OrganizationsService);
      const admin = principalOf({ id: 'admin', organization: 'default', scopes: ['admin'] });
      expect(await organizations.get(id, admin)).toMatchObject({ id });
      expect(JSON.stringify((await api('GET', 'organizations?limit=100')).body)).toContain(
        JSON.stringify(id),
      );
      expect((await organizations.disable(id, admin)).disabledAt).not.toBeNull();
      await organizations.remove(id);
      expect(await organizations.exists(id)).toBe(false);
    },
  );

  it('is there with its first key, and can be created, changed and deleted', async () => {
    await made('first');
    expect((await api('GET', 'organizations/first')).body).toMatchObject({
      ...{ id: 'first', state: 'enabled', principals: 1, labels: {} },
    });
    const body = { id: 'made', displayName: 'Made Inc.', labels: { cost: '4711' } };
    expect((await api('POST', 'organizations', body)).body).toMatchObject(body);
    expect(await statusOf(api('POST', 'organizations', body))).toBe(409);
    const changed = await api('PATCH', 'organizations/made', { description: 'tools' });
    expect(changed.body).toMatchObject({ ...body, description: 'tools' });
    expect((await api('DELETE', 'organizations/first')).body.detail).toContain('has principals');
    expect(await statusOf(api('DELETE', 'organizations/made'))).toBe(204);
    expect(await statusOf(api('GET', 'organizations/made'))).toBe(404);
  });

  it.each([
    [{ id: 'a:b' }],
    [{ id: 'a/b' }],
    [{ id: ' ' }],
    [{ id: 'ok', labels: { cost: 4711 } }],
    [{ id: 'ok', labels: { 'no blanks': 'x' } }],
    [{ id: 'ok', labels: { long: 'x'.repeat(201) } }],
    [{ id: 'ok', displayName: 7 }],
    [{ id: 'ok', disabledAt: null }],
    [{}],
  ])('is not created as %j', async (body) => {
    expect(await statusOf(api('POST', 'organizations', body))).toBe(400);
  });

  it('that is disabled stops keys, tokens and open streams on every binding, until it is enabled', async () => {
    const key = await made('leaving');
    const token = await issuer.token({ aud: hub.url, org: 'leaving' });
    const calls = [key.key, token];
    const task = await hub.submit('go', TO_SCRIPTED, { key: key.key });
    const open = await hub.stream('SubscribeToTask', { id: task['id'] }, { key: key.key });
    await open.next();
    const client = await GrpcClient.of(hub, { key: key.key });
    const stream = client.stream(V1.subscribeToTask, { tenant: '', id: task['id'] as string });
    const failed = new Promise((resolve) => stream.once('error', resolve));
    await new Promise((resolve) => stream.once('data', resolve));
    for (const each of calls) expect((await hub.get('/a2a/tasks', { key: each })).status).toBe(200);
    expect((await api('POST', 'organizations/leaving:disable')).body).toMatchObject({
      state: 'disabled',
    });
    for (const each of calls) expect((await hub.get('/a2a/tasks', { key: each })).status).toBe(401);
    expect(JSON.stringify(await open.next())).toContain('UNAUTHENTICATED');
    expect(await failed).toMatchObject({ code: status.UNAUTHENTICATED });
    const refused = await failureOf(client.exchange(V1.getTask.path, Buffer.alloc(0)));
    expect(refused.code).toBe('UNAUTHENTICATED');
    const more = { name: 'n', organization: 'leaving' };
    expect(await statusOf(api('POST', 'keys', more))).toBe(409);
    expect((await api('GET', `principals/${key.principalId}`)).body).toMatchObject({
      ...{ state: 'disabled', disabledAt: null, pushHeld: 'organization-disabled' },
    });
    await api('POST', 'organizations/leaving:enable');
    for (const each of calls) expect((await hub.get('/a2a/tasks', { key: each })).status).toBe(200);
    client.close();
  });

  it("is disabled by nobody of its own, and not when it is the hub's", async () => {
    const { key } = await made('operators', { scopes: ['access'] });
    expect(await statusOf(api('POST', 'organizations/operators:disable', {}, key))).toBe(409);
    expect(await statusOf(api('POST', 'organizations/default:disable', {}, key))).toBe(409);
    expect(await statusOf(api('DELETE', 'organizations/default', undefined, key))).toBe(409);
  });

  it('is seen and described by its own administrators, who see no other and disable none', async () => {
    await made('other');
    const { key } = await made('own', { scopes: ['access:organization'] });
    const { items } = (await api('GET', 'organizations', undefined, key)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual(['own']);
    expect((await api('PATCH', 'organizations/own', { displayName: 'Own' }, key)).status).toBe(200);
    const strange = await api('GET', 'organizations/other', undefined, key);
    const unknown = await api('GET', 'organizations/nobody', undefined, key);
    expect([strange.status, unknown.status]).toEqual([404, 404]);
    expect(strange.body.detail).toBe(unknown.body.detail.replace('nobody', 'other'));
    expect(await statusOf(api('PATCH', 'organizations/other', { displayName: 'x' }, key))).toBe(
      404,
    );
    for (const verb of [':disable', ':enable']) {
      expect(await statusOf(api('POST', `organizations/own${verb}`, {}, key))).toBe(403);
    }
    expect(await statusOf(api('POST', 'organizations', { id: 'more' }, key))).toBe(403);
    expect(await statusOf(api('DELETE', 'organizations/other', undefined, key))).toBe(403);
  });
});

describe('a principal', () => {
  it('is created without a key, changed, disabled and deleted', async () => {
    const body = { id: 'billing', organization: 'acme', displayName: 'Billing', groups: ['books'] };
    expect((await api('POST', 'principals', body)).body).toMatchObject({
      ...body,
      state: 'keyless',
    });
    expect(await statusOf(api('POST', 'principals', body))).toBe(409);
    for (const id of ['admin', 'config']) {
      expect(await statusOf(api('POST', 'principals', { id }))).toBe(409);
    }
    const { items } = (await api('GET', 'principals?group=books')).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual(['billing']);
    for (const [text, found] of [
      ['ILLIN', ['billing']],
      ['billing%25', []],
      ['%25', []],
      ['!', []],
    ] as const) {
      const { body: listed } = await api('GET', `principals?organization=acme&text=${text}`);
      expect([text, listed.items.map((each: { id: string }) => each.id)]).toEqual([text, found]);
    }
    const other = await made('elsewhere', { scopes: ['access:organization'] });
    expect((await api('GET', 'principals?text=billing', undefined, other.key)).body.items).toEqual(
      [],
    );
    expect(await statusOf(api('GET', 'principals?text='))).toBe(400);
    const { id } = await made('acme', { principal: 'billing' });
    const keys = (await api('GET', 'keys?principal=billing')).body.items;
    expect(keys.map((key: Made) => key.id)).toEqual([id]);
    expect(await statusOf(api('DELETE', 'principals/billing'))).toBe(409);
    await api('POST', 'principals/billing:disable');
    expect(await statusOf(api('DELETE', 'principals/billing'))).toBe(204);
    expect((await api('GET', 'keys?principal=billing')).body.items).toEqual([]);
  });

  it('has an id of choice from those alone who administer the access of all', async () => {
    await api('POST', 'principals', { id: 'there', organization: 'acme' });
    const { key } = await made('chooser', { scopes: ['access:organization'] });
    const answers = ['there', 'free'].map((id) => api('POST', 'principals', { id }, key));
    const [taken, free] = await Promise.all(answers);
    expect([taken!.status, free!.status]).toEqual([403, 403]);
    expect(taken!.body.detail).toBe(free!.body.detail);
    const { body } = await api('POST', 'principals', { displayName: 'Any' }, key);
    expect(body).toMatchObject({ organization: 'chooser', displayName: 'Any' });
  });

  it('with tasks is not deleted, nor one that would sign in again', async () => {
    const { key, principalId } = await made('acme');
    await hub.submit('go', TO_SCRIPTED, { key });
    await api('POST', `principals/${principalId}:disable`);
    const left = await api('DELETE', `principals/${principalId}`);
    expect([left.status, left.body.detail]).toEqual([
      409,
      expect.stringContaining('still has tasks'),
    ]);
    const token = await issuer.token({ aud: hub.url, org: 'acme', sub: 'leaver' });
    await hub.get('/a2a/tasks', { key: token });
    const [{ id }] = (await api('GET', 'principals?subject=leaver')).body.items;
    await api('POST', `principals/${id}:disable`);
    const again = await api('DELETE', `principals/${id}`);
    expect([again.status, again.body.detail]).toEqual([
      409,
      expect.stringContaining('next sign-in'),
    ]);
  });

  it('has its groups known to policies, which its own administrators do not give', async () => {
    const member = await made('grouped');
    const text =
      'forbid(principal in Group::"no-agents", action == Action::"SendMessage", resource);';
    expect(await statusOf(api('POST', 'policies', { id: 'no-agents', text }))).toBe(201);
    await hub.submit('go', TO_SCRIPTED, { key: member.key });
    const path = `principals/${member.principalId}`;
    const { key } = await made('grouped', { scopes: ['access:organization'] });
    expect(await statusOf(api('PATCH', path, { displayName: 'M' }, key))).toBe(200);
    expect(await statusOf(api('PATCH', path, { groups: ['no-agents'] }, key))).toBe(403);
    expect(await statusOf(api('POST', 'principals', { groups: ['x'] }, key))).toBe(403);
    expect(await statusOf(api('PATCH', path, { groups: ['no-agents'] }))).toBe(200);
    await expect(hub.submit('go', TO_SCRIPTED, { key: member.key })).rejects.toThrow();
    await api('DELETE', 'policies/no-agents');
  });
});

describe('where a key may be used', () => {
  const from = (key: string, headers: Record<string, string>): Promise<number> =>
    fetch(`${hub.url}/a2a/tasks`, { headers: { authorization: `Bearer ${key}`, ...headers } }).then(
      (answer) => answer.status,
    );

  it('is the networks of its list, over HTTP and gRPC, behind listed proxies', async () => {
    const { key } = await made('acme', { allowedNetworks: ['198.51.100.0/24'] });
    const before = await refusals('foreign-network');
    expect(await from(key, { 'x-forwarded-for': '198.51.100.7' })).toBe(200);
    expect(await from(key, { 'x-forwarded-for': '198.51.100.7, 192.0.2.1' })).toBe(401);
    expect(await from(key, {})).toBe(401);
    const client = await GrpcClient.of(hub, { key });
    const refused = await failureOf(client.exchange(V1.getTask.path, Buffer.alloc(0)));
    expect(refused.code).toBe('UNAUTHENTICATED');
    client.close();
    await eventually(async () => {
      expect(await refusals('foreign-network')).toBeGreaterThan(before);
    }, 10_000);
  });

  it('tells a thief nothing that an unknown key does not', async () => {
    const { key } = await made('acme', { allowedNetworks: ['198.51.100.0/24'] });
    const [foreign, unknown] = await Promise.all(
      [key, `${key}x`].map((each) => hub.get('/a2a/tasks', { key: each })),
    );
    expect(foreign!.status).toBe(401);
    expect(JSON.stringify(foreign!.body)).toBe(JSON.stringify(unknown!.body));
  });

  it('is the pages of its list, changed by PATCH and kept by a rotation', async () => {
    const { key, id } = await made('acme');
    const origin = 'https://app.example.com';
    expect(await from(key, {})).toBe(200);
    const patched = await api('PATCH', `keys/${id}`, { name: 'app', allowedOrigins: [origin] });
    expect(patched.body).toMatchObject({ name: 'app', allowedOrigins: [origin] });
    expect(await from(key, { origin })).toBe(200);
    expect(await from(key, { origin: 'https://evil.example.com' })).toBe(401);
    expect(await from(key, {})).toBe(401);
    const rotated = (await api('POST', `keys/${id}:rotate`, {})).body;
    expect(rotated).toMatchObject({ name: 'app', allowedOrigins: [origin] });
    expect(await from(rotated.key, { origin })).toBe(200);
    expect(await from(rotated.key, {})).toBe(401);
  });

  it.each([
    [{ allowedNetworks: ['here'] }],
    [{ allowedNetworks: '10.0.0.0/8' }],
    [{ allowedNetworks: ['0.0.0.0/0'] }],
    [{ allowedOrigins: ['https://app.example.com/path'] }],
    [{ allowedOrigins: null }],
    [{ expiresAt: '2001-01-01T00:00:00Z' }],
    [{ scopes: ['admin'] }],
    [{ name: '' }],
  ])('is not changed by %j', async (body) => {
    const { id } = await made('acme');
    const refused = await api('PATCH', `keys/${id}`, body);
    expect(refused.status).toBe(400);
  });

  it('is for its administrators to say; an admin key lives no longer by that', async () => {
    const own = await made('acme');
    const { key } = await made('umbrella', { scopes: ['access:organization'] });
    expect(await statusOf(api('PATCH', `keys/${own.id}`, { name: 'x' }, key))).toBe(404);
    const soon = new Date(Date.now() + 3600_000).toISOString();
    const root = await made('default', { scopes: ['admin'], expiresAt: soon });
    for (const expiresAt of [null, new Date(Date.now() + 7200_000).toISOString()]) {
      expect(await statusOf(api('PATCH', `keys/${root.id}`, { expiresAt }))).toBe(400);
    }
    const sooner = new Date(Date.now() + 1800_000).toISOString();
    expect(await statusOf(api('PATCH', `keys/${root.id}`, { expiresAt: sooner }))).toBe(200);
  });
});

describe('auth.organizations: listed', () => {
  it('refuses keys and sign-ins of organizations that do not exist', async () => {
    const issuers = [
      { id: 'test', issuer: issuer.url, claims: { organization: 'org' }, organizations: ['*'] },
    ];
    const strict = await startHub({ config: { auth: { issuers, organizations: 'listed' } } });
    const token = await issuer.token({ aud: strict.url, org: 'acme' });
    const key = { name: 'n', organization: 'acme' };
    expect((await strict.get('/a2a/tasks', { key: token })).status).toBe(401);
    expect((await strict.admin('POST', '/api/v1/keys', key)).status).toBe(400);
    await strict.admin('POST', '/api/v1/organizations', { id: 'acme' });
    expect((await strict.admin('POST', '/api/v1/keys', key)).status).toBe(201);
    const fresh = await issuer.token({ aud: strict.url, org: 'acme', jti: 'again' });
    expect((await strict.get('/a2a/tasks', { key: fresh })).status).toBe(200);
    await strict.close();
  });
});
