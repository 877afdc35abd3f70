import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../src/audit/index.js';
import { type DeclaredRoute, HttpAccess } from '../../src/auth/index.js';
import { Database } from '../../src/database/database.js';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import type { Json } from '../support/json.js';
import { secretOf } from '../support/secret-of.js';

/** By hand: routes whose method may change something, and that change nothing. */
const CHANGE_NOTHING = [
  'POST /api/v1/agents::check',
  'POST /api/v1/composite-skills::validate',
  'POST /api/v1/policies::dry-run',
  'POST /api/v1/routes/rules::validate',
  'POST /api/v1/routes::dry-run',
];

let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub?.close());

const changing = (): readonly DeclaredRoute[] =>
  hub.app
    .get(HttpAccess)
    .routes.filter(({ method, url }) => url.startsWith('/api/') && !/^(GET|HEAD)$/.test(method))
    .filter(({ access }) => access !== 'refused');

const nameOf = ({ method, url }: DeclaredRoute): string => `${method} ${url}`;

const entries = async (query = ''): Promise<Json[]> =>
  (await hub.admin('GET', `/api/v1/audit?limit=200${query}`)).body.items;

/** Calls a route with an id that there is not. */
const call = ({ method, url }: DeclaredRoute): Promise<HttpAnswer> => {
  const path = url
    .replace(/:(id|kid)(\([^)]*\))?/, 'no-such-id')
    .replace(':organization', 'no-such-team')
    .replace('::', ':');
  return hub.admin(method, path, method === 'DELETE' ? undefined : {});
};

