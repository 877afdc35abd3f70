import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { FileHub } from '../support/file-hub.js';
import type { Json, JsonObject } from '../support/json.js';

const RULES = '/api/v1/routes/rules';
let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});
afterAll(async () => {
  await hub?.close();
});
afterEach(async () => {
  const { body } = await hub.admin('GET', `${RULES}?limit=200`);
  for (const { id } of body.items as { id: string }[]) await hub.admin('DELETE', `${RULES}/${id}`);
});

const get = (path: string): Promise<HttpAnswer> => hub.admin('GET', `${RULES}${path}`);
const patch = (id: string, body: JsonObject): Promise<HttpAnswer> =>
  hub.admin('PATCH', `${RULES}/${id}`, body);
const ifMatch = (method: string, id: string, tag: string, body?: unknown): Promise<HttpAnswer> =>
  hub.rest(method, `${RULES}/${id}`, body, { key: hub.adminKey, headers: { 'if-match': tag } });
const numbersOf = ({ body }: HttpAnswer): number[] => body.items.map((each: Json) => each.version);

async function made(id: string, fields: JsonObject = {}): Promise<HttpAnswer> {
  const answer = await hub.admin('POST', RULES, {
    id,
    name: 'Rule',
    target: { tags: ['money'] },
    ...fields,
  });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer;
}

describe('a rule', () => {
  it('goes on in versions, each of which stays readable', async () => {
    const first = await made('versions', { conditions: { text: { pattern: 'invoice' } } });
    expect(first.body).toMatchObject({ version: 1 });
    expect(first.headers['etag']).toBe('"1"');
    const changed = await patch('versions', { target: { reject: 'No.' }, enabled: false });
    expect(changed.body).toMatchObject({ version: 2 });
    expect(changed.headers['etag']).toBe('"2"');
    const third = await patch('versions', { name: 'Third', conditions: {} });
    expect(third.body).toMatchObject({ version: 3 });
    expect((await get('/versions')).headers['etag']).toBe('"3"');

    const versions = await get('/versions/versions?limit=2');
    expect(numbersOf(versions)).toEqual([3, 2]);
    const rest = await get(`/versions/versions?limit=2&cursor=${versions.body.nextCursor}`);
    expect(rest.body.nextCursor).toBeNull();
    expect(rest.body.items).toEqual([
      {
        id: 'versions',
        version: 1,
        name: 'Rule',
        enabled: true,
        conditions: { text: { pattern: 'invoice' } },
        target: { tags: ['money'] },
        source: 'api',
        createdAt: first.body.createdAt,
      },
    ]);
    expect((await get('/versions/versions/2')).body).toMatchObject({
      name: 'Rule',
      enabled: false,
      target: { reject: 'No.' },
      createdAt: changed.body.updatedAt,
    });
  });

  it('has no version of a change that changes nothing, nor of another place', async () => {
    await made('same');
    await made('other');
    const same = await patch('same', { name: 'Rule', enabled: true, target: { tags: ['money'] } });
    expect(same.body).toMatchObject({ version: 1, position: 1 });
    expect((await patch('same', { position: 2 })).body).toMatchObject({ version: 1, position: 2 });
    const ids = ['same', 'other'];
    expect((await hub.admin('POST', `${RULES}:reorder`, { ids })).status).toBe(200);
    const refused = await patch('same', { name: 'Another', target: { agentId: 'nobody' } });
    expect(refused.status).toBe(400);
    expect(numbersOf(await get('/same/versions'))).toEqual([1]);
    expect((await get('/same')).body).toMatchObject({ version: 1, name: 'Rule' });
  });

  it('changes only the version that If-Match names', async () => {
    await made('guarded');
    const stale = await ifMatch('PATCH', 'guarded', '"2"', { enabled: false });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ metadata: { version: '1' } });
    expect((await ifMatch('PATCH', 'guarded', '"1"', { enabled: false })).status).toBe(200);
    expect((await ifMatch('DELETE', 'guarded', '"1"')).status).toBe(409);
    expect((await ifMatch('DELETE', 'guarded', 'two')).body).toMatchObject({
      errors: [{ field: 'If-Match' }],
    });
    expect((await ifMatch('DELETE', 'guarded', '"2"')).status).toBe(204);
  });

  it('leaves its versions when it is deleted; the next of its id counts on', async () => {
    await made('gone', { conditions: { tags: ['a'] } });
    expect((await hub.admin('DELETE', `${RULES}/gone`)).status).toBe(204);
    expect((await get('/gone')).status).toBe(404);
    const { body: kept } = await get('/gone/versions/1');
    expect(kept).toMatchObject({ version: 1, conditions: { tags: ['a'] } });
    // Which is all that it takes to bring it back.
    const { id, name, enabled, conditions, target } = kept;
    const back = await hub.admin('POST', RULES, { id, name, enabled, conditions, target });
    expect(back.body).toMatchObject({ version: 2, conditions: { tags: ['a'] } });
  });

  it('has no other versions than those, whatever is asked for', async () => {
    await made('one');
    for (const path of ['/nobody/versions', '/nobody/versions/1', '/one/versions/2']) {
      expect((await get(path)).status).toBe(404);
    }
    for (const version of ['0', '-1', 'x', '1e0', '1.0', '01', '99999999999', '__proto__']) {
      expect((await get(`/one/versions/${version}`)).status).toBe(404);
    }
    expect((await get('/one/versions?limit=0')).status).toBe(400);
    await made('two');
    const foreign = (await hub.admin('GET', `${RULES}?limit=1`)).body.nextCursor;
    expect(foreign).toEqual(expect.any(String));
    expect((await get(`/one/versions?cursor=${foreign}`)).status).toBe(400);
    expect((await patch('one', { version: 7 })).status).toBe(400);
    expect((await hub.admin('DELETE', `${RULES}/one/versions/1`)).status).toBe(405);
  });

  it('shows its versions to those who manage routing, of whatever organization', async () => {
    await made('seen');
    for (const scopes of [['a2a'], ['agents', 'audit']]) {
      const key = await hub.createKey({ scopes, organization: 'acme' });
      for (const path of ['/seen/versions', '/seen/versions/1']) {
        expect((await hub.admin('GET', RULES + path, undefined, key)).status).toBe(403);
      }
    }
    const operator = await hub.createKey({ scopes: ['routing'], organization: 'acme' });
    const seen = await hub.admin('GET', `${RULES}/seen/versions`, undefined, operator);
    expect(numbersOf(seen)).toEqual([1]);
    expect((await fetch(`${hub.url}${RULES}/seen/versions`)).status).toBe(401);
  });

  it('has its authors in the audit log', async () => {
    const key = await hub.createKey({ scopes: ['routing'] });
    const fields = { id: 'audited', name: 'Rule', target: { reject: 'No.' } };
    expect((await hub.admin('POST', RULES, fields, key)).status).toBe(201);
    const log = await hub.admin(
      'GET',
      '/api/v1/audit?resourceType=routes.rules&resourceId=audited',
    );
    expect(log.body.items).toMatchObject([{ outcome: 'succeeded', action: 'routes.rules.create' }]);
  });
});

