import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/common/scope.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { TestIssuer } from '../support/test-issuer.js';

const PATH = '/api/v1/me';

let hub: Hub;
let issuer: TestIssuer;

beforeAll(async () => {
  issuer = await TestIssuer.start();
  const claims = { organization: 'org', groups: 'groups' };
  const grants = { everyone: [], groups: { leads: ['access:organization'] } };
  const issuers = [
    { id: 'test', issuer: issuer.url, claims, organizations: ['acme'], clockSkew: '0s', grants },
  ];
  hub = await startHub({ config: { auth: { issuers } } });
});

afterAll(() => Promise.all([hub?.close(), issuer?.close()]));

const me = (key: string) => hub.admin('GET', PATH, undefined, key);

describe('what a caller may do', () => {
  it('is told to the holder of a key, with the scopes that its own include', async () => {
    const expiresAt = '2100-01-01T00:00:00.000Z';
    await hub.admin('POST', '/api/v1/principals', {
      id: 'billing',
      displayName: 'Billing service',
      groups: ['finance'],
      organization: 'acme',
    });
    const made = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: 'nightly', principal: 'billing', scopes: ['push:all'], expiresAt },
    });
    expect(await me(made.body.key as string)).toMatchObject({
      status: 200,
      body: {
        ...{ id: 'billing', displayName: 'Billing service', organization: 'acme' },
        name: 'Billing service',
        scopes: ['push', 'push:all'],
        groups: ['finance'],
        credential: {
          kind: 'key',
          keyId: made.body.id,
          keyName: 'nightly',
          issuer: null,
          expiresAt,
        },
      },
    });
  });

  it('is told to the holder of a token, also when that gives nothing', async () => {
    const token = (claims: object) =>
      issuer.token({ aud: hub.url, sub: 'ann', org: 'acme', ...claims });
    const { status, body } = await me(await token({ groups: ['others'] }));
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ organization: 'acme', displayName: null, name: null, scopes: [] },
        groups: ['others'],
        credential: { kind: 'token', keyId: null, issuer: issuer.url },
      },
    ]);
    expect(Date.parse(body.credential.expiresAt as string)).toBeGreaterThan(Date.now());
    expect((await me(await token({ groups: ['leads'] }))).body).toMatchObject({
      id: body.id,
      scopes: ['access:organization'],
    });
  });

  it('names it as others see it: by its key only where its id says nothing', async () => {
    const made = async (fields: object) =>
      (
        await hub.admin('POST', '/api/v1/keys', {
          scopes: ['push'],
          organization: 'acme',
          ...fields,
        })
      ).body as { key: string; principalId: string };
    await hub.admin('POST', '/api/v1/principals', { id: 'bare', organization: 'acme' });
    const bare = await made({ name: 'of bare', principal: 'bare', organization: undefined });
    expect((await me(bare.key)).body).toMatchObject({ id: 'bare', name: null });
    const first = await made({ name: 'old' });
    const { principalId: principal } = first;
    await made({ name: 'new', principal, organization: undefined });
    expect((await me(first.key)).body).toMatchObject({ id: principal, name: 'old' });
    const seen = await hub.admin('GET', `/api/v1/principals/${principal}`);
    expect(seen.body).toMatchObject({ name: 'old' });
  });

  it('is everything for the admin key of the configuration', async () => {
    expect((await me(ADMIN_KEY)).body).toMatchObject({
      id: 'admin',
      scopes: SCOPES,
      credential: { kind: 'admin-key', keyId: null, expiresAt: null },
    });
  });

  it('is told to no one else', async () => {
    expect((await me('hub_0_1')).status).toBe(401);
    expect((await hub.get(PATH, { key: null })).status).toBe(401);
  });
});

describe('a hub that lets in everybody', () => {
  it('says so', async () => {
    const open = await startHub({ config: { auth: { mode: 'none' } } });
    try {
      expect((await open.get(PATH, { key: null })).body).toMatchObject({
        id: 'anonymous',
        credential: { kind: 'none', expiresAt: null },
      });
    } finally {
      await open.close();
    }
  });
});
