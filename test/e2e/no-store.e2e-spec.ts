import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';

let hub: Hub;
let own: string;

beforeAll(async () => {
  hub = await startHub();
  own = await hub.createKey({ organization: 'acme', scopes: ['a2a'] });
});
afterAll(() => hub?.close());

async function ask(method: string, path: string, key?: string, body?: object) {
  const answer = await request(hub.url + path, {
    method: method as 'GET',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  await answer.body.dump();
  return [answer.statusCode, answer.headers['cache-control']];
}

describe('no cache keeps', () => {
  it('an answer of the admin API, such as a new key', async () => {
    const key = { name: 'new', organization: 'acme', scopes: ['a2a'] };
    expect(await ask('POST', '/api/v1/keys', ADMIN_KEY, key)).toEqual([201, 'no-store']);
    expect(await ask('GET', '/api/v1/keys', ADMIN_KEY)).toEqual([200, 'no-store']);
    expect(await ask('HEAD', '/api/v1/keys', ADMIN_KEY)).toEqual([200, 'no-store']);
    expect(await ask('GET', '/health/details', ADMIN_KEY)).toEqual([200, 'no-store']);
    expect(await ask('GET', '/health/ready')).toEqual([200, 'no-store']);
  });

  it.each([
    [401, 'GET', '/api/v1/keys', undefined],
    [403, 'GET', '/api/v1/keys', 'own'],
    [404, 'GET', '/api/v1/agents/none', 'admin'],
    [404, 'GET', '/api/v1/nothing', 'admin'],
    [404, 'GET', '/nothing', undefined],
    [404, 'GET', '/docs/nothing', undefined],
    [405, 'PUT', '/api/v1/keys', 'admin'],
    [400, 'GET', '/api/v1/%zz', 'admin'],
    [400, 'GET', '/api/v1/agents?limit=x', 'admin'],
    [401, 'GET', '/health/details', undefined],
    [401, 'POST', '/a2a', undefined],
  ] as const)('a failure: %d for %s %s', async (status, method, path, who) => {
    const key = who && { own, admin: ADMIN_KEY }[who];
    expect(await ask(method, path, key)).toEqual([status, 'no-store']);
  });
});

describe('what says something else of caches goes on to', () => {
  it.each([
    ['/.well-known/agent-card.json', /^public, max-age=\d+$/],
    ['/.well-known/jwks.json', /^public, max-age=\d+$/],
    ['/docs', /^no-cache$/],
    ['/docs/ui/start.js', /^public, max-age=\d+$/],
  ])('%s', async (path, said) => {
    expect(await ask('GET', path)).toEqual([200, expect.stringMatching(said)]);
  });
});