describe('rules declared in the file', () => {
  const files = new FileHub();
  afterAll(() => files.remove());

  it('have a version of each state of the file', async () => {
    const declared = (name: string) => ({ rules: [{ id: 'r', name, target: { tags: ['a'] } }] });
    files.write(declared('First'));
    let inFile = await files.start();
    const shown = async () => (await inFile.admin('GET', `${RULES}/r`)).body;
    const told = async () =>
      (await inFile.admin('GET', `${RULES}/r/versions`)).body.items.map((each: Json) => [
        each.version,
        each.source,
        each.name,
      ]);
    try {
      expect(await shown()).toMatchObject({ version: 1, source: 'config', name: 'First' });
      files.write(declared('Second'));
      await eventually(async () => expect(await shown()).toMatchObject({ name: 'Second' }));
      expect(await shown()).toMatchObject({ version: 2, source: 'config' });
      await inFile.close();

      // A start changes nothing.
      inFile = await files.start();
      expect(await told()).toEqual([
        [2, 'config', 'Second'],
        [1, 'config', 'First'],
      ]);
      expect(await shown()).toMatchObject({ version: 2 });
      const refused = await inFile.admin('PATCH', `${RULES}/r`, { name: 'x' });
      expect(refused.status).toBe(409);

      files.write({ rules: [] });
      await eventually(async () => expect(await shown()).toMatchObject({ status: 404 }));
      const own = { id: 'r', name: 'Own', target: { tags: ['a'] } };
      expect((await inFile.admin('POST', RULES, own)).body).toMatchObject({ version: 3 });
      files.write(declared('Second'));
      await eventually(async () => expect(await shown()).toMatchObject({ source: 'config' }));
      expect(await shown()).toMatchObject({ version: 4 });
      files.write({ rules: [] });
      await eventually(async () => expect(await shown()).toMatchObject({ source: 'api' }));
      expect(await shown()).toMatchObject({ version: 5, name: 'Own' });
      expect(await told()).toEqual([
        [5, 'api', 'Own'],
        [4, 'config', 'Second'],
        [3, 'api', 'Own'],
        [2, 'config', 'Second'],
        [1, 'config', 'First'],
      ]);
    } finally {
      await inFile.close();
    }
  }, 30_000);
});
