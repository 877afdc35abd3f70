import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';

interface Operation {
  readonly requestBody?: unknown;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

let hub: Hub;
/** Those that take no body, by a method that may have one. */
let bodiless: readonly (readonly [method: string, path: string])[];
/** All routes of the admin API, by method and path; an `x` stands for each id. */
let routes: readonly (readonly [method: string, path: string, query: readonly string[]])[];

beforeAll(async () => {
  hub = await startHub();
  const { body } = await hub.get('/docs/openapi.json', { key: null });
  routes = Object.entries<Record<string, Operation>>(body.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { parameters = [] }]) => {
        const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
        return [method.toUpperCase(), path.replace(/\{[^}]+\}/g, 'x'), query] as const;
      }),
    );
  bodiless = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { requestBody }]) => /post|put|patch/.test(method) && !requestBody)
      .filter(() => path.startsWith('/api/v1/'))
      .map(([method]) => [method.toUpperCase(), path.replace(/\{[^}]+\}/g, 'x')] as const),
  );
});
afterAll(() => hub.close());

describe('the body of every route of the admin API that takes none', () => {
  it('holds nothing, or nothing is done', async () => {
    expect(bodiless.length).toBeGreaterThan(15);
    const taken: unknown[] = [];
    for (const [method, path] of bodiless) {
      const { status, body } = await hub.admin(method, path, { nonsense: 1 });
      const fields = (body?.errors ?? []).map(({ field }: { field: string }) => field);
      if (status !== 400 || !fields.includes('nonsense')) taken.push([method, path, status, body]);
      const list = await hub.admin(method, path, [1]);
      if (status !== 400 || list.status !== 400) taken.push([method, path, list.status]);
      const empty = await hub.admin(method, path, {});
      if (empty.status === 400) taken.push([method, path, empty.status, empty.body]);
    }
    expect(taken).toEqual([]);
  });
});

/** The fields at fault, for each route that does not refuse such a query by this name. */
async function takenBy(
  query: string,
  name: string,
  of: (typeof routes)[number][] = [...routes],
): Promise<unknown[]> {
  const taken: unknown[] = [];
  for (const [method, path] of of) {
    const send = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined;
    const { status, body } = await hub.admin(method, `${path}?${query}`, send);
    const fields = (body?.errors ?? []).map(({ field }: { field: string }) => field);
    if (status !== 400 || !fields.includes(name)) taken.push([method, path, status, fields]);
  }
  return taken;
}

describe('a body of the admin API', () => {
  it('is UTF-8: bytes that are none are kept as no others', async () => {
    const text = Buffer.from('{"id":"x"}');
    text[7] = 0xff;
    const answer = await fetch(`${hub.url}/api/v1/organizations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: text,
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ detail: 'The body is not UTF-8.' }),
    ]);
  });
});

describe('the query of every route of the admin API', () => {
  it('holds nothing that the route does not know', async () => {
    expect(routes.length).toBeGreaterThan(80);
    expect(await takenBy('nonsense=1', 'nonsense')).toEqual([]);
    expect(await takenBy('__proto__=1', '__proto__')).toEqual([]);
  });

  it('holds nothing twice', async () => {
    const lists = routes.filter(([, , query]) => query.includes('limit'));
    expect(lists.length).toBeGreaterThan(20);
    expect(await takenBy('limit=1&limit=2', 'limit', lists)).toEqual([]);
    const cursors = routes.filter(([, , query]) => query.includes('cursor'));
    expect(await takenBy('cursor=a&cursor=b', 'cursor', cursors)).toEqual([]);
  });

  it('holds no cursor of another list', async () => {
    for (const name of ['one', 'two']) {
      await hub.admin('POST', '/api/v1/keys', { name, scopes: ['a2a'] });
    }
    const { nextCursor } = (await hub.admin('GET', '/api/v1/keys?limit=1')).body;
    expect(nextCursor).toEqual(expect.any(String));
    const others = routes.filter(
      ([method, path, query]) =>
        method === 'GET' && query.includes('cursor') && path !== '/api/v1/keys',
    );
    // Below an id that there is not, that is said first.
    const open = others.filter(([, path]) => !/\/x(\/|$)/.test(path));
    expect(open.length).toBeGreaterThan(15);
    expect(await takenBy(`cursor=${nextCursor}`, 'cursor', open)).toEqual([]);
  });
});

it('a body of the admin API that is encoded is refused as that, and nothing is made', async () => {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'encoded', scopes: ['a2a'] });
  const send = async (coding: string): Promise<number> => {
    const path = `${hub.url}/api/v1/keys`;
    const encoded = { ...headers, 'content-encoding': coding };
    return (await fetch(path, { method: 'POST', headers: encoded, body })).status;
  };
  expect(await send('gzip')).toBe(415);
  expect(await send('br, gzip')).toBe(415);
  expect(await send('identity')).toBe(201);
  const { body: keys } = await hub.admin('GET', '/api/v1/keys?limit=200');
  const named = (keys.items as { name: string }[]).filter(({ name }) => name === 'encoded');
  expect(named).toHaveLength(1);
});