describe('every route of the admin API that changes something', () => {
  it('leaves an entry of its attempt and one of its result, with who and what', async () => {
    const routes = changing().filter((route) => !CHANGE_NOTHING.includes(nameOf(route)));
    expect(routes.length).toBeGreaterThan(30);
    const actions = new Map<string, string>();
    for (const route of routes) {
      const answer = await call(route);
      const requestId = answer.headers['x-request-id'] as string;
      const found = await entries(`&requestId=${requestId}`);
      const [result, attempt] = found;
      expect([nameOf(route), found.length]).toEqual([nameOf(route), 2]);
      expect(attempt).toMatchObject({ outcome: 'attempted', principal: 'admin', requestId });
      expect(result).toMatchObject({
        outcome: answer.status < 300 ? 'succeeded' : 'failed',
        ...{ action: attempt!.action, organization: 'default', credential: null },
        details: { attempt: attempt!.id },
      });
      if (answer.status >= 300) expect(result!.details.status).toBe(answer.status);
      if (/:(id|kid)/.test(route.url)) {
        const what = route.url.includes(':organization') ? 'no-such-id/no-such-team' : 'no-such-id';
        expect(result!.resourceId).toBe(what);
      }
      // No two routes have the same name.
      expect([attempt!.action, actions.get(attempt!.action)]).toEqual([attempt!.action, undefined]);
      actions.set(attempt!.action, nameOf(route));
    }
    // Each is one of resource and operation.
    for (const action of actions.keys()) expect(action).toMatch(/^[a-z-]+(\.[a-z-]+)+$/);
  }, 60_000);

  it('is refused, and changes nothing, when the entry cannot be written', async () => {
    const database = hub.app.get(Database);
    await database.write((tx) =>
      tx.run(
        `CREATE TRIGGER no_audit BEFORE INSERT ON audit_events
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
      ),
    );
    try {
      const before = (await hub.admin('GET', '/api/v1/keys')).text;
      for (const route of changing()) {
        if (CHANGE_NOTHING.includes(nameOf(route))) continue;
        const { status, body } = await call(route);
        expect([nameOf(route), status]).toEqual([nameOf(route), 503]);
        expect(body.detail).toMatch(/^The audit log cannot be written, so nothing was changed/);
      }
      const made = await hub.admin('POST', '/api/v1/keys', { name: 'k', scopes: ['a2a'] });
      expect(made.status).toBe(503);
      expect(made.headers['retry-after']).toBe('5');
      expect((await hub.admin('GET', '/api/v1/keys')).text).toBe(before);
    } finally {
      await database.write((tx) => tx.run('DROP TRIGGER no_audit'));
    }
    expect((await hub.admin('POST', '/api/v1/keys', { name: 'k', scopes: ['a2a'] })).status).toBe(
      201,
    );
  }, 60_000);

  it('answers as it went when only its result cannot be written', async () => {
    const log = hub.app.get(AuditLog);
    const record = log.record.bind(log);
    log.record = (entry) =>
      entry.outcome === 'attempted' ? record(entry) : Promise.reject(new Error('away'));
    const { status, body, headers } = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: 'k', scopes: ['a2a'] },
    });
    log.record = record;
    expect(status).toBe(201);
    const found = await entries(`&requestId=${headers['x-request-id'] as string}`);
    expect(found.map(({ outcome }) => outcome)).toEqual(['attempted']);
    await hub.admin('DELETE', `/api/v1/keys/${body.id}`);
  });

  it('leaves none when it changes nothing', async () => {
    for (const route of changing().filter((each) => CHANGE_NOTHING.includes(nameOf(each)))) {
      const { headers } = await call(route);
      expect(await entries(`&requestId=${headers['x-request-id'] as string}`)).toEqual([]);
    }
  });
});

describe('an entry', () => {
  it('names what was made by the id of the answer, and nothing of a body or a secret', async () => {
    const { body, headers } = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: 'a secret name', organization: 'acme', scopes: ['a2a'] },
    });
    const [made, attempt] = await entries(`&requestId=${headers['x-request-id'] as string}`);
    expect(made).toMatchObject({
      ...{ action: 'keys.create', outcome: 'succeeded' },
      ...{ resourceType: 'keys', resourceId: body.id },
    });
    expect(attempt).toMatchObject({ action: 'keys.create', resourceId: null });
    const all = (await hub.admin('GET', '/api/v1/audit?limit=200')).text;
    expect(all).not.toContain('a secret name');
    expect(all).not.toContain(secretOf(body.key));
    expect(await entries(`&resourceId=${body.id}`)).toHaveLength(1);
  });

  it('names the key of whoever made the change', async () => {
    const key = await hub.createKey({ scopes: ['admin'], organization: 'acme' });
    const { body } = await hub.admin('GET', '/api/v1/keys?limit=1');
    await hub.admin('POST', '/api/v1/keys', { name: 'x', scopes: ['a2a'] }, key);
    const [entry] = await entries('&action=keys.create&outcome=succeeded');
    expect(entry).toMatchObject({
      ...{ principal: body.items[0].principalId, organization: 'acme' },
      credential: body.items[0].id,
    });
  });

  it('is there for an operator who reads the content of a task', async () => {
    const { headers } = await hub.admin('GET', '/api/v1/tasks/no-such-task/content');
    const found = await entries(`&requestId=${headers['x-request-id'] as string}`);
    expect(found.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['tasks.content', 'failed'],
      ['tasks.content', 'attempted'],
    ]);
  });
});

describe('the API of the audit log', () => {
  beforeEach(() => hub.admin('POST', '/api/v1/keys', { name: 'x', scopes: ['a2a'] }));

  it('verifies', async () => {
    const { status, body } = await hub.admin('POST', '/api/v1/audit:verify', {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: true, chains: 1, broken: [] });
    const lost = { anchor: { number: 1, hash: 'ab'.repeat(32) } };
    const broken = await hub.admin('POST', '/api/v1/audit:verify', lost);
    expect(broken.body).toMatchObject({ valid: false, broken: [{ what: 'anchor-missing' }] });
  });

  it('exports all of it, line by line, oldest first', async () => {
    const { text, headers } = await hub.admin('GET', '/api/v1/audit:export?action=keys.create');
    expect(headers['content-type']).toBe('application/x-ndjson');
    const lines = text.trimEnd().split('\n');
    const seqs = lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(seqs.length).toBeGreaterThan(2);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    const requestId = headers['x-request-id'] as string;
    const [entry] = await entries(`&requestId=${requestId}`);
    expect(entry).toMatchObject({ action: 'audit.export', outcome: 'succeeded' });
  });

  it.each([
    ['GET', 'audit?outcome=maybe', /outcome/],
    ['GET', 'audit?from=yesterday', /from/],
    ['GET', 'audit?from=', /from/],
    ['GET', 'audit?from=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z', /from/],
    ['GET', 'audit?action=KEYS', /action/],
    ['GET', 'audit?resourceType=a/b', /resourceType/],
    ['GET', 'audit?principal=', /principal/],
    ['GET', 'audit?onBehalfOf=a&onBehalfOf=b', /onBehalfOf/],
    ['GET', 'audit:export?outcome=', /outcome/],
    ['GET', 'audit?limit=1000', /limit/],
    ['GET', 'audit?cursor=x', /cursor/],
    ['GET', 'audit?who=me', /who/],
    ['GET', `audit?principal=${'x'.repeat(201)}`, /principal/],
    ['GET', 'audit:export?limit=1', /limit/],
    ['GET', 'audit:export?to=2026-13-45', /to/],
  ])('refuses %s %s by the name of the field', async (method, path, named) => {
    const { status, body } = await hub.admin(method, `/api/v1/${path}`);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(named)]);
  });

  it.each([
    [{ anchor: 1 }, /anchor/],
    [{ anchor: {} }, /anchor\.number/],
    [{ anchor: { number: '1', hash: 'x' } }, /anchor\.hash: must be 64 hexadecimal digits/],
    [{ from: 1 }, /from/],
  ])('refuses to verify %j by the name of the field', async (body, named) => {
    const answer = await hub.admin('POST', '/api/v1/audit:verify', body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(named)]);
  });

  it('is for administrators alone', async () => {
    const key = await hub.createKey({ scopes: ['a2a', 'agents', 'push', 'tasks:organization'] });
    for (const [method, path] of [
      ['GET', '/api/v1/audit'],
      ['GET', '/api/v1/audit:export'],
      ['POST', '/api/v1/audit:verify'],
    ] as const) {
      expect((await hub.admin(method, path, undefined, key)).status).toBe(403);
    }
  });
});
